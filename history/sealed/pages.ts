/** Lists of sealed swaps in pages of whole slots, and statements that read both. */
import type { QueryResultRow } from 'pg'
import type { Int64 } from '../../domain/amount.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import type { PoolSlots } from './find/pools.ts'
import type { Direction } from './find/postings.ts'
import type { Slots } from './find/ranges.ts'
import { type Sealed, withSealedFrom } from './state.ts'
import type { SwapStatement } from './statement.ts'
import type { StoredSwap } from './stored-swap.ts'

/** All sealed swaps of `slots`. */
export type SwapPage = { readonly slots: Slots; readonly swaps: readonly StoredSwap[] }
/** A list of the finders: at least `rows` swaps at the beginning of `slots`, in whole slots, if there are so many. */
type Find = (slots: Slots, rows: number) => Promise<readonly StoredSwap[]>

/** The greatest slot that anything has. */
export const SLOT_MAX = Number.MAX_SAFE_INTEGER

/**
 * The rows of a statement that reads slots from `lowSlot` on, of the table and of sealed history. `find` returns every sealed
 * swap that the statement can read, each once.
 */
export function readBoth<Row extends QueryResultRow>(
  db: Queryable,
  lowSlot: Int64,
  statement: SwapStatement<Row>,
  parameters: readonly unknown[],
  find: (sealed: Sealed) => Promise<readonly StoredSwap[]>,
): Promise<Row[]> {
  const hot = () => statement(db, parameters, [])
  const mixed = async (sealed: Sealed) => statement(db, parameters, await find(sealed))
  return withSealedFrom(db, lowSlot, hot, mixed)
}

/** Pages that hold the swaps of `slots`, about `rows` each, from its beginning in that order. At least one page. */
export async function* pagesOf(
  find: Find,
  { low, high }: Slots,
  order: Direction,
  rows: number,
): AsyncGenerator<SwapPage> {
  let left = { low, high }
  for (;;) {
    const found = await find(left, rows)
    if (found.length < rows) {
      yield { slots: left, swaps: found }
      return
    }
    const slots = found.map(({ slot }) => slot).sort((a, b) => (order === 'asc' ? a - b : b - a))
    const end = slots[rows - 1]!
    const slice = order === 'asc' ? { ...left, high: end } : { ...left, low: end }
    yield {
      slots: slice,
      swaps: found.filter(({ slot }) => slot >= slice.low && slot <= slice.high),
    }
    if (slice.low === left.low && slice.high === left.high) return
    left = order === 'asc' ? { ...left, low: end + 1 } : { ...left, high: end - 1 }
    if (left.low > left.high) return
  }
}

/** The swaps that match from the beginning of `slots` on, in whole slots: at least `rows` of them, if there are so many. */
export async function matchingSwaps(
  find: Find,
  slots: Slots,
  order: Direction,
  {
    rows,
    isWanted,
    pageRows,
  }: {
    rows: number
    isWanted: (swap: StoredSwap) => boolean
    pageRows: number
  },
): Promise<StoredSwap[]> {
  const matched: StoredSwap[] = []
  for await (const { swaps } of pagesOf(find, slots, order, pageRows)) {
    for (const swap of swaps) if (isWanted(swap)) matched.push(swap)
    if (matched.length >= rows) break
  }
  return matched
}

/** The runs of slots that sealed history may have, joined where runs of a pool overlap, so that no swap is in two. */
export function sealedRuns({ lastSlot }: Sealed, runs: readonly PoolSlots[]): PoolSlots[] {
  const joined: PoolSlots[] = []
  const own = runs.filter(({ slots }) => slots.low <= lastSlot)
  for (const [poolId, ofPool] of Map.groupBy(own, (run) => run.poolId)) {
    let open: Slots | undefined
    for (const { slots } of ofPool.toSorted((a, b) => (a.slots.low < b.slots.low ? -1 : 1))) {
      if (open !== undefined && slots.low <= open.high) {
        if (slots.high > open.high) open = { low: open.low, high: slots.high }
        continue
      }
      if (open !== undefined) joined.push({ poolId, slots: open })
      open = slots
    }
    if (open !== undefined) joined.push({ poolId, slots: open })
  }
  return joined
}
