/**
 * The swaps of one pool in execution order as parts of sandwiches.
 *
 * Rules: docs/semantics.md#sandwiches.
 */
import type { Swap } from '../../events/swap.ts'
import { hasTrueIndexes, type OrderedSlot } from '../order.ts'

/** `index`: place in execution order. `isOfBothSides`: its wallet bought and sold in this pool in one transaction. */
export type Placed = {
  readonly swap: Swap
  readonly index: number
  readonly isOrdered: boolean
  readonly hasTrueIndexes: boolean
  readonly isOfBothSides: boolean
}

export function placed(slots: readonly OrderedSlot[]): Placed[] {
  const sides = new Map<string, Set<boolean>>()
  const keyOf = ({ signature, user }: Swap): string => `${signature} ${user}`
  for (const swap of slots.flatMap(({ swaps }) => swaps)) {
    const own = sides.get(keyOf(swap)) ?? new Set()
    sides.set(keyOf(swap), own.add(swap.isBuy))
  }
  const all = slots.flatMap(({ swaps, isOrdered }) => {
    const isTrue = hasTrueIndexes(swaps)
    return swaps.map((swap) => ({ swap, isOrdered, hasTrueIndexes: isTrue }))
  })
  return all.map((each, index) => {
    const isOfBothSides = (sides.get(keyOf(each.swap))?.size ?? 0) > 1
    return { ...each, index, isOfBothSides }
  })
}
