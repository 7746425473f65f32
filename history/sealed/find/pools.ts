/** Finds sealed swaps of pools. A pool's rows of a slice are a run of row numbers, in canonical order. */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { type PoolRun, poolBucket, runsOfPools, SLICE_SLOTS } from '../../codec/postings/pool.ts'
import type { Sealed, Segment } from '../state.ts'
import { distinctSwaps, type StoredSwap } from '../stored-swap.ts'
import { type Direction, loadPostings } from './postings.ts'
import { holds, type Listing, type Slots, segmentsOf, steps, wholeSlots } from './ranges.ts'
import { countingNumbers, type LocatedSwap, loadRows, type RowNumbers } from './rows.ts'
import { expectPoolsStored } from './stored.ts'

/** `slots` of the pool that are wanted. */
export type PoolSlots = { readonly poolId: number; readonly slots: Slots }
/** Row numbers of a pool in a segment, in the order of the list. */
type OwnRows = { readonly segment: Segment; readonly rows: readonly number[] }

/** Rows that are read of a pool at a time, at least: a block has about a hundred. */
const ROWS_AT_ONCE = 100

/** Swaps of pools within slots. `rows` of the listing are of each pool. */
export function ofPools(
  db: Queryable,
  sealed: Sealed,
  poolIds: readonly number[],
  slots: Slots,
  listing: Listing,
): Promise<StoredSwap[]> {
  return ofPoolSlots(
    db,
    sealed,
    [...new Set(poolIds)].map((poolId) => ({ poolId, slots })),
    listing,
  )
}

/** Swaps of pools, each within slots of its own. `rows` of the listing are of each of them. */
export async function ofPoolSlots(
  db: Queryable,
  sealed: Sealed,
  wanted: readonly PoolSlots[],
  listing: Listing,
): Promise<StoredSwap[]> {
  const ranges = wanted.map(({ slots }) => slots)
  const found: StoredSwap[] = []
  let open = wanted.map((each) => ({ ...each, count: 0 }))
  for (const segments of steps(segmentsOf(sealed, ranges, listing.order), listing)) {
    const runs = await loadRuns(
      db,
      segments,
      open.map(({ poolId }) => poolId),
    )
    const lists = open.map((each) => ({
      each,
      found: [],
      unread: segments.flatMap((segment): OwnRows[] => {
        const own = runs(segment, each.poolId).filter((run) => meets(segment, run, each.slots))
        return own.length === 0 ? [] : [{ segment, rows: rowsOf(own, listing.order) }]
      }),
    }))
    found.push(...(await readLists(db, lists, listing)))
    open = open.filter(({ count }) => listing.rows === undefined || count < listing.rows)
    if (open.length === 0) break
  }
  // A list that is full when it descends has come to no dropped swap.
  const unsure = listing.order === 'asc' ? wanted : open
  await expectPoolsStored(
    db,
    sealed,
    unsure.map(({ poolId, slots }) => ({ poolId, low: slots.low })),
  )
  const isEachOnce = new Set(wanted.map(({ poolId }) => poolId)).size === wanted.length
  // Ranges of one pool may overlap.
  return isEachOnce ? found : distinctSwaps(found)
}

/** Swaps of pools within slots, with where they are; unordered. `poolIds`: each once. */
export async function locatePools(
  db: Queryable,
  sealed: Sealed,
  poolIds: readonly number[],
  slots: Slots,
): Promise<LocatedSwap[]> {
  const lows = poolIds.map((poolId) => ({ poolId, low: slots.low }))
  await expectPoolsStored(db, sealed, lows)
  const segments = segmentsOf(sealed, [slots], 'asc')
  const runs = await loadRuns(db, segments, poolIds)
  const wanted: RowNumbers[] = []
  for (const segment of segments) {
    const own = poolIds.flatMap((id) =>
      runs(segment, id).filter((run) => meets(segment, run, slots)),
    )
    wanted.push(await countingNumbers(db, segment, rowsOf(own, 'asc')))
  }
  return (await loadRows(db, wanted)).filter(({ swap }) => holds(slots, swap.slot))
}

