/** A run of ava in which every test file has the same limit. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'
import { LIMIT_VARIABLE } from './times.ts'

export type Ran = { code: number; output: string }

/** By the `ava.config.js` of `folder`, which lies below the root. */
export function runLimited(folder: string, limitMs: number): Promise<Ran> {
  const args = [join(import.meta.dirname, 'ava.ts'), '--config', join(folder, 'ava.config.js')]
  const env = { ...process.env, [LIMIT_VARIABLE]: String(limitMs) }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}
