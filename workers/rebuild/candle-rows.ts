/** Candles and dollar minutes of rebuilt pools, whose stored rows are deleted, by binary COPY. */
import type { Candle } from '../../domain/market/candle/candle.ts'
import { STORED_WIDTHS } from '../../domain/time/timeframe.ts'
import { CopyBuffer, copyIn } from '../../sql/binary/copy-writer.ts'
import type { Connection } from '../../sql/db.ts'
import type { DollarMinute, PoolCandles } from '../pool/candle.ts'

/** Named, because a later version may add columns next to this one. */
const NAMES = `
  pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports, volume_units, buy_count,
  trader_count, wide_trader_count
`
/** The least width has the slots of its swaps as well. */
const SLOT_NAMES = ', first_slot, last_slot'
const COPY_DOLLARS = `copy dollar_minute (
  bucket_ms, pool_id, decimals, volume_lamports, volume_units
) from stdin (format binary)`

const COLUMNS = 12
const SLOT_COLUMNS = 2
const DOLLAR_COLUMNS = 5
/** Upper estimates of the sizes of rows. */
const CANDLE_BYTES = 256
const DOLLAR_BYTES = 128

/** Sums are counted: the traders of candles, too. */
export async function copyCandles(
  connection: Connection,
  pools: readonly PoolCandles[],
): Promise<void> {
  const byWidth = [
    pools.flatMap(({ minutes }) => minutes),
    pools.flatMap(({ quarters }) => quarters),
    pools.flatMap(({ fours }) => fours),
  ]
  for (const [index, table] of STORED_WIDTHS.entries()) {
    const candles = byWidth[index]!
    if (candles.length === 0) continue
    const hasSlots = index === 0
    const names = `${NAMES}${hasSlots ? SLOT_NAMES : ''}`
    const statement = `copy candle_${table} (${names}) from stdin (format binary)`
    await copyIn(connection, statement, encodeCandles(candles, hasSlots))
  }
  const dollars = pools.flatMap((pool) => pool.dollars)
  if (dollars.length > 0) await copyIn(connection, COPY_DOLLARS, encodeDollars(dollars))
}

function encodeCandles(candles: readonly Candle[], hasSlots: boolean): Buffer {
  const rows = new CopyBuffer(candles.length * CANDLE_BYTES)
  for (const candle of candles) {
    rows.row(hasSlots ? COLUMNS + SLOT_COLUMNS : COLUMNS, CANDLE_BYTES)
    rows.int4(candle.poolId)
    rows.int4(candle.tradeCount)
    rows.int8(candle.bucketMs)
    for (const price of [candle.open, candle.high, candle.low, candle.close]) {
      if (price === null) rows.null()
      else rows.float8(price)
    }
    rows.numeric(BigInt(candle.volumeLamports))
    rows.numeric(BigInt(candle.volumeUnits))
    rows.int4(candle.buyCount)
    for (const count of [candle.traderCount, candle.wideTraderCount]) {
      if (count === null) rows.null()
      else rows.int4(count)
    }
    if (!hasSlots) continue
    rows.int8(candle.firstSlot)
    rows.int8(candle.lastSlot)
  }
  return rows.finish()
}

function encodeDollars(minutes: readonly DollarMinute[]): Buffer {
  const rows = new CopyBuffer(minutes.length * DOLLAR_BYTES)
  for (const { bucketMs, poolId, decimals, lamports, units } of minutes) {
    rows.row(DOLLAR_COLUMNS, DOLLAR_BYTES)
    rows.int8(bucketMs)
    rows.int4(poolId)
    rows.int2(decimals)
    rows.numeric(BigInt(lamports))
    rows.numeric(BigInt(units))
  }
  return rows.finish()
}
