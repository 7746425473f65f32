/** Reads the stored swaps of pools: pages, neighbours, and both ends of minutes. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { ofPoolSlots, ofPools, type PoolSlots } from '../sealed/find/pools.ts'
import { expectPoolsStored, lastDropped, storedLow } from '../sealed/find/stored.ts'
import { matchingSwaps, pagesOf, readBoth, SLOT_MAX, sealedRuns } from '../sealed/pages.ts'
import { type Sealed, withSealed, withSealedFrom, withSealedOnce } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import { distinctSwaps, type StoredSwap } from '../sealed/stored-swap.ts'
import { isPriced, PRICED } from './priced.ts'

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
  slot: number
  timestamp_ms: number
  sol_amount: Int64
  token_amount: Int64
  quote_decimals: number
}
type EndsRow = { pool_id: number; first_slot: number | null; newest_ms: number | null }
/** First and last slot. */
type SlotRange = { readonly low: number; readonly high: number }

/** Slots of a minute of a pool. */
export type PoolRunRow = { pool_id: number; first_slot: number; last_slot: number }

/** Swaps that are searched at a time for one that sets a price. */
const PRICED_PAGE = 500
/** Sealed swaps of a pool that one statement folds. */
const TRADERS_PAGE = 50_000

const listPage = swapStatement<SwapRow>('swap-history/list_swaps_of_pool')
const listAround = swapStatement<NeighbourRow>('swap-history/list_neighbours')
const findEndsOfMinutes = swapStatement<MinuteEnds>('swap-history/find_minute_ends')
const findPrices = swapStatement<LastPriceRow>('swap-history/find_last_prices')
const insertTraders = swapStatement('swap-history/insert_pool_traders')
const findEnds = swapStatement<EndsRow>('swap-history/find_ends')
const listNewest = swapStatement<SwapRow>('swap-history/list_last_swaps')
const listOfMinutes = swapStatement<SwapRow>('swap-history/list_minute_swaps')
const findSlot = query<{ slot: number }>('swap-history/find_pool_slot')
const listFollowing = swapStatement<SwapRow>('swap-history/list_following_swaps')
const listFirstSlots = query<{ pool_id: number; first_slot: number }>(
  'sealed-history/list_first_slots',
)
const listNewestMinutes = query<PoolRunRow>('sealed-history/list_newest_minutes')

/** About `rows` swaps of a pool from a slot on, whole slots, by slot; fewer only at the end. */
export function listPoolSwaps(
  db: Queryable,
  poolId: number,
  fromSlot: number,
  rows: number,
): Promise<SwapRow[]> {
  const slots = { low: fromSlot, high: SLOT_MAX }
  return readBoth(db, fromSlot, listPage, [poolId, fromSlot, rows], (sealed) =>
    ofPools(db, sealed, [poolId], slots, { order: 'asc', rows }),
  )
}

/** The swaps around positions: all at the position, and the next ones below and above it, with all that tie. */
export function listNeighbours(
  db: Queryable,
  positions: readonly PoolPosition[],
): Promise<NeighbourRow[]> {
  return withSealed(db, async (sealed) => {
    const parameters = [
      positions.map(({ poolId }) => poolId),
      positions.map(({ slot }) => slot),
      positions.map(({ blockTxIndex }) => blockTxIndex),
      positions.map(({ ixIndex }) => ixIndex),
    ]
    const hot = await listAround(db, parameters, [])
    const open = positions.filter((position) => mayHaveSealed(sealed, position, hot))
    if (open.length === 0) return hot
    const found = await sealedAround(db, sealed, open)
    return found.length === 0 ? hot : listAround(db, parameters, found)
  })
}

/** Whether a sealed swap may be nearer to a position than those of the table. */
function mayHaveSealed(
  { lastSlot }: Sealed,
  position: PoolPosition,
  hot: readonly NeighbourRow[],
): boolean {
  if (lastSlot < 0) return false
  if (position.slot <= lastSlot) return true
  return !hot.some(
    (row) => row.pool_id === position.poolId && row.slot > lastSlot && isBelow(row, position),
  )
}

function isBelow(row: NeighbourRow, { slot, blockTxIndex, ixIndex }: PoolPosition): boolean {
  if (row.slot !== slot) return row.slot < slot
  if (row.block_tx_index !== blockTxIndex) return row.block_tx_index < blockTxIndex
  return row.ix_index < ixIndex
}

