/** Retry policy of a lane: the runtime's own errors by class, which errors are transient, and exponential backoff. */
import assert from 'node:assert/strict'
import { isRetryable, sqlCode } from '../../sql/db.ts'

/** Another owner has the lane: its epoch is higher, or it committed in between. */
export class Fenced extends Error {}
/** The stream was recreated, or the reader makes no progress although there is more to read. */
export class ReaderLost extends Error {}

/** The database ended a connection, perhaps because it went down: commits that were not on disk may be gone. */
export class ConnectionLost extends Error {}

/** FEED was written from another database: commits of this one would be taken for published. */
export class FeedAhead extends Error {}

/** FEED lost its end: messages of this lane that it had acknowledged are no longer there. */
export class FeedCut extends Error {}

/** Whether a restart from the checkpoint may help. Bugs (assertions, type errors) are not transient. */
export function isPassing(error: unknown): boolean {
  if (error instanceof assert.AssertionError) return false
  if (error instanceof TypeError || error instanceof RangeError) return false
  if (error instanceof ReferenceError) return false
  if (error instanceof Error && 'severity' in error)
    return isRetryable(error) || isCommitRefused(error)
  return true
}

/**
 * Whether the database takes no commit although it answers: out of resources (class 53: a full disk), a system error
 * (class 58), or a database that only reads (25006).
 */
export function isCommitRefused(error: unknown): boolean {
  const code = sqlCode(error)
  return code !== undefined && /^(53|58|25006)/.test(code)
}

/** Resolves after the time, or with the signal. */
export function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
  })
}

/** How long to wait after so many failures in a row, from 100 ms on. */
export const backoffMs = (failures: number): number => Math.min(5_000, 100 * 2 ** failures)
