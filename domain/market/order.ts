/**
 * Execution order of the swaps of one pool: canonical order, except in slots whose indexes cannot be true. There each swap
 * follows the one that left the reserves that it met.
 *
 * Rules: docs/semantics.md#execution-order.
 */
import { compareSwaps, type Swap } from '../events/swap.ts'
import { reportsReserves } from '../venue.ts'
import { type Reserves, reservesAfter, reservesBefore } from './reserves.ts'

/** `isOrdered` false: the order within the slot is unknown, and the swaps are in canonical order. */
export type OrderedSlot = {
  readonly slot: number
  readonly swaps: readonly Swap[]
  readonly isOrdered: boolean
}

/** The slots of one pool, ascending. The swaps may come in any order. */
export function inExecutionOrder(swaps: readonly Swap[]): OrderedSlot[] {
  const ordered: OrderedSlot[] = []
  let reached: Reserves | undefined
  for (const [slot, own] of Map.groupBy(swaps.toSorted(compareSwaps), (swap) => swap.slot)) {
    const linked = hasTrueIndexes(own) ? own : linkedByReserves(own, reached)
    ordered.push({ slot, swaps: linked ?? own, isOrdered: linked !== undefined })
    const last = linked?.at(-1)
    reached = last === undefined ? undefined : reservesAfter(last)
  }
  return ordered
}

/**
 * Whether the indexes of a pool's swaps in one slot can be true: no two transactions have one `block_tx_index`, and no two
 * swaps of a transaction one `ix_index`.
 */
export function hasTrueIndexes(swaps: readonly Swap[]): boolean {
  const signatures = new Map<number, string>()
  const indexes = new Set<string>()
  for (const { signature, blockTxIndex, ixIndex } of swaps) {
    if ((signatures.get(blockTxIndex) ?? signature) !== signature) return false
    signatures.set(blockTxIndex, signature)
    const index = `${signature} ${ixIndex}`
    if (indexes.has(index)) return false
    indexes.add(index)
  }
  return true
}

/** Undefined where the reserves do not link all swaps, or not in one way only. */
function linkedByReserves(
  swaps: readonly Swap[],
  reached: Reserves | undefined,
): Swap[] | undefined {
  if (swaps.some(({ dex }) => !reportsReserves(dex))) return undefined
  const left = Map.groupBy(swaps, (swap) => keyOf(reservesBefore(swap)))
  let next = reached === undefined ? undefined : left.get(keyOf(reached))
  next ??= startsOf(swaps)
  const linked: Swap[] = []
  while (next !== undefined) {
    const [only, ...others] = next
    if (only === undefined || others.length > 0) return undefined
    linked.push(only)
    left.delete(keyOf(reservesBefore(only)))
    next = left.get(keyOf(reservesAfter(only)))
  }
  return linked.length === swaps.length ? linked : undefined
}

/** Swaps that met reserves which no swap left. */
function startsOf(swaps: readonly Swap[]): Swap[] {
  const ends = new Set(swaps.map((swap) => keyOf(reservesAfter(swap))))
  return swaps.filter((swap) => !ends.has(keyOf(reservesBefore(swap))))
}

const keyOf = ({ sol, tokens }: Reserves): string => `${sol} ${tokens}`
