/** Reads the stored swaps of pools: pages, neighbours, and both ends of minutes. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { PRICED } from './priced.ts'

/** A position in a pool. */
type PoolPosition = {
  readonly poolId: number
  readonly slot: number
  readonly blockTxIndex: number
  readonly ixIndex: number
}
type NeighbourRow = SwapRow & { side: 'below' | 'same' | 'above' }
/** A minute of a pool, and the first and last slot of its swaps. */
type MinuteSlots = { pool_id: number; bucket_ms: number; first_slot: number; last_slot: number }
type Legs<Name extends string> = Record<`${Name}_sol` | `${Name}_token`, Int64> &
  Record<`${Name}_decimals`, number>
type MinuteEnds = { pool_id: number; bucket_ms: number } & Legs<'open'> & Legs<'close'>
type LastPriceRow = {
  pool_id: number
  timestamp_ms: number
  sol_amount: Int64
  token_amount: Int64
  quote_decimals: number
}
type EndsRow = { pool_id: number; first_slot: number | null; newest_ms: number | null }
/** First and last slot. */
type SlotRange = { readonly low: number; readonly high: number }

const listPage = query<SwapRow>('swap-history/list_swaps_of_pool')
const listAround = query<NeighbourRow>('swap-history/list_neighbours')
const findEndsOfMinutes = query<MinuteEnds>('swap-history/find_minute_ends')
const findPrices = query<LastPriceRow>('swap-history/find_last_prices')
const insertTraders = query('swap-history/insert_pool_traders')
const findEnds = query<EndsRow>('swap-history/find_ends')
const listNewest = query<SwapRow>('swap-history/list_last_swaps')
const listOfMinutes = query<SwapRow>('swap-history/list_minute_swaps')
const findSlot = query<{ slot: number }>('swap-history/find_pool_slot')
const listFollowing = query<SwapRow>('swap-history/list_following_swaps')

/** About `rows` swaps of a pool from a slot on, whole slots, by slot; fewer only at the end. */
export function listPoolSwaps(
  db: Queryable,
  poolId: number,
  fromSlot: number,
  rows: number,
): Promise<SwapRow[]> {
  return listPage(db, [poolId, fromSlot, rows])
}

/** The swaps around positions: all at the position, and the next ones below and above it, with all that tie. */
export function listNeighbours(
  db: Queryable,
  positions: readonly PoolPosition[],
): Promise<NeighbourRow[]> {
  return listAround(db, [
    positions.map(({ poolId }) => poolId),
    positions.map(({ slot }) => slot),
    positions.map(({ blockTxIndex }) => blockTxIndex),
    positions.map(({ ixIndex }) => ixIndex),
  ])
}

/** The canonically first and last priced swap of minutes; no row for a minute without one. */
export function findMinuteEnds(
  db: Queryable,
  minutes: readonly MinuteSlots[],
): Promise<MinuteEnds[]> {
  const { columns, bounds } = minuteColumns(minutes)
  return findEndsOfMinutes(db, [...columns, ...PRICED, ...bounds])
}

/** The swaps of minutes, unordered. At least one minute. */
export function listMinuteSwaps(
  db: Queryable,
  minutes: readonly MinuteSlots[],
): Promise<SwapRow[]> {
  const { columns, bounds } = minuteColumns(minutes)
  return listOfMinutes(db, [...columns, ...bounds])
}

function minuteColumns(minutes: readonly MinuteSlots[]): { columns: Buffer[]; bounds: number[] } {
  const firsts = minutes.map((row) => row.first_slot)
  const lasts = minutes.map((row) => row.last_slot)
  return {
    columns: [
      int4Array(minutes.map((row) => row.pool_id)),
      int8Array(minutes.map((row) => row.bucket_ms)),
      int8Array(firsts),
      int8Array(lasts),
    ],
    bounds: [leastOf(firsts), greatestOf(lasts)],
  }
}

/** The canonically last priced swap of pools; no row for a pool without one. */
export function findLastPrices(db: Queryable, poolIds: readonly number[]): Promise<LastPriceRow[]> {
  return findPrices(db, [int4Array(poolIds), ...PRICED])
}

/** Writes the first minutes of all wallets in a pool. */
export async function insertPoolTraders(db: Queryable, poolId: number): Promise<void> {
  await insertTraders(db, [poolId])
}

/** The first slot and the greatest time of the swaps of pools; null without a swap. */
export function findPoolEnds(db: Queryable, poolIds: readonly number[]): Promise<EndsRow[]> {
  return findEnds(db, [poolIds])
}

/** The swaps of the newest slot of pools, unordered. */
export function listLastSwaps(db: Queryable, poolIds: readonly number[]): Promise<SwapRow[]> {
  return listNewest(db, [poolIds])
}

/** The last slot of a range in which a pool has a swap. */
export async function findLastSlot(
  db: Queryable,
  poolId: number,
  { low, high }: SlotRange,
): Promise<number | undefined> {
  return (await findSlot(db, [poolId, low, high]))[0]?.slot
}

/** About `rows` first swaps of a pool in a range of slots, whole slots, by slot. */
export function listFollowingSwaps(
  db: Queryable,
  poolId: number,
  { low, high }: SlotRange,
  rows: number,
): Promise<SwapRow[]> {
  return listFollowing(db, [poolId, low, high, rows])
}
