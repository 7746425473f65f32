/** Finds sealed swaps by slot, and large ones. */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { hashesOfPosting, orderBucket, slotsOfPosting } from '../../codec/postings/order.ts'
import { largeRows, SLICE_SLOTS } from '../../codec/postings/pool.ts'
import type { Sealed, Segment } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import { type Direction, pageOfPostings } from './postings.ts'
import { holds, type Listing, type Slots, segmentsOf, wholeSlots } from './ranges.ts'
import { countingRows, type LocatedSwap, loadRows } from './rows.ts'
import { expectStored } from './stored.ts'

export type { LocatedSwap } from './rows.ts'

type SlotRow = { readonly slot: number; readonly row: number }
/** The rows of a posting, in canonical order. */
type Reader = (bytes: Uint8Array, subject: string) => SlotRow[]
type SlotKind = 'order' | 'large'

/** A page of postings: about a thousand swaps of a busy market. */
const POSTINGS_AT_ONCE = 8
const POSTINGS_OF_ALL = 4_096

const READERS: Readonly<Record<SlotKind, Reader>> = {
  order: (bytes, subject) =>
    slotsOfPosting(bytes, subject).flatMap(({ slot, rows }) => rows.map((row) => ({ slot, row }))),
  large: (bytes, subject) => {
    const { slots, rows } = largeRows(bytes, subject)
    return rows.map((row, index) => ({ slot: slots[index] as number, row }))
  },
}

/** Swaps of runs of slots. */
export async function ofSlots(
  db: Queryable,
  sealed: Sealed,
  ranges: readonly Slots[],
  listing: Listing,
): Promise<StoredSwap[]> {
  return (await located(db, sealed, 'order', ranges, listing)).map(({ swap }) => swap)
}

/** Swaps of slots, with where they are. */
export function locateSlots(
  db: Queryable,
  sealed: Sealed,
  ranges: readonly Slots[],
): Promise<LocatedSwap[]> {
  return located(db, sealed, 'order', ranges, { order: 'asc' })
}

/** The last slot of a run up to which a segment has `rows` rows at most, those that are gone included; its first one at least. */
export async function endOfRows(
  db: Queryable,
  segment: Segment,
  range: { readonly low: number; readonly high: number },
  rows: number,
): Promise<number> {
  if (segment.firstSlot > range.high || segment.lastSlot < range.low) return range.high
  let { from, to } = bucketsOf(segment, 'order', range)
  for (let [count, end] = [0, range.low]; ; ) {
    const page = await pageOfPostings(db, 'order', segment, { from, to }, 'asc', POSTINGS_OF_ALL)
    for (const { bytes, subject } of page) {
      for (const { slot, rows: own } of slotsOfPosting(bytes, subject)) {
        if (!holds(range, slot)) continue
        count += own.length
        if (count > rows) return end
        end = slot
      }
    }
    if (page.length < POSTINGS_OF_ALL) return range.high
    from = page.at(-1)!.bucket + 1
  }
}

/** The block hashes of slots of a segment by slot, in the order in which rows number them. */
export async function hashesOfSlots(
  db: Queryable,
  segment: Segment,
  slots: Slots,
): Promise<Map<number, readonly string[]>> {
  const hashes = new Map<number, readonly string[]>()
  let { from, to } = bucketsOf(segment, 'order', slots)
  for (;;) {
    const page = await pageOfPostings(db, 'order', segment, { from, to }, 'asc', POSTINGS_OF_ALL)
    for (const { bytes, subject } of page) {
      for (const { slot, blockhashes } of hashesOfPosting(bytes, subject)) {
        hashes.set(slot, blockhashes)
      }
    }
    if (page.length < POSTINGS_OF_ALL) return hashes
    from = page.at(-1)!.bucket + 1
  }
}

/** Swaps of LARGE_LAMPORTS and more. */
export async function large(
  db: Queryable,
  sealed: Sealed,
  slots: Slots,
  listing: Listing,
): Promise<StoredSwap[]> {
  return (await located(db, sealed, 'large', [slots], listing)).map(({ swap }) => swap)
}

async function located(
  db: Queryable,
  sealed: Sealed,
  kind: SlotKind,
  ranges: readonly Slots[],
  listing: Listing,
): Promise<LocatedSwap[]> {
  const { order, rows } = listing
  const lows = ranges.map(({ low }) => low)
  if (order === 'asc') expectStored(sealed, lows)
  const found: LocatedSwap[] = []
  const inOrder = order === 'asc' ? ranges : ranges.toReversed()
  for (const segment of segmentsOf(sealed, ranges, order)) {
    for (const range of inOrder) {
      if (segment.firstSlot > range.high || segment.lastSlot < range.low) continue
      const left = rows === undefined ? undefined : rows - found.length
      if (left !== undefined && left <= 0) return found
      found.push(...(await ofSegment(db, segment, kind, range, order, left)))
    }
  }
  if (rows === undefined || found.length < rows) expectStored(sealed, lows)
  return found
}

/** At least `wanted` rows that count, if the segment has so many in the range. */
async function ofSegment(
  db: Queryable,
  segment: Segment,
  kind: SlotKind,
  range: Slots,
  order: Direction,
  wanted: number | undefined,
): Promise<LocatedSwap[]> {
  const found: LocatedSwap[] = []
  const buckets = bucketsOf(segment, kind, range)
  let { from, to } = buckets
  for (;;) {
    const count = wanted === undefined ? POSTINGS_OF_ALL : POSTINGS_AT_ONCE
    const page = await pageOfPostings(db, kind, segment, { from, to }, order, count)
    const rows = page.flatMap(({ bytes, subject }) => {
      const own = READERS[kind](bytes, subject).filter(({ slot }) => holds(range, slot))
      return order === 'asc' ? own : own.reverse()
    })
    const isLast = page.length < count
    found.push(...(await nextRows(db, segment, rows, wanted && wanted - found.length)))
    if (isLast || (wanted !== undefined && found.length >= wanted)) return found
    const end = page.at(-1)!.bucket
    if (order === 'asc') from = end + 1
    else to = end - 1
  }
}

/** The rows of a page of postings that the list needs, in whole slots. */
async function nextRows(
  db: Queryable,
  segment: Segment,
  rows: readonly SlotRow[],
  wanted: number | undefined,
): Promise<LocatedSwap[]> {
  const counting = await countingRows(db, segment, rows)
  const some = wholeSlots(counting, ({ slot }) => slot, wanted)
  return loadRows(db, [{ segment, rows: some.map(({ row }) => row) }])
}

function bucketsOf(segment: Segment, kind: SlotKind, { low, high }: Slots) {
  const { firstSlot, lastSlot } = segment
  const first = Number(low < firstSlot ? firstSlot : low)
  const last = Number(high > lastSlot ? lastSlot : high)
  const bucketOf = kind === 'order' ? orderBucket : sliceOf
  return { from: bucketOf(first, firstSlot), to: bucketOf(last, firstSlot) }
}

const sliceOf = (slot: number, firstSlot: number): number =>
  Math.floor(slot / SLICE_SLOTS) - Math.floor(firstSlot / SLICE_SLOTS)
