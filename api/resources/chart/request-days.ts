/**
 * Enqueues the job that stores the days of a wallet's chart when an answer as of a slot had to compute some that it would store. The
 * answer does not wait: later ones use the stored days.
 */
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { JobRequests } from '../../../streams/jobs/job.ts'
import { walletRequester } from '../../../streams/jobs/wallet-requester.ts'

export type RequestDays = (wallet: string) => void

/** While old swaps arrive, stored days are soon out of date again. */
const REQUEST_INTERVAL_MS = MINUTE_MS

/** Does nothing without a job queue. */
export function daysRequester(jobs: JobRequests | undefined, now: () => number): RequestDays {
  if (jobs === undefined) return () => {}
  return walletRequester(jobs, 'chart-backfill', { intervalMs: REQUEST_INTERVAL_MS, now })
}
