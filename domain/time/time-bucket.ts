/**
 * Widths of time buckets, and the bucket of a moment. Candles, venue volumes, traders and hours of wallets are stored
 * by these widths; the SQL of their tables has the same numbers. Pure.
 */

export const MINUTE_MS = 60_000
export const QUARTER_MS = 15 * MINUTE_MS
export const HOUR_MS = 60 * MINUTE_MS
export const FOUR_HOURS_MS = 4 * HOUR_MS
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS

export const HOUR_MINUTES = 60
export const DAY_MINUTES = 24 * HOUR_MINUTES

/** First Unix ms of the bucket of a width in which a moment lies. */
export function bucketOf(ms: number, widthMs: number): number {
  return Math.floor(ms / widthMs) * widthMs
}
