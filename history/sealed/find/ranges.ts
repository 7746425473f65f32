/** Runs of slots, and the segments that hold slots of them. Pure. */
import type { Int64 } from '../../../domain/amount.ts'
import type { Sealed, Segment } from '../state.ts'
import type { Direction } from './postings.ts'

/** Both ends included. */
export type Slots = { readonly low: Int64; readonly high: Int64 }
/**
 * `rows`: at least so many of each key, the nearest to the beginning of the list, if so many exist, and whole slots; absent: all.
 * More may be returned, unordered.
 */
export type Listing = { readonly order: Direction; readonly rows?: number | undefined }

/** Segments read at once: more are read only where these do not fill the list. */
const SEGMENTS_AT_ONCE = 30

export const holds = ({ low, high }: Slots, slot: number): boolean => slot >= low && slot <= high

/** In the order of the list. */
export function segmentsOf(
  { segments }: Sealed,
  ranges: readonly Slots[],
  order: Direction,
): Segment[] {
  const own = segments.filter(({ firstSlot, lastSlot }) =>
    ranges.some(({ low, high }) => firstSlot <= high && lastSlot >= low),
  )
  return order === 'asc' ? own : own.reverse()
}

/** Parts of a list of segments; without a bound of rows they are one. */
export function* steps(
  segments: readonly Segment[],
  { rows }: Listing,
): Generator<readonly Segment[]> {
  const size = rows === undefined ? segments.length : SEGMENTS_AT_ONCE
  for (let at = 0; at < segments.length; at += size) yield segments.slice(at, at + size)
}

/**
 * The first of `list`, which are in the order of the list, until there are `rows`, and then those of the same slot. All without
 * a bound.
 */
export function wholeSlots<Row>(
  list: readonly Row[],
  slotOf: (row: Row) => number,
  rows: number | undefined,
): readonly Row[] {
  if (rows === undefined || list.length <= rows) return list
  const last = slotOf(list[Math.max(rows, 1) - 1] as Row)
  const end = list.findIndex((row, index) => index >= rows && slotOf(row) !== last)
  return end === -1 ? list : list.slice(0, end)
}
