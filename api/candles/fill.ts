/**
 * Candles without holes: pure. Buckets without a price take the close before them and keep the volume and
 * count that they have; those before the first price are left out.
 */

export type CandleRow = {
  bucket_ms: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume_lamports: string
  trade_count: number
}
/** A candle that is served. */
export type PricedRow = CandleRow & Record<'open' | 'high' | 'low' | 'close', number>

export type FilledRange = {
  /** First and last bucket. */
  first: number
  last: number
  widthMs: number
  /** The close before the first bucket; undefined where there is none. */
  carried: number | undefined
}

export function fillHoles(stored: readonly CandleRow[], range: FilledRange): PricedRow[] {
  const { first, last, widthMs } = range
  const byBucket = new Map(stored.map((row) => [row.bucket_ms, row]))
  const filled: PricedRow[] = []
  let close = range.carried
  for (let bucketMs = first; bucketMs <= last; bucketMs += widthMs) {
    const row = byBucket.get(bucketMs)
    if (row !== undefined && isPriced(row)) {
      close = row.close
      filled.push(row)
    } else if (close !== undefined) {
      const { volume_lamports = '0', trade_count = 0 } = row ?? {}
      const prices = { open: close, high: close, low: close, close }
      filled.push({ bucket_ms: bucketMs, ...prices, volume_lamports, trade_count })
    }
  }
  return filled
}

export function isPriced(row: CandleRow): row is PricedRow {
  return row.open !== null
}
