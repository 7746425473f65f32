/**
 * Reads slots of pools in execution order. Where the indexes of a slot cannot be true its swaps are linked from the reserves after the
 * slot before, which is then read too.
 */
import { swapOfRow } from '../../../../domain/events/stored-row.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import {
  hasTrueIndexes,
  inExecutionOrder,
  type OrderedSlot,
} from '../../../../domain/market/order.ts'
import {
  listCopiedSlots,
  listCopiedStates,
  type PoolSlot,
} from '../../../../history/swaps/copies.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { LINKED_SLOTS_MAX } from '../../quotes/read.ts'

/** By pool, ascending. `wanted`: slots with swaps. */
export async function readOrderedSlots(
  db: Queryable,
  wanted: readonly PoolSlot[],
): Promise<Map<number, OrderedSlot[]>> {
  const swaps = new Map<string, Swap[]>()
  const before = new Map<string, PoolSlot>()
  let frontier = wanted
  for (let depth = 0; depth < LINKED_SLOTS_MAX && frontier.length > 0; depth++) {
    await readSwaps(db, frontier, swaps)
    const untrue = frontier.filter((each) => !hasTrueIndexes(swaps.get(keyOf(each)) ?? []))
    const unlinked = untrue.filter((each) => !before.has(keyOf(each)))
    for (const [each, earlier] of await slotsBefore(db, unlinked)) before.set(keyOf(each), earlier)
    frontier = unlinked.flatMap((each) => before.get(keyOf(each)) ?? [])
  }
  const ordered = wanted
    .toSorted((a, b) => a.slot - b.slot)
    .map((each) => {
      const chain = chainOf(each, before).flatMap((linked) => swaps.get(keyOf(linked)) ?? [])
      return { poolId: each.poolId, slot: inExecutionOrder(chain).at(-1) }
    })
  return new Map(
    [...Map.groupBy(ordered, ({ poolId }) => poolId)].map(([poolId, own]) => [
      poolId,
      own.flatMap(({ slot }) => slot ?? []),
    ]),
  )
}

const keyOf = ({ poolId, slot }: PoolSlot): string => `${poolId} ${slot}`

/** The slot, and those before it that link it. */
function chainOf(last: PoolSlot, before: ReadonlyMap<string, PoolSlot>): PoolSlot[] {
  const chain = [last]
  for (let earlier = before.get(keyOf(last)); earlier !== undefined; ) {
    if (chain.length === LINKED_SLOTS_MAX) break
    chain.push(earlier)
    earlier = before.get(keyOf(earlier))
  }
  return chain
}

async function readSwaps(
  db: Queryable,
  wanted: readonly PoolSlot[],
  swaps: Map<string, Swap[]>,
): Promise<void> {
  const unread = new Map(
    wanted.flatMap((each) => (swaps.has(keyOf(each)) ? [] : [[keyOf(each), each] as const])),
  )
  if (unread.size === 0) return
  const missing = [...unread.values()]
  const rows = await listCopiedSlots(db, missing)
  const found = Map.groupBy(rows, (row) => keyOf({ poolId: row.pool_id, slot: row.slot }))
  for (const [key, own] of found) swaps.set(key, own.map(swapOfRow))
}

async function slotsBefore(
  db: Queryable,
  slots: readonly PoolSlot[],
): Promise<[of: PoolSlot, earlier: PoolSlot][]> {
  if (slots.length === 0) return []
  const found = await listCopiedStates(
    db,
    slots.map(({ poolId, slot }) => ({ poolId, slot: slot - 1 })),
  )
  return found.flatMap(({ ordinal, slot }): [PoolSlot, PoolSlot][] => {
    const each = slots[ordinal - 1]
    return each === undefined ? [] : [[each, { poolId: each.poolId, slot }]]
  })
}
