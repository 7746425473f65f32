/**
 * Enqueues a reconciliation of a wallet with the chain when the wallet is read and the newest one is too old. The
 * read does not wait: the next one shows the result, and the response is complete without it.
 */
import { LRUCache } from 'lru-cache'
import type { JobRequests } from '../../../streams/jobs/job.ts'
import { isReconciliationDue } from '../../../streams/jobs/job.ts'

/** `reconciledMs`: when the wallet's newest pass began, null before the first. */
export type RequestReconciliation = (wallet: string, reconciledMs: number | null) => void

/** Milliseconds in which a process enqueues a wallet once, and the number of wallets that it remembers. */
const REQUEST_INTERVAL_MS = 30_000
const REMEMBERED_MAX = 10_000

/** Does nothing without a balance provider or without a job queue. */
export function reconciliationRequester(
  jobs: JobRequests | undefined,
  now: () => number,
): RequestReconciliation {
  const requestedMs = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (wallet, reconciledMs) => {
    const nowMs = now()
    if (jobs === undefined || !isReconciliationDue(reconciledMs, nowMs)) return
    const sinceMs = nowMs - (requestedMs.get(wallet) ?? Number.NEGATIVE_INFINITY)
    // Below 0 the clock was set back since.
    if (sinceMs >= 0 && sinceMs < REQUEST_INTERVAL_MS) return
    requestedMs.set(wallet, nowMs)
    // Redis is unavailable: the next read tries again.
    jobs.request('reconcile', { wallet }).catch(() => requestedMs.delete(wallet))
  }
}
