/** Reads the stored swaps of copy back-tests: of leaders, and of many pools at many moments by one statement. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { leastOf } from '../../domain/numbers/extremes.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { searchPage } from '../sealed/find/pages.ts'
import { ofPoolSlots } from '../sealed/find/pools.ts'
import { ofSlots } from '../sealed/find/slots.ts'
import { ofWallets } from '../sealed/find/wallets.ts'
import { type Sealed, withSealed, withSealedFrom } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'

/** A slot of a pool, or the end of one. */
export type PoolSlot = { readonly poolId: number; readonly slot: number }
/** Slots of a pool, both ends included. */
export type PoolSlots = { readonly poolId: number; readonly from: number; readonly to: number }
/** `swaps`: those that the orders are counted in. */
type CountedOrders = { orders: number; swaps: number }
type SlotRow = { slot: number }
type Listed = { readonly order: 'asc' | 'desc'; readonly rows: number }
type StateRow = { ordinal: number; slot: number }
type FollowingRow = SwapRow & { ordinal: number }

const listWalletIds = query<{ id: number }>('sealed-history/list_wallet_ids')
const countOrders = swapStatement<CountedOrders>('swap-history/count_copied_orders')
const countSwaps = swapStatement<{ swaps: number }>('swap-history/count_copied_swaps')
const listSwaps = swapStatement<SwapRow>('swap-history/list_copied_swaps', { isPlannedAnew: true })
const findSince = swapStatement<SlotRow>('swap-history/find_slot_since')
const findUntil = swapStatement<SlotRow>('swap-history/find_slot_until')
const listSlots = swapStatement<SwapRow>('swap-history/list_copied_slots', { isPlannedAnew: true })
const listStates = swapStatement<StateRow>('swap-history/list_copied_states', {
  isPlannedAnew: true,
})
const listFollowed = swapStatement<FollowingRow>('swap-history/list_followed_states', {
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
  const run = (handed: readonly StoredSwap[]) => countOrders(db, [wallets, from, to, most], handed)
  const [row] = await withSealedFrom(
    db,
    from,
    () => run([]),
    async (sealed) => run(await swapsOf(db, sealed, wallets, { from, to, most })),
  )
  return row ?? { orders: 0, swaps: 0 }
}

/** Swaps of wallets up to a slot, counted as far as a maximum. */
export async function countCopiedSwaps(
  db: Queryable,
  { wallets, toSlot, most }: { wallets: readonly string[]; toSlot: number; most: number },
): Promise<number> {
  const [row] = await withSealed(db, async (sealed) => {
    const handed = await swapsOf(db, sealed, wallets, { from: 0, to: toSlot, most })
    return countSwaps(db, [wallets, toSlot, most], handed)
  })
  return row?.swaps ?? 0
}

/** The swaps of wallets up to a slot, unordered. */
export function listCopiedSwaps(
  db: Queryable,
  wallets: readonly string[],
  toSlot: number,
): Promise<SwapRow[]> {
  return withSealed(db, async (sealed) =>
    listSwaps(
      db,
      [wallets, toSlot],
      await swapsOf(db, sealed, wallets, { from: 0, to: toSlot, most: undefined }),
    ),
  )
}

/** Sealed swaps of wallets, at least `most` of each if there are so many. */
async function swapsOf(
  db: Queryable,
  sealed: Sealed,
  wallets: readonly string[],
  { from, to, most }: { from: number; to: number; most: number | undefined },
): Promise<readonly StoredSwap[]> {
  if (sealed.lastSlot < from) return []
  const ids = (await listWalletIds(db, [wallets])).map(({ id }) => id)
  return ofWallets(db, sealed, ids, { low: from, high: to }, { order: 'asc', rows: most })
}

/** The first slot of a range with a swap at or after a time, Unix ms. */
export function findSlotSince(
  db: Queryable,
  range: { from: number; to: number },
  ms: number,
): Promise<number | undefined> {
  return findSlotBy(db, range, ms, 'asc')
}

/** The last slot of a range with a swap at or before a time, Unix ms. */
export function findSlotUntil(
  db: Queryable,
  range: { from: number; to: number },
  ms: number,
): Promise<number | undefined> {
  return findSlotBy(db, range, ms, 'desc')
}

async function findSlotBy(
  db: Queryable,
  { from, to }: { from: number; to: number },
  ms: number,
  order: 'asc' | 'desc',
): Promise<number | undefined> {
  const find = order === 'asc' ? findSince : findUntil
  const isWanted = ({ timestamp_ms: at }: StoredSwap) => (order === 'asc' ? at >= ms : at <= ms)
  const [row] = await withSealedFrom(
    db,
    from,
    () => find(db, [from, to, ms], []),
    async (sealed) => {
      const list = {
        find: (own: Queryable, of: Sealed, slots: { low: Int64; high: Int64 }, listing: Listed) =>
          ofSlots(own, of, [slots], listing),
        keyOf: () => 0,
      }
      const slots = { low: from, high: to }
      const wanted = { order, slots, rows: 1, isWanted, searchMs: Number.POSITIVE_INFINITY }
      const { swaps } = await searchPage(db, sealed, list, wanted)
      return find(db, [from, to, ms], swaps)
    },
  )
  return row?.slot
}

/** All swaps of pools in slots, no two alike; unordered. */
export function listCopiedSlots(db: Queryable, slots: readonly PoolSlot[]): Promise<SwapRow[]> {
  const wanted = slots.map(({ poolId, slot }) => ({ poolId, slots: { low: slot, high: slot } }))
  return withSealedFrom(
    db,
    leastOf(slots.map(({ slot }) => slot)),
    () => listSlots(db, pairsOf(slots), []),
    async (sealed) =>
      listSlots(db, pairsOf(slots), await ofPoolSlots(db, sealed, wanted, { order: 'asc' })),
  )
}

/** The last slot with a swap of each pool up to each slot; `ordinal`: from 1 on. No row: none. */
export function listCopiedStates(db: Queryable, ends: readonly PoolSlot[]): Promise<StateRow[]> {
  const wanted = ends.map(({ poolId, slot }) => ({ poolId, slots: { low: 0, high: slot } }))
  return withSealed(db, async (sealed) =>
    listStates(
      db,
      pairsOf(ends),
      await ofPoolSlots(db, sealed, wanted, { order: 'desc', rows: 1 }),
    ),
  )
}

/** The first swaps of ranges, whole slots: at least `rows` of each if so many exist. `ordinal`: of the range, from 1 on. Unordered. */
export function listFollowedStates(
  db: Queryable,
  ranges: readonly PoolSlots[],
  rows: number,
): Promise<FollowingRow[]> {
  const parameters = [
    ranges.map(({ poolId }) => poolId),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
    rows,
  ]
  const wanted = ranges.map(({ poolId, from, to }) => ({ poolId, slots: { low: from, high: to } }))
  return withSealedFrom(
    db,
    leastOf(ranges.map(({ from }) => from)),
    () => listFollowed(db, parameters, []),
    async (sealed) =>
      listFollowed(db, parameters, await ofPoolSlots(db, sealed, wanted, { order: 'asc', rows })),
  )
}

const pairsOf = (slots: readonly PoolSlot[]) => [
  slots.map(({ poolId }) => poolId),
  slots.map(({ slot }) => slot),
]
