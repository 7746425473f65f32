/** Enqueues a job of a wallet that answers need more often than it is worth to run. */
import { LRUCache } from 'lru-cache'
import type { JobRequests } from './job.ts'

/** Wallets that a process remembers. */
const REMEMBERED_MAX = 10_000

/** A process enqueues the job of a wallet once in `intervalMs`. No caller waits for it. */
export function walletRequester(
  jobs: JobRequests,
  job: 'chart-backfill' | 'reconcile',
  { intervalMs, now }: { readonly intervalMs: number; readonly now: () => number },
): (wallet: string) => void {
  const requestedMs = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  return (wallet) => {
    const nowMs = now()
    const sinceMs = nowMs - (requestedMs.get(wallet) ?? Number.NEGATIVE_INFINITY)
    // Below 0 the clock was set back since.
    if (sinceMs >= 0 && sinceMs < intervalMs) return
    requestedMs.set(wallet, nowMs)
    // Redis is unavailable: the next answer tries again.
    jobs.request(job, { wallet }).catch(() => requestedMs.delete(wallet))
  }
}
