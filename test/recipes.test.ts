/**
 * The recipes of CONTRIBUTING.md, carried out step by step in a copy of the tree: a venue, a timeframe, a window and a
 * source. Half of the steps must fail the checks that the recipes name, all of them must pass.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import test from 'ava'
import { EDITS, type Edit } from './support/recipe-edits.ts'
import { listFiles, ROOT, readText } from './support/sources.ts'

const STEPS_MAX = 6
/** The machine may be busy with the rest of the suite. */
const TIMEOUT_MS = 600_000

type Recipe = { steps: string[]; checks: string[] }

/** Recipes by their heading: "venue" of "### Add a venue". */
function readRecipes(): Map<string, Recipe> {
  const [, ...sections] = readText('CONTRIBUTING.md').split(/^### Add an? /m)
  return new Map(
    sections.map((section) => {
      const [name = ''] = section.split('\n', 1)
      const [body = '', after = ''] = section.split(/^## /m)[0]?.split('\nChecked by: ') ?? []
      const steps = body.split(/^\d\. /m).slice(1)
      return [
        name,
        { steps, checks: Array.from(after.matchAll(/`([^`]+)`/g), ([, check = '']) => check) },
      ]
    }),
  )
}

const RECIPES = readRecipes()

test('each recipe has at most six steps and names its checks', (t) => {
  const names = ['venue', 'timeframe of candles', 'window', 'route', 'actor', 'source']
  t.deepEqual([...RECIPES.keys()], names)
  for (const [name, { steps, checks }] of RECIPES) {
    t.true(steps.length >= 1 && steps.length <= STEPS_MAX, `${name}: ${steps.length} steps`)
    t.is(checks[0], 'npx tsc', name)
    t.true(checks.length > 1, name)
  }
})

test('carries out only steps that the recipes describe', (t) => {
  for (const { recipe, step, path, old } of EDITS) {
    const described = RECIPES.get(recipe)?.steps[step - 1] ?? ''
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    t.true(
      described.includes(old === undefined ? `\`${folder}<name>.ts\`` : `\`${path}\``),
      `${recipe} ${step}: ${path}`,
    )
  }
})

/** A copy of the project with the installed packages as a link. */
class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'swaptide-recipes-'))
  readonly #root = join(this.#folder, 'tree')

  constructor() {
    for (const path of listFiles()) cpSync(join(ROOT, path), join(this.#root, path))
    symlinkSync(join(ROOT, 'node_modules'), join(this.#root, 'node_modules'))
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }

  apply({ path, old, text }: Edit): void {
    const file = join(this.#root, path)
    const before = old === undefined ? '' : readFileSync(file, 'utf8')
    if (old !== undefined && before.split(old).length !== 2)
      throw new Error(`"${old}" is not once in ${path}`)
    writeFileSync(file, old === undefined ? text : before.replace(old, () => text))
  }

  /** Runs a program of the project or of a package in the copy, by this version of Node. */
  async run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, args, {
      cwd: this.#root,
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

  /** `npx tsc`, in one thread; a second run checks only changed files. */
  checkTypes(): ReturnType<Copy['run']> {
    const known = join(this.#folder, 'types.json')
    const options = ['--singleThreaded', '--incremental', '--tsBuildInfoFile', known]
    return this.run('node_modules/.bin/tsc', ...options)
  }

  runTests(paths: Iterable<string>): ReturnType<Copy['run']> {
    return this.run('node_modules/.bin/ava', '--tap', ...paths)
  }
}

/** `npm run generate`, the last step of each recipe. */
const GENERATE = 'deploy/reference/write.ts'
const CARRIED_OUT = [...new Set(EDITS.map(({ recipe }) => recipe))]

/** The tests that these recipes name. */
function testsOf(recipes: readonly string[]): Set<string> {
  const checks = recipes.flatMap((name) => RECIPES.get(name)?.checks ?? [])
  return new Set(checks.filter((check) => check.endsWith('.test.ts')))
}

test('adds a venue, a timeframe, a window and a source by the recipes, whose checks name a step left out', async (t) => {
  t.timeout(TIMEOUT_MS)
  const copy = new Copy()
  t.teardown(() => copy.remove())
  const isTable = ({ step, path }: Edit) => step === 1 || path.endsWith('/table.ts')
  for (const edit of EDITS.filter(isTable)) copy.apply(edit)

  const halfTypes = await copy.checkTypes()
  t.not(halfTypes.code, 0)
  t.regex(
    halfTypes.output,
    /sources\/cases\.ts.+'"gzip-file"' is missing/,
    'a source without a case',
  )
  t.regex(
    halfTypes.output,
    /candles\.test\.ts.+'"30m"' is missing/,
    'a timeframe without its model',
  )
  const outputs = 'test/deploy/reference/generated.test.ts'
  const tables = [...testsOf(CARRIED_OUT)].filter((path) => path.startsWith('test/domain/'))
  const half = await copy.runTests([...tables, outputs])
  t.not(half.code, 0)
  t.regex(half.output, /^not ok .+each venue is measured/m, 'a venue without its line')
  t.regex(half.output, /^not ok .+each timeframe has its width/m)
  t.regex(half.output, /^not ok .+each window has its width/m)
  t.regex(half.output, /run "npm run generate"/)

  for (const edit of EDITS.filter((each) => !isTable(each))) copy.apply(edit)
  const generated = await copy.run(GENERATE)
  t.is(generated.code, 0, generated.output)
  const types = await copy.checkTypes()
  t.is(types.code, 0, types.output)
  const whole = await copy.runTests(testsOf(CARRIED_OUT))
  t.is(whole.code, 0, whole.output)
})