/** Row numbers of pools in segments. */
export async function loadRuns(
  db: Queryable,
  segments: readonly Segment[],
  poolIds: readonly number[],
): Promise<(segment: Segment, poolId: number) => readonly PoolRun[]> {
  const buckets = [...new Set(poolIds.map(poolBucket))]
  const wanted = segments.flatMap((segment) => buckets.map((bucket) => ({ segment, bucket })))
  const runs = new Map<number, Map<number, PoolRun[]>>(segments.map(({ id }) => [id, new Map()]))
  const ids = new Set(poolIds)
  for (const { segmentId, bucket, bytes, subject } of await loadPostings(db, 'pool', wanted)) {
    const own = runs.get(segmentId)!
    for (const [poolId, each] of runsOfPools(bytes, bucket, subject)) {
      if (ids.has(poolId)) own.set(poolId, each)
    }
  }
  return ({ id }, poolId) => runs.get(id)?.get(poolId) ?? []
}

/** Whether the slice of a run has slots of a range. */
function meets({ firstSlot }: Segment, { slice }: PoolRun, { low, high }: Slots): boolean {
  const first = (Math.floor(firstSlot / SLICE_SLOTS) + slice) * SLICE_SLOTS
  return first <= high && first + SLICE_SLOTS > low
}

function rowsOf(runs: readonly PoolRun[], order: Direction): number[] {
  const rows = runs.flatMap(({ firstRow, rowCount }) =>
    Array.from({ length: rowCount }, (_, index) => firstRow + index),
  )
  return order === 'asc' ? rows : rows.reverse()
}

type OpenList = {
  readonly each: PoolSlots & { count: number }
  unread: readonly OwnRows[]
  /** In the order of the list. */
  readonly found: StoredSwap[]
}

/** Reads the lists in parts, those of all pools at once, until each is long enough or at its end. */
async function readLists(
  db: Queryable,
  lists: readonly OpenList[],
  { rows }: Listing,
): Promise<StoredSwap[]> {
  const size = rows === undefined ? Number.POSITIVE_INFINITY : Math.max(ROWS_AT_ONCE, rows)
  let open = lists.filter(({ unread }) => unread.length > 0)
  while (open.length > 0) {
    const parts = open.map((list) => ({ list, part: takePart(list, size) }))
    const swaps = await loadCounting(
      db,
      parts.flatMap(({ part }) => part),
    )
    for (const { list, part } of parts) {
      for (const { segment, rows: numbers } of part) {
        const own = swaps.get(segment.id)
        for (const row of numbers) {
          const swap = own?.get(row)
          if (swap !== undefined && holds(list.each.slots, swap.slot)) list.found.push(swap)
        }
      }
    }
    open = open.filter((list) => list.unread.length > 0 && !isLongEnough(list.found, rows))
  }
  // The part that was read last may end within a slot.
  const whole = lists.map(({ found }) => wholeSlots(found, ({ slot }) => slot, rows))
  for (const [index, { each }] of lists.entries()) each.count += whole[index]!.length
  return whole.flat()
}

/** Whether the slot of the last row that is needed is whole, because a row of another follows. */
function isLongEnough(found: readonly StoredSwap[], rows: number | undefined): boolean {
  if (rows === undefined || found.length <= rows) return false
  return found.at(-1)!.slot !== found[Math.max(rows, 1) - 1]!.slot
}

/** Takes the next rows of a list off it. */
function takePart(list: OpenList, size: number): OwnRows[] {
  const part: OwnRows[] = []
  let left = size
  const unread = [...list.unread]
  while (left > 0 && unread.length > 0) {
    const { segment, rows } = unread.shift()!
    part.push({ segment, rows: rows.slice(0, left) })
    if (rows.length > left) unread.unshift({ segment, rows: rows.slice(left) })
    left -= rows.length
  }
  list.unread = unread
  return part
}

/** Rows that count, by segment and number. */
async function loadCounting(
  db: Queryable,
  parts: readonly OwnRows[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, StoredSwap>>> {
  const wanted: RowNumbers[] = []
  for (const [segment, own] of Map.groupBy(parts, (part) => part.segment)) {
    const rows = new Set(own.flatMap((part) => part.rows))
    wanted.push(await countingNumbers(db, segment, rows))
  }
  const bySegment = new Map<number, Map<number, StoredSwap>>(
    wanted.map(({ segment }) => [segment.id, new Map()]),
  )
  for (const { segmentId, rowNumber, swap } of await loadRows(db, wanted)) {
    bySegment.get(segmentId)!.set(rowNumber, swap)
  }
  return bySegment
}