/** All of the slots of positions, and of the nearest slots on both sides. Of dropped swaps only the last ones can be near. */
async function sealedAround(
  db: Queryable,
  sealed: Sealed,
  positions: readonly PoolPosition[],
): Promise<StoredSwap[]> {
  const lows = positions.map(({ poolId, slot }) => ({ poolId, low: slot }))
  await expectPoolsStored(db, sealed, lows)
  const ids = [...new Set(positions.map(({ poolId }) => poolId))]
  const firsts = new Map(
    (await listFirstSlots(db, [ids])).map((row) => [row.pool_id, row.first_slot]),
  )
  const own = positions.filter(({ poolId }) => (firsts.get(poolId) ?? SLOT_MAX) <= sealed.lastSlot)
  const runs = (slotsOf: (position: PoolPosition) => PoolSlots['slots']) =>
    own.map((position) => ({ poolId: position.poolId, slots: slotsOf(position) }))
  const same = sealedRuns(
    sealed,
    runs(({ slot }) => ({ low: slot, high: slot })),
  )
  const below = runs(({ poolId, slot }) => ({
    low: storedLow(sealed, firsts.get(poolId)!),
    high: slot - 1,
  }))
  const above = runs(({ slot }) => ({ low: slot + 1, high: SLOT_MAX }))
  return distinctSwaps([
    ...(await lastDropped(db, sealed, ids)),
    ...(await ofPoolSlots(db, sealed, same, { order: 'asc' })),
    ...(await ofPoolSlots(db, sealed, below, { order: 'desc', rows: 1 })),
    ...(await ofPoolSlots(db, sealed, above, { order: 'asc', rows: 1 })),
  ])
}

/** The canonically first and last priced swap of minutes; no row for a minute without one. */
export function findMinuteEnds(
  db: Queryable,
  minutes: readonly MinuteSlots[],
): Promise<MinuteEnds[]> {
  const { columns, bounds } = minuteColumns(minutes)
  return readBoth(db, bounds[0]!, findEndsOfMinutes, [...columns, ...PRICED, ...bounds], (sealed) =>
    ofMinutes(db, sealed, minutes),
  )
}

/** The swaps of minutes, unordered. At least one minute. */
export function listMinuteSwaps(
  db: Queryable,
  minutes: readonly MinuteSlots[],
): Promise<SwapRow[]> {
  const { columns, bounds } = minuteColumns(minutes)
  return readBoth(db, bounds[0]!, listOfMinutes, [...columns, ...bounds], (sealed) =>
    ofMinutes(db, sealed, minutes),
  )
}

/** Sealed swaps of the slots of minutes. */
export function ofMinutes(
  db: Queryable,
  sealed: Sealed,
  minutes: readonly PoolRunRow[],
): Promise<StoredSwap[]> {
  const runs = minutes.map(({ pool_id, first_slot, last_slot }) => ({
    poolId: pool_id,
    slots: { low: first_slot, high: last_slot },
  }))
  return ofPoolSlots(db, sealed, sealedRuns(sealed, runs), { order: 'asc' })
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
  const parameters = [int4Array(poolIds), ...PRICED]
  return withSealed(db, async (sealed) => {
    const hot = await findPrices(db, parameters, [])
    const open = openPools(sealed, poolIds, hot)
    const found = await lastDropped(db, sealed, open)
    for (const { pool_id, first_slot } of await sealedPools(db, sealed, open)) {
      const find = (slots: PoolSlots['slots'], rows: number) =>
        ofPools(db, sealed, [pool_id], slots, { order: 'desc', rows })
      const slots = { low: storedLow(sealed, first_slot), high: sealed.lastSlot }
      const wanted = { rows: 1, isWanted: isPriced, pageRows: PRICED_PAGE }
      found.push(...(await matchingSwaps(find, slots, 'desc', wanted)))
    }
    return found.length === 0 ? hot : findPrices(db, parameters, found)
  })
}

/** Pools of which a sealed swap may be newer than the newest of the table. */
function openPools(
  { lastSlot }: Sealed,
  poolIds: readonly number[],
  hot: readonly { readonly pool_id: number; readonly slot: number }[],
): number[] {
  if (lastSlot < 0) return []
  const newer = new Set(hot.filter(({ slot }) => slot > lastSlot).map(({ pool_id }) => pool_id))
  return [...new Set(poolIds)].filter((poolId) => !newer.has(poolId))
}

/** Pools of `poolIds` that have swaps in slots that are sealed. */
async function sealedPools(
  db: Queryable,
  { lastSlot }: Sealed,
  poolIds: readonly number[],
): Promise<{ pool_id: number; first_slot: number }[]> {
  if (poolIds.length === 0) return []
  const rows = await listFirstSlots(db, [poolIds])
  return rows.filter(({ first_slot }) => first_slot <= lastSlot)
}

