/**
 * Ends the thread of a test file that stays alive after its tests. Ava waits for such a thread without a limit where
 * any test named a limit of its own longer than ava's: a socket that a failed hook left open held up a whole run.
 */
import { writeSync } from 'node:fs'
import { registerCompletionHandler } from 'ava'

const GRACE_MS = 60_000
const STDERR = 2

registerCompletionHandler(() => {
  const end = (): never => {
    const held = [...new Set(process.getActiveResourcesInfo())].join(', ')
    writeSync(
      STDERR,
      `a test file did not end within ${GRACE_MS / 1_000} s of its tests: ${held}\n`,
    )
    process.exit(1)
  }
  setTimeout(end, GRACE_MS).unref()
})
