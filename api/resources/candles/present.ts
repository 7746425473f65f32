/** Candles as the interface shows them: the same for REST and GraphQL. Pure. */
import { type Int64, lamportsToSol } from '../../../domain/amount.ts'
import type { RangeRow } from './read.ts'
import type { PricedRow } from './row.ts'

export function presentCandle(row: PricedRow) {
  return {
    timestamp: row.bucket_ms,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    volume_sol: lamportsToSol(row.volume_lamports),
    trade_count: row.trade_count,
  }
}

export function presentLatest(row: PricedRow | undefined) {
  return { success: true as const, data: row === undefined ? null : presentCandle(row) }
}

export function presentRange(from: Int64, to: Int64, row: RangeRow) {
  const { open, high, low, close, volume_lamports, sample_count } = row
  const prices = { open, high, low, close }
  const volume_sol = lamportsToSol(volume_lamports)
  return { from_ts: from, to_ts: to, ...prices, volume_sol, sample_count }
}
