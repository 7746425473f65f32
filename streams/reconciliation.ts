/**
 * How long a comparison of a wallet with the chain is good: what asks for one and what makes it go by the
 * same rule, so that a wallet that many look at is asked about once. Pure.
 */

/** Milliseconds after which a pass is made again when somebody looks at the wallet. */
export const RECONCILED_FOR_MS = 5 * 60_000

/** `reconciledMs`: when the newest pass began, null for a wallet without one. */
export function isReconciliationDue(reconciledMs: number | null, nowMs: number): boolean {
  return reconciledMs === null || nowMs - reconciledMs >= RECONCILED_FOR_MS
}