/** Writes the first minutes of all wallets in a pool. */
export function insertPoolTraders(db: Queryable, poolId: number): Promise<void> {
  return withSealedOnce(db, async (sealed) => {
    const find = (slots: PoolSlots['slots'], rows: number) =>
      ofPools(db, sealed, [poolId], slots, { order: 'asc', rows })
    const all = { low: 0, high: SLOT_MAX }
    for await (const { slots, swaps } of pagesOf(find, all, 'asc', TRADERS_PAGE)) {
      await insertTraders(db, [poolId, slots.low, slots.high], swaps)
    }
  })
}

/** The first slot and the greatest time of the swaps of pools; null without a swap. */
export function findPoolEnds(db: Queryable, poolIds: readonly number[]): Promise<EndsRow[]> {
  return withSealed(db, async (sealed) => {
    const first = { order: 'asc', rows: 1 } as const
    const low = storedLow(sealed, 0)
    const newest = (await listNewestMinutes(db, [poolIds])).filter((row) => row.last_slot >= low)
    const minutes = newest.map((row) => ({ ...row, first_slot: Math.max(row.first_slot, low) }))
    const found = distinctSwaps([
      ...(await lastDropped(db, sealed, poolIds)),
      ...(await ofPools(db, sealed, poolIds, { low, high: SLOT_MAX }, first)),
      ...(await ofMinutes(db, sealed, minutes)),
    ])
    const rows = await findEnds(db, [poolIds], found)
    // A first swap that was dropped can no longer be retracted: the row of its pool has its slot.
    const firsts = low === 0 ? [] : await listFirstSlots(db, [poolIds])
    const dropped = new Map(
      firsts
        .filter(({ first_slot: slot }) => slot < low)
        .map((row) => [row.pool_id, row.first_slot]),
    )
    return rows.map((row) => ({ ...row, first_slot: dropped.get(row.pool_id) ?? row.first_slot }))
  })
}

/** The swaps of the newest slot of pools, unordered. */
export function listLastSwaps(db: Queryable, poolIds: readonly number[]): Promise<SwapRow[]> {
  return withSealed(db, async (sealed) => {
    const hot = await listNewest(db, [poolIds], [])
    const open = await sealedPools(db, sealed, openPools(sealed, poolIds, hot))
    if (open.length === 0) return hot
    const runs = open.map(({ pool_id, first_slot }) => ({
      poolId: pool_id,
      slots: { low: storedLow(sealed, first_slot), high: sealed.lastSlot },
    }))
    const ids = open.map(({ pool_id }) => pool_id)
    const found = distinctSwaps([
      ...(await lastDropped(db, sealed, ids)),
      ...(await ofPoolSlots(db, sealed, runs, { order: 'desc', rows: 1 })),
    ])
    return found.length === 0 ? hot : listNewest(db, [poolIds], found)
  })
}

/** The last slot of a range in which a pool has a swap. */
export function findLastSlot(
  db: Queryable,
  poolId: number,
  { low, high }: SlotRange,
): Promise<number | undefined> {
  const find = async () => (await findSlot(db, [poolId, low, high]))[0]?.slot
  return withSealedFrom(db, low, find, async (sealed) => {
    const slot = await find()
    if (slot !== undefined && slot > sealed.lastSlot) return slot
    // The last dropped slot is known.
    await expectPoolsStored(db, sealed, [{ poolId, low: high + 1 }])
    const dropped = await lastDropped(db, sealed, [poolId])
    const slots = { low: storedLow(sealed, low), high: Math.min(high, sealed.lastSlot) }
    const found = [
      ...dropped.filter((swap) => swap.slot >= low && swap.slot <= high),
      ...(await ofPools(db, sealed, [poolId], slots, { order: 'desc', rows: 1 })),
    ]
    if (found.length === 0) return slot
    return Math.max(slot ?? 0, greatestOf(found.map((swap) => swap.slot)))
  })
}

/** About `rows` first swaps of a pool in a range of slots, whole slots, by slot. */
export function listFollowingSwaps(
  db: Queryable,
  poolId: number,
  { low, high }: SlotRange,
  rows: number,
): Promise<SwapRow[]> {
  return readBoth(db, low, listFollowing, [poolId, low, high, rows], async (sealed) => {
    // All swaps of the last dropped slot are known.
    await expectPoolsStored(db, sealed, [{ poolId, low: low + 1 }])
    const slots = { low: storedLow(sealed, low), high }
    return [
      ...(await lastDropped(db, sealed, [poolId])),
      ...(await ofPools(db, sealed, [poolId], slots, { order: 'asc', rows })),
    ]
  })
}
