/**
 * Rows of the pools of some tokens as of a slot: of the pools themselves and of their candles, where a swap after the slot changed
 * them. All other rows are stored as they were.
 */
import { exactOf, type Int64 } from '../../../domain/amount.ts'
import type { SwapRow } from '../../../domain/events/stored-row.ts'
import { mergeCandles } from '../../../domain/market/candle/candle.ts'
import {
  bucketOf,
  DAY_MS,
  FOUR_HOURS_MS,
  MINUTE_MS,
  QUARTER_MS,
} from '../../../domain/time/time-bucket.ts'
import { listPastEnds, type PastEnd, pastPriceOf } from '../../../history/swaps/past.ts'
import { listMinuteSwaps } from '../../../history/swaps/pools.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import {
  byPool,
  minutesOf,
  type PastCandle,
  type PastCandles,
  type TraderRow,
  withTraders,
} from './candles.ts'
import { tradesOf } from './prices.ts'

/** A pool that a swap after the slot changed. `price`: SOL per whole token, null without one. */
type PastPool = PastEnd & {
  swap_count: number
  newest_ms: number
  price: number | null
}
/** `stillMs`: the minute before which no swap is after the slot in any of the pools. Buckets that end later are listed. */
export type PastRows = PastCandles & {
  readonly stillMs: number
  readonly pools: readonly PastPool[]
}
/** Whether traders of candles are counted; where not, they are 0. */
type Wanted = { readonly hasTraders: boolean }
type PoolRow = {
  pool_id: number
  first_slot: number
  changed_ms: number
  newest_bucket_ms: number
  newest_first_slot: number
  newest_trade_count: number
}
type MinuteRow = Pick<PastCandle, 'open' | 'high' | 'low' | 'close'> & {
  pool_id: number
  bucket_ms: number
  first_slot: number
  last_slot: number
  volume_lamports: string
  volume_units: string | null
  trade_count: number
  buy_count: number | null
}
type EarlierRow = { pool_id: number; trade_count: Int64 }

const NONE: PastRows = {
  ...{ stillMs: Number.MAX_SAFE_INTEGER, pools: [] },
  ...{ minutes: [], quarters: [], fours: [] },
}

const listPools = query<PoolRow>('as-of/list_past_pools')
const listMinutes = query<MinuteRow>('as-of/list_past_minutes')
const countEarlier = query<EarlierRow>('as-of/count_earlier_trades')
const listTraders = query<TraderRow>('as-of/list_traders')

/** Throws ApiError where too many swaps are in the minutes that the slot cuts. */
export async function readPastRows(
  past: AsOfReading,
  tokenIds: readonly number[],
  { hasTraders }: Wanted,
): Promise<PastRows> {
  const { db, slot } = past
  const latestMs = await past.latestMs()
  const earliestMs = latestMs === null ? null : await past.earliestLaterMs()
  if (latestMs === null || earliestMs === null || tokenIds.length === 0) return NONE
  const endMs = bucketOf(latestMs, MINUTE_MS)
  const fromMs = bucketOf(earliestMs, MINUTE_MS)
  const found = await listPools(db, [int4Array(tokenIds), slot, fromMs, endMs])
  if (found.length === 0) return NONE
  const stillMs = Math.min(...found.map(({ changed_ms }) => changed_ms))
  const ids = int4Array(found.map(({ pool_id }) => pool_id))
  const foursMs = bucketOf(stillMs, FOUR_HOURS_MS)
  const [listed, ends, earlier] = await Promise.all([
    listMinutes(db, [ids, slot, foursMs, endMs]),
    listPastEnds(db, found, slot),
    countEarlier(db, [ids, foursMs]),
  ])
  const stored = listed.map(candleOf)
  const cut = stored.filter(({ bucketMs }) => bucketMs >= stillMs)
  const read = [...cut.map(boundsOf), ...newestBefore(found, stillMs)]
  expectFoldable(past, tradesOf(read))
  const upTo = read.map((minute) => ({ ...minute, last_slot: slot }))
  const swaps = upTo.length === 0 ? [] : await listMinuteSwaps(db, upTo)
  const minutes = minutesOf(swaps.filter(({ timestamp_ms }) => timestamp_ms >= stillMs))
  const all = [...stored.filter(({ bucketMs }) => bucketMs < stillMs), ...minutes].sort(byPool)
  const quarterMs = bucketOf(stillMs, QUARTER_MS)
  const candles = {
    minutes,
    quarters: mergeCandles(
      all.filter(({ bucketMs }) => bucketMs >= quarterMs),
      QUARTER_MS,
      0,
    ),
    fours: mergeCandles(all, FOUR_HOURS_MS, 0),
  }
  const pools = poolsOf({ ends, earlier, fours: candles.fours, swaps })
  if (!hasTraders) return { stillMs, pools, ...candles }

  const days = [Math.floor(foursMs / DAY_MS), Math.floor(endMs / DAY_MS)]
  const traders = await listTraders(db, [ids, ...days])
  return { stillMs, pools, ...withTraders(candles, traders, swaps, stillMs) }
}

const candleOf = (row: MinuteRow): PastCandle => ({
  ...{ poolId: row.pool_id, bucketMs: row.bucket_ms },
  ...{ open: row.open, high: row.high, low: row.low, close: row.close },
  ...{ firstSlot: row.first_slot, lastSlot: row.last_slot },
  volumeLamports: exactOf(row.volume_lamports),
  volumeUnits: row.volume_units === null ? null : exactOf(row.volume_units),
  ...{ tradeCount: row.trade_count, buyCount: row.buy_count },
  ...{ traderCount: 0, wideTraderCount: 0 },
  isUnsure: false,
})

type Bounds = Pick<MinuteRow, 'pool_id' | 'bucket_ms' | 'first_slot' | 'trade_count'>

const boundsOf = ({ poolId, bucketMs, firstSlot, tradeCount }: PastCandle): Bounds => ({
  ...{ pool_id: poolId, bucket_ms: bucketMs, first_slot: firstSlot, trade_count: tradeCount },
})

/** The newest minutes of pools that have none from a time on: these have the times of their newest swaps. */
function newestBefore(pools: readonly PoolRow[], stillMs: number): Bounds[] {
  return pools
    .filter(({ newest_bucket_ms }) => newest_bucket_ms < stillMs)
    .map((pool) => ({
      pool_id: pool.pool_id,
      bucket_ms: pool.newest_bucket_ms,
      first_slot: pool.newest_first_slot,
      trade_count: pool.newest_trade_count,
    }))
}

function poolsOf({
  ends,
  earlier,
  fours,
  swaps,
}: {
  ends: readonly PastEnd[]
  earlier: readonly EarlierRow[]
  fours: readonly PastCandle[]
  swaps: readonly SwapRow[]
}): PastPool[] {
  const counts = new Map<number, number>()
  for (const { pool_id, trade_count } of earlier) counts.set(pool_id, Number(trade_count))
  for (const { poolId, tradeCount } of fours) {
    counts.set(poolId, (counts.get(poolId) ?? 0) + tradeCount)
  }
  const newest = new Map<number, number>()
  for (const { pool_id, timestamp_ms } of swaps) {
    newest.set(pool_id, Math.max(newest.get(pool_id) ?? 0, timestamp_ms))
  }
  return ends.map((end) => ({
    ...end,
    swap_count: counts.get(end.pool_id) ?? 0,
    newest_ms: newest.get(end.pool_id) ?? 0,
    price: pastPriceOf(end),
  }))
}
