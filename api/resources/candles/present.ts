/** Candles as the interface shows them: the same for REST and GraphQL. Pure. */
import { exactOf, type Int64, lamportsToSol } from '../../../domain/amount.ts'
import type { Timeframe } from '../../../domain/time/timeframe.ts'
import type { PoolNames, PricedRow } from './candle-lines.ts'
import type { LatestCandle, Range } from './read.ts'

export function presentCandle(
  row: PricedRow,
  { pair_address, token_address }: PoolNames,
  timeframe: Timeframe,
) {
  const { trade_count, buy_count, volume_units } = row
  return {
    timestamp: row.bucket_ms,
    pair_address,
    token_address,
    timeframe,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    volume_sol: lamportsToSol(row.volume_lamports),
    volume_token: volume_units === null ? null : exactOf(volume_units),
    volume_lamports: exactOf(row.volume_lamports),
    trade_count,
    buy_count,
    sell_count: buy_count === null ? null : trade_count - buy_count,
    unique_traders: row.trader_count,
  }
}

export function presentLatest({ pool, row }: LatestCandle, timeframe: Timeframe) {
  const candle = pool === null || row === undefined ? null : presentCandle(row, pool, timeframe)
  return { success: true as const, data: candle, pool }
}

export function presentRange(from: Int64, to: Int64, { pool, row }: Range) {
  const { open, high, low, close, volume_lamports, sample_count } = row
  const prices = { open, high, low, close }
  const volume_sol = lamportsToSol(volume_lamports)
  const pair_address = pool?.pair_address ?? null
  return { from_ts: from, to_ts: to, ...prices, volume_sol, sample_count, pair_address }
}
