/**
 * Asks for a comparison of a wallet with the chain when somebody looks at it and the newest is no longer
 * good. Nobody waits for it: the next look shows what it found, and without it nothing is missing.
 */
import { LRUCache } from 'lru-cache'
import { isReconciliationDue } from '../../../domain/wallet/reconciliation.ts'
import type { JobRequests } from '../../../streams/jobs/job.ts'

/** `reconciledMs`: when the wallet's newest pass began, null before the first. */
export type RequestReconciliation = (wallet: string, reconciledMs: number | null) => void

/** Milliseconds in which a process asks once for a wallet, and wallets that it remembers. */
const ASK_AGAIN_MS = 30_000
const REMEMBERED_MAX = 10_000

/** Where no provider can be asked, or no job worked on, nothing is. */
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
    // Redis is away: who looks next asks again.
    jobs.ask('reconcile', { wallet }).catch(() => asked.delete(wallet))
  }
}
