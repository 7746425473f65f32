/** Reads the stored swaps of copy back-tests: of leaders, and of many pools at many moments by one statement. */
import type { SwapRow } from '../../domain/events/stored-row.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

/** A slot of a pool, or the end of one. */
export type PoolSlot = { readonly poolId: number; readonly slot: number }
/** Slots of a pool, both ends included. */
export type PoolSlots = { readonly poolId: number; readonly from: number; readonly to: number }
/** `swaps`: those that the orders are counted in. */
type CountedOrders = { orders: number; swaps: number }
type SlotRow = { slot: number }
type StateRow = { ordinal: number; slot: number }
type FollowingRow = SwapRow & { ordinal: number }

const countOrders = query<CountedOrders>('swap-history/count_copied_orders')
const countSwaps = query<{ swaps: number }>('swap-history/count_copied_swaps')
const listSwaps = query<SwapRow>('swap-history/list_copied_swaps', { isPlannedAnew: true })
const findSince = query<SlotRow>('swap-history/find_slot_since')
const findUntil = query<SlotRow>('swap-history/find_slot_until')
const listSlots = query<SwapRow>('swap-history/list_copied_slots', { isPlannedAnew: true })
const listStates = query<StateRow>('swap-history/list_copied_states', { isPlannedAnew: true })
const listFollowed = query<FollowingRow>('swap-history/list_followed_states', {
  isPlannedAnew: true,
})

/** Orders of wallets in slots, counted in at most so many of their swaps. */
export async function countCopiedOrders(
  db: Queryable,
  {
    wallets,
    from,
    to,
    most,
  }: { wallets: readonly string[]; from: number; to: number; most: number },
): Promise<CountedOrders> {
  const [row] = await countOrders(db, [wallets, from, to, most])
  return row ?? { orders: 0, swaps: 0 }
}

/** Swaps of wallets up to a slot, counted as far as a maximum. */
export async function countCopiedSwaps(
  db: Queryable,
  { wallets, toSlot, most }: { wallets: readonly string[]; toSlot: number; most: number },
): Promise<number> {
  return (await countSwaps(db, [wallets, toSlot, most]))[0]?.swaps ?? 0
}

/** The swaps of wallets up to a slot, unordered. */
export function listCopiedSwaps(
  db: Queryable,
  wallets: readonly string[],
  toSlot: number,
): Promise<SwapRow[]> {
  return listSwaps(db, [wallets, toSlot])
}

/** The first slot of a range with a swap at or after a time, Unix ms. */
export async function findSlotSince(
  db: Queryable,
  { from, to }: { from: number; to: number },
  ms: number,
): Promise<number | undefined> {
  return (await findSince(db, [from, to, ms]))[0]?.slot
}

/** The last slot of a range with a swap at or before a time, Unix ms. */
export async function findSlotUntil(
  db: Queryable,
  { from, to }: { from: number; to: number },
  ms: number,
): Promise<number | undefined> {
  return (await findUntil(db, [from, to, ms]))[0]?.slot
}

/** All swaps of pools in slots, no two alike; unordered. */
export function listCopiedSlots(db: Queryable, slots: readonly PoolSlot[]): Promise<SwapRow[]> {
  return listSlots(db, pairsOf(slots))
}

/** The last slot with a swap of each pool up to each slot; `ordinal`: from 1 on. No row: none. */
export function listCopiedStates(db: Queryable, ends: readonly PoolSlot[]): Promise<StateRow[]> {
  return listStates(db, pairsOf(ends))
}

/** The first swaps of ranges, whole slots: at least `rows` of each if so many exist. `ordinal`: of the range, from 1 on. Unordered. */
export function listFollowedStates(
  db: Queryable,
  ranges: readonly PoolSlots[],
  rows: number,
): Promise<FollowingRow[]> {
  return listFollowed(db, [
    ranges.map(({ poolId }) => poolId),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
    rows,
  ])
}

const pairsOf = (slots: readonly PoolSlot[]) => [
  slots.map(({ poolId }) => poolId),
  slots.map(({ slot }) => slot),
]
