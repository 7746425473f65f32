/**
 * Candles in the pool actor's commit: a batch's candles as parameters of pool/merge_sums; after it, where swaps came
 * late, opens, closes and last prices are read again from the stored swaps.
 */

import { executedPrice } from '../../../domain/amount.ts'
import type { Candle } from '../../../domain/market/candle/candle.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import { MERGED_WIDTHS } from '../../../domain/time/timeframe.ts'
import { findLastPrices, findMinuteEnds } from '../../../history/swaps/pools.ts'
import { float8Array, int4Array, int8Array, plainArray } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { query, variants } from '../../../sql/query.ts'
import type { PoolCandles } from '../candle.ts'
import type { LastPrice, PoolState } from '../pool-state.ts'

type SlotsRow = { pool_id: number; bucket_ms: number; first_slot: number; last_slot: number }
const findMinuteSlots = query<SlotsRow>('candles/find_minute_slots')
const updateMinuteEnds = query('candles/update_minute_ends')
const UPDATE_ENDS = variants('candles/update_ends', Object.values(MERGED_WIDTHS))
const makePlansHere = query('plans/make_plans_here')
const updateLastPrices = query('candles/update_last_prices')

/** Minutes, quarters of an hour, four hours. */
export function candleColumns(pools: readonly PoolCandles[]): unknown[] {
  const minutes = pools.flatMap((pool) => pool.minutes)
  const quarters = pools.flatMap((pool) => pool.quarters)
  const fours = pools.flatMap((pool) => pool.fours)
  return [
    ...columns(minutes),
    int8Array(minutes.map((candle) => candle.firstSlot)),
    int8Array(minutes.map((candle) => candle.lastSlot)),
    ...sums(minutes),
    ...columns(quarters),
    ...sums(quarters),
    ...columns(fours),
    ...sums(fours),
  ]
}

function columns(candles: readonly Candle[]): Buffer[] {
  return [
    int4Array(candles.map((candle) => candle.poolId)),
    int4Array(candles.map((candle) => candle.tradeCount)),
    int8Array(candles.map((candle) => candle.bucketMs)),
    float8Array(candles.map((candle) => candle.open)),
    float8Array(candles.map((candle) => candle.high)),
    float8Array(candles.map((candle) => candle.low)),
    float8Array(candles.map((candle) => candle.close)),
  ]
}

const sums = (candles: readonly Candle[]): unknown[] => [
  plainArray(candles.map(({ volumeLamports }) => volumeLamports)),
  plainArray(candles.map(({ volumeUnits }) => volumeUnits)),
  int4Array(candles.map(({ buyCount }) => buyCount)),
  plainArray(candles.map(({ traderCount }) => traderCount)),
  plainArray(candles.map(({ wideTraderCount }) => wideTraderCount)),
]

/** Priced trades of dollar mints. */
export function dollarColumns(pools: readonly PoolCandles[]): string[] {
  const rows = pools.flatMap(({ dollars }) => dollars)
  return [
    plainArray(rows.map((row) => row.bucketMs)),
    plainArray(rows.map((row) => row.poolId)),
    plainArray(rows.map((row) => row.decimals)),
    plainArray(rows.map((row) => row.lamports)),
    plainArray(rows.map((row) => row.units)),
  ]
}

/** Reads again the opens and closes that late swaps made unsure; sets the last price of their pools' states. */
export async function settleCandles(
  connection: Connection,
  pools: readonly PoolCandles[],
): Promise<void> {
  const unsure = (candles: readonly Candle[]) => candles.filter(({ isUnsure }) => isUnsure)
  const minutes = unsure(pools.flatMap((pool) => pool.minutes))
  const quarters = unsure(pools.flatMap((pool) => pool.quarters))
  const fours = unsure(pools.flatMap((pool) => pool.fours))
  if (minutes.length + quarters.length + fours.length > 0) await makePlansHere(connection)
  await settleMinutes(connection, minutes)
  await settleWider(connection, MERGED_WIDTHS.quarters, quarters)
  await settleWider(connection, MERGED_WIDTHS.fours, fours)
  const late = pools.filter(({ isLastPriceUnsure }) => isLastPriceUnsure)
  await settleLastPrices(
    connection,
    late.map(({ state }) => state),
  )
}

async function settleMinutes(connection: Connection, minutes: readonly Candle[]): Promise<void> {
  if (minutes.length === 0) return
  const { least, greatest } = boundsOf(minutes)
  const found = await findMinuteSlots(connection, [...bucketColumns(minutes), least, greatest])
  const rows = await findMinuteEnds(connection, found)
  await updateMinuteEnds(connection, [
    rows.map((row) => row.pool_id),
    rows.map((row) => row.bucket_ms),
    rows.map((row) => executedPrice(row.open_sol, row.open_token, row.open_decimals)),
    rows.map((row) => executedPrice(row.close_sol, row.close_token, row.close_decimals)),
    least,
    greatest,
  ])
}

async function settleWider(
  connection: Connection,
  width: keyof typeof UPDATE_ENDS,
  candles: readonly Candle[],
): Promise<void> {
  if (candles.length === 0) return
  const { least, greatest } = boundsOf(candles)
  await UPDATE_ENDS[width](connection, [...bucketColumns(candles), least, greatest])
}

const bucketColumns = (candles: readonly Candle[]): Buffer[] => [
  int4Array(candles.map((candle) => candle.poolId)),
  int8Array(candles.map((candle) => candle.bucketMs)),
]

function boundsOf(candles: readonly Candle[]): { least: number; greatest: number } {
  const buckets = candles.map((candle) => candle.bucketMs)
  return { least: leastOf(buckets), greatest: greatestOf(buckets) }
}

async function settleLastPrices(
  connection: Connection,
  states: readonly PoolState[],
): Promise<void> {
  if (states.length === 0) return
  const found = await readLastPrices(
    connection,
    states.map((state) => state.poolId),
  )
  for (const state of states) state.lastPrice = found.get(state.poolId) ?? state.lastPrice
  const prices = [...found.values()]
  await updateLastPrices(connection, [
    [...found.keys()],
    prices.map(({ price }) => price),
    prices.map(({ timestamp }) => timestamp),
  ])
}

/** The canonically last priced swap of pools, by id; none for a pool without one. */
export async function readLastPrices(
  connection: Connection,
  poolIds: readonly number[],
): Promise<Map<number, LastPrice>> {
  const rows = await findLastPrices(connection, poolIds)
  return new Map(
    rows.map((row) => {
      const price = executedPrice(row.sol_amount, row.token_amount, row.quote_decimals)
      return [row.pool_id, { price, timestamp: row.timestamp_ms }]
    }),
  )
}
