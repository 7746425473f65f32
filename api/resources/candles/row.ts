/** A candle as the tables have it. Pure. */

export type CandleRow = {
  bucket_ms: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume_lamports: string
  trade_count: number
}
/** Pool and token of the candles. */
export type PoolNames = { pair_address: string; token_address: string }

/** A candle that is served. */
export type PricedRow = CandleRow & Record<'open' | 'high' | 'low' | 'close', number>

export function isPriced(row: CandleRow): row is PricedRow {
  return row.open !== null
}
