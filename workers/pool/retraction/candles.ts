/** Candles of the minutes that retracted swaps were in: recomputed from the swaps that are left, then merged. */
import type { SwapRow } from '../../../domain/events/stored-row.ts'
import type { Candle } from '../../../domain/market/candle/candle.ts'
import { addFirsts, correctionOf, type FirstChange } from '../../../domain/market/candle/traders.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import { bucketOf, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { MERGED_WIDTHS, TABLE_WIDTHS_MS, type Table } from '../../../domain/time/timeframe.ts'
import type { PoolSlot } from '../../../history/sealing/thaw.ts'
import { listMinuteSwaps } from '../../../history/swaps/pools.ts'
import { int4Array, int8Array } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { query, variants } from '../../../sql/query.ts'
import type { PoolCandles } from '../candle.ts'
import { StoredFold } from '../fold.ts'
import { emptyPool } from '../pool-state.ts'
import { candleWriter } from '../write/sum-write.ts'
import { type TakenRow, takeMinutes } from './traders.ts'

type SlotsRow = { pool_id: number; bucket_ms: number; first_slot: number; last_slot: number }
type Bucket = { poolId: number; bucketMs: number }
type BucketRow = { pool_id: number; bucket_ms: number }
type CountedRow = BucketRow & { trader_count: number | null; wide_trader_count: number | null }
/** Candles of one width that were deleted, and those of them that were made again. */
type Remade = { gone: readonly CountedRow[]; made: readonly BucketRow[] }

const findMinuteSlots = query<SlotsRow>('candles/find_minute_slots')
const deleteMinutes = query<CountedRow>('retraction/delete_minutes')
const deleteDollarMinutes = query('retraction/delete_dollar_minutes')
const DELETE_WIDER = variants<CountedRow, Table>(
  'retraction/delete_wider',
  Object.values(MERGED_WIDTHS),
)
const INSERT_WIDER = variants<BucketRow, Table>(
  'retraction/insert_wider',
  Object.values(MERGED_WIDTHS),
)

/**
 * After the swaps were taken out, before the pools' rows are restored. Returns the last slot of each minute that is left: where
 * pools of one mint now tie in it, their rows decide.
 */
export async function foldMinutesAgain(
  connection: Connection,
  taken: readonly TakenRow[],
): Promise<PoolSlot[]> {
  if (taken.length === 0) return []
  const minutes = bucketsOf(taken, MINUTE_MS)
  const bounds = boundsOf(minutes)
  const spans = await findMinuteSlots(connection, [...columns(minutes), ...bounds])
  const left = spans.length === 0 ? [] : await listMinuteSwaps(connection, spans)
  const changes = await takeMinutes(connection, taken, left)
  const gone = await deleteMinutes(connection, [...columns(minutes), ...bounds])
  await deleteDollarMinutes(connection, columns(minutes))
  await candleWriter(foldedPools(left))(connection)
  const made = left.map((row) => ({
    pool_id: row.pool_id,
    bucket_ms: bucketOf(row.timestamp_ms, MINUTE_MS),
  }))
  const remade: Remade[] = [{ gone, made }]
  for (const name of Object.values(MERGED_WIDTHS)) {
    const widthMs = TABLE_WIDTHS_MS[name]
    const wider = bucketsOf(taken, widthMs)
    const [least, greatest] = boundsOf(wider)
    const gone = await DELETE_WIDER[name](connection, [...columns(wider), least, greatest])
    const made = await INSERT_WIDER[name](connection, [
      ...columns(wider),
      least,
      greatest + widthMs,
    ])
    remade.push({ gone, made })
  }
  const poolIds = [...new Set(taken.map((row) => row.pool_id))]
  const counted = poolIds.map((poolId) => countsOf(poolId, remade, changes.get(poolId) ?? []))
  await candleWriter(counted)(connection)
  return lastSlotsOf(left)
}

/** The last slot of each pool's minutes. */
function lastSlotsOf(rows: readonly SwapRow[]): PoolSlot[] {
  const ends = new Map<string, PoolSlot>()
  for (const { pool_id: poolId, slot, timestamp_ms: timestampMs } of rows) {
    const key = `${poolId} ${bucketOf(timestampMs, MINUTE_MS)}`
    if (slot > (ends.get(key)?.slot ?? -1)) ends.set(key, { poolId, slot })
  }
  return [...ends.values()]
}

/** Corrections that give the candles made again, which count no traders, those of before with what changed. */
function countsOf(
  poolId: number,
  remade: readonly Remade[],
  changes: readonly FirstChange[],
): PoolCandles {
  const [minutes = [], quarters = [], fours = []] = remade.map(({ gone }) =>
    gone.filter((row) => row.pool_id === poolId).map(countedBefore),
  )
  const candles = {
    state: emptyPool(poolId, '', ''),
    minutes,
    quarters,
    fours,
    isLastPriceUnsure: false,
    dollars: [],
  }
  addFirsts(candles, changes)
  const isStored = remade.map(({ gone, made }) => {
    const left = new Set(bucketsIn(gone, poolId)).difference(new Set(bucketsIn(made, poolId)))
    return ({ bucketMs }: Candle) => !left.has(bucketMs)
  })
  return {
    ...candles,
    minutes: candles.minutes.filter(isStored[0]!),
    quarters: candles.quarters.filter(isStored[1]!),
    fours: candles.fours.filter(isStored[2]!),
  }
}

const bucketsIn = (rows: readonly BucketRow[], poolId: number): number[] =>
  rows.flatMap((row) => (row.pool_id === poolId ? [row.bucket_ms] : []))

function countedBefore(row: CountedRow): Candle {
  const correction = correctionOf(row.pool_id, row.bucket_ms)
  return { ...correction, traderCount: row.trader_count, wideTraderCount: row.wide_trader_count }
}

function bucketsOf(taken: readonly SwapRow[], widthMs: number): Bucket[] {
  const buckets = new Map<string, Bucket>()
  for (const { pool_id: poolId, timestamp_ms } of taken) {
    const bucketMs = bucketOf(timestamp_ms, widthMs)
    buckets.set(`${poolId} ${bucketMs}`, { poolId, bucketMs })
  }
  return [...buckets.values()]
}

/** Minutes of each pool; wider candles are merged from them by the database. */
function foldedPools(left: readonly SwapRow[]): PoolCandles[] {
  return [...Map.groupBy(left, (row) => row.pool_id)].map(([poolId, rows]) => {
    const { pair_address, token_address } = rows[0]!
    const fold = new StoredFold(poolId, pair_address, token_address)
    fold.add(rows)
    return fold.minuteCandles()
  })
}

const columns = (buckets: readonly Bucket[]): Buffer[] => [
  int4Array(buckets.map(({ poolId }) => poolId)),
  int8Array(buckets.map(({ bucketMs }) => bucketMs)),
]

function boundsOf(buckets: readonly Bucket[]): [number, number] {
  const times = buckets.map(({ bucketMs }) => bucketMs)
  return [leastOf(times), greatestOf(times)]
}
