/**
 * How long a comparison of a wallet with the chain is good: what asks for one and what makes it go by the
 * same rule, so that a wallet that many look at is asked about once. Pure.
 */

import { latestMs } from '../time/clock-skew.ts'

/** Milliseconds after which a pass is made again when somebody looks at the wallet. */
export const RECONCILED_FOR_MS = 5 * 60_000

/** `reconciledMs`: when the newest pass began, null for a wallet without one. One that lies ahead says nothing. */
export function isReconciliationDue(reconciledMs: number | null, nowMs: number): boolean {
  if (reconciledMs === null) return true
  return nowMs - reconciledMs >= RECONCILED_FOR_MS || reconciledMs > latestMs(nowMs)
}
