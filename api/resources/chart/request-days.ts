/**
 * Enqueues the job that stores the days of a wallet's chart when an answer as of a slot had to compute some that it would store. The
 * answer does not wait: later ones use the stored days.
 */
import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { JobRequests } from '../../../streams/jobs/job.ts'

export type RequestDays = (wallet: string) => void

/** A process enqueues a wallet once in so many milliseconds: while old swaps arrive, stored days are soon out of date again. */
const REQUEST_INTERVAL_MS = MINUTE_MS
const REMEMBERED_MAX = 10_000

/** Does nothing without a job queue. */
export function daysRequester(jobs: JobRequests | undefined, now: () => number): RequestDays {
  const requestedMs = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (wallet) => {
    const nowMs = now()
    const sinceMs = nowMs - (requestedMs.get(wallet) ?? Number.NEGATIVE_INFINITY)
    // Below 0 the clock was set back since.
    if (jobs === undefined || (sinceMs >= 0 && sinceMs < REQUEST_INTERVAL_MS)) return
    requestedMs.set(wallet, nowMs)
    // Redis is unavailable: the next answer tries again.
    jobs.request('chart-backfill', { wallet }).catch(() => requestedMs.delete(wallet))
  }
}
