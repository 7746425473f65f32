/** A copy of the project, in which recipes are carried out and packages are made, with the installed packages as a link. */
import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { TIMES_VARIABLE } from '../check/threads.ts'
import { listFiles, ROOT } from '../sources.ts'
import type { Edit } from './edit.ts'

export type Outcome = { code: number | null; output: string }

/** One market for the simulation, and no times of test files next to those of this run. */
const ENVIRONMENT = { SIMULATION_SEED: '1', [TIMES_VARIABLE]: undefined }

export class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'swaptide-recipes-'))
  readonly root = join(this.#folder, 'tree')

  constructor() {
    for (const path of listFiles()) cpSync(join(ROOT, path), join(this.root, path))
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'))
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }

  apply({ path, old, text }: Edit): void {
    const file = join(this.root, path)
    const before = old === undefined ? '' : readFileSync(file, 'utf8')
    if (old !== undefined && before.split(old).length !== 2)
      throw new Error(`"${old}" is not once in ${path}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, old === undefined ? text : before.replace(old, () => text))
  }

  /** Runs a program of the project or of a package in the copy, by this version of Node. */
  run(...args: string[]): Promise<Outcome> {
    return this.runWith({}, ...args)
  }

  /** The same with further variables of the environment. */
  async runWith(variables: Record<string, string>, ...args: string[]): Promise<Outcome> {
    const child = spawn(process.execPath, args, {
      cwd: this.root,
      env: { ...process.env, ...ENVIRONMENT, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const [output, errors, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      ended,
    ])
    return { code, output: output + errors }
  }
}
