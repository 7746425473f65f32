/**
 * The trailing windows of a wallet's figures, in whole hours: from the hour that holds newest - window to
 * the one that holds newest: the newest indexed swap's time, or the wall clock where that is earlier
 * (docs/semantics.md#windows-of-wallets). Pure.
 */
import { DAY_MS, HOUR_MS } from './time-bucket.ts'

export const WALLET_WINDOWS = ['30d', '90d', '1y', 'all'] as const
export type WalletWindow = (typeof WALLET_WINDOWS)[number]

/** With the short periods of leaderboards. */
export const TRAILING_WINDOWS = ['1d', '7d', ...WALLET_WINDOWS] as const
export type TrailingWindow = (typeof TRAILING_WINDOWS)[number]

/** Days before the newest. */
export const WINDOW_DAYS = {
  '1d': 1,
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '1y': 365,
  all: Number.POSITIVE_INFINITY,
} as const satisfies Record<TrailingWindow, number>

/** Unix ms with which the first and the last hour of a window begin. */
export type WindowHours = { readonly firstMs: number; readonly lastMs: number }

/** The first hour is 0 for all. */
export function windowHours(window: TrailingWindow, newestMs: number): WindowHours {
  const lastMs = Math.floor(newestMs / HOUR_MS) * HOUR_MS
  const days = WINDOW_DAYS[window]
  if (!Number.isFinite(days)) return { firstMs: 0, lastMs }
  const firstMs = Math.max(0, Math.floor((newestMs - days * DAY_MS) / HOUR_MS) * HOUR_MS)
  return { firstMs, lastMs }
}

/** Where the window ends: Unix ms of the hour after its last. */
export const windowEndMs = ({ lastMs }: WindowHours): number => lastMs + HOUR_MS
