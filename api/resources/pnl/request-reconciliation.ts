/**
 * Enqueues a reconciliation of a wallet with the chain when the wallet is read and the newest one is too old. The
 * read does not wait: the next one shows the result, and the response is complete without it.
 */
import { isReconciliationDue, type JobRequests } from '../../../streams/jobs/job.ts'
import { walletRequester } from '../../../streams/jobs/wallet-requester.ts'

/** `reconciledMs`: when the wallet's newest pass began, null before the first. */
export type RequestReconciliation = (wallet: string, reconciledMs: number | null) => void

const REQUEST_INTERVAL_MS = 30_000

/** Does nothing without a balance provider or without a job queue. */
export function reconciliationRequester(
  jobs: JobRequests | undefined,
  now: () => number,
): RequestReconciliation {
  if (jobs === undefined) return () => {}
  const request = walletRequester(jobs, 'reconcile', { intervalMs: REQUEST_INTERVAL_MS, now })
  return (wallet, reconciledMs) => {
    if (isReconciliationDue(reconciledMs, now())) request(wallet)
  }
}
