/**
 * The trailing windows of a wallet's figures, in whole hours: from the hour that holds newest - window to
 * the newest indexed swap's (semantics, section 2). Pure.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const WALLET_WINDOWS = ['30d', '90d', '1y', 'all'] as const
export type WalletWindow = (typeof WALLET_WINDOWS)[number]

/** Days before the newest swap's. */
export const WINDOW_DAYS = {
  '30d': 30,
  '90d': 90,
  '1y': 365,
  all: Number.POSITIVE_INFINITY,
} as const satisfies Record<WalletWindow, number>

/** Unix ms with which the first hour of the window begins; 0 for all. */
export function firstHourMs(window: WalletWindow, newestMs: number): number {
  const days = WINDOW_DAYS[window]
  if (!Number.isFinite(days)) return 0
  return Math.max(0, Math.floor((newestMs - days * DAY_MS) / HOUR_MS) * HOUR_MS)
}
