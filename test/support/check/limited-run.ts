/** A run of ava in which every test file has the same limit. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'
import { ADMITTED_VARIABLE } from './admission/admission.ts'
import { TIMES_VARIABLE } from './threads.ts'
import { LIMIT_VARIABLE } from './times.ts'

/** Fewer than the files of such a run, so that some wait to be admitted. */
const ADMITTED = '2'

type Ran = { code: number; output: string }

/** Runs what the `ava.config.js` of `folder` lists; the folder lies below the root. Times are written to its `times`. */
export function runLimited(folder: string, limitMs: number): Promise<Ran> {
  const args = [join(import.meta.dirname, 'ava.ts'), '--config', join(folder, 'ava.config.js')]
  // A separate file of times: the files that it ends are none of the run that this test is a part of.
  const times = { [TIMES_VARIABLE]: join(folder, 'times') }
  const bounds = { [LIMIT_VARIABLE]: String(limitMs), [ADMITTED_VARIABLE]: ADMITTED }
  const env = { ...process.env, ...times, ...bounds }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}
