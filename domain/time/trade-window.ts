/**
 * Trailing windows of trades by name, and how old a screen of all tokens in one may be. Pure.
 *
 * A window of n minutes is the n whole minute buckets that end with the newest indexed swap's, or with
 * the wall clock's where that is earlier (newest_swap_ms() in sql/functions/swap_times.sql).
 */

/** Widths in minutes. */
export const WINDOW_MINUTES = {
  '1m': 1,
  '5m': 5,
  '15m': 15,
  '1h': 60,
  '4h': 240,
  '6h': 360,
  '24h': 1_440,
} as const
export type WindowName = keyof typeof WINDOW_MINUTES
export const WINDOW_NAMES = Object.keys(WINDOW_MINUTES) as WindowName[]

/** A screen older than this is made anew for the next asker, and served meanwhile. */
export const SCREEN_FRESH_MS = 10_000
/** A screen older than this is not served. */
export const SCREEN_AGE_MAX_MS = 60_000
/** Pools up to which nothing is made beforehand: a request computes its figures by itself. */
export const DIRECT_POOLS_MAX = 2_000
