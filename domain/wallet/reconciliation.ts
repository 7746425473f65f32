/**
 * How long a comparison of a wallet with the chain stays fresh: requests and the job share the rule, so that a wallet
 * with many viewers is requested from the node once. Pure.
 */

import { latestMs } from '../time/clock-skew.ts'

/** Milliseconds after which a pass is repeated when the wallet is requested. */
export const RECONCILED_FOR_MS = 5 * 60_000

/** `reconciledMs`: when the newest pass began, null for a wallet without one. A time ahead of the clock is ignored. */
export function isReconciliationDue(reconciledMs: number | null, nowMs: number): boolean {
  if (reconciledMs === null) return true
  return nowMs - reconciledMs >= RECONCILED_FOR_MS || reconciledMs > latestMs(nowMs)
}
