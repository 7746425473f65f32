/** Buckets of time, as candles, venues' totals and traders are kept in. Pure. */

/** First Unix ms of the bucket of a width in which a moment lies. */
export function bucketOf(ms: number, widthMs: number): number {
  return Math.floor(ms / widthMs) * widthMs
}
