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
const ASK_AGAIN_MS = 30_000
const REMEMBERED_MAX = 10_000

/** Does nothing without a balance provider or without a job queue. */
export function reconciliationRequester(
  jobs: JobRequests | undefined,
  now: () => number,
): RequestReconciliation {
  const asked = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (wallet, reconciledMs) => {
    const nowMs = now()
    if (jobs === undefined || !isReconciliationDue(reconciledMs, nowMs)) return
    const askedMsAgo = nowMs - (asked.get(wallet) ?? Number.NEGATIVE_INFINITY)
    // Below 0 the clock was set back since.
    if (askedMsAgo >= 0 && askedMsAgo < ASK_AGAIN_MS) return
    asked.set(wallet, nowMs)
    // Redis is unavailable: the next read tries again.
    jobs.ask('reconcile', { wallet }).catch(() => asked.delete(wallet))
  }
}
