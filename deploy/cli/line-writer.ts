/** Lines on standard output at the reader's pace. */
import type { Output } from './progress.ts'

/** Writes lines and waits for the reader; false once the reader has closed it. */
export function lineWriter(stdout: Output): (lines: readonly string[]) => Promise<boolean> {
  return (lines) =>
    new Promise((resolve) => {
      if (lines.length === 0) resolve(true)
      else stdout.write(`${lines.join('\n')}\n`, (error) => resolve(!error))
    })
}
