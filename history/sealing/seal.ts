/**
 * Seals the swaps of a run of slots: in one transaction they become blocks and postings of a segment, and leave `swap` and
 * `swap_signature`. So in every snapshot a swap is in exactly one of both.
 *
 * Law: rows are deleted only as the same number of rows that were read back from blocks, bit for bit (codec/fit.ts). Any error
 * rolls all of it back.
 *
 * Decision: docs/decisions/0097-a-seal-is-one-transaction.md
 */
import { bucketOf, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { type Connection, sqlCode } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { SLICE_SLOTS } from '../codec/postings/pool.ts'
import { endOfRows, locateSlots } from '../sealed/find/slots.ts'
import { forgetSealed, knownSealed, readSealed, type Segment } from '../sealed/state.ts'
import { deleteSealed, GivesWay, type HotRows } from './delete-sealed.ts'
import { Names } from './names.ts'
import { PartRows } from './part-rows.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { Wait, WaitCause } from './wait.ts'

export type SlotRange = { readonly low: number; readonly high: number }

/** `rows`: that were sealed; 0 where the range has none that may be. `bytes`: of their blocks and postings. */
export type Sealing =
  | {
      readonly outcome: 'sealed'
      readonly segmentId: number
      readonly rows: number
      readonly bytes: number
    }
  | { readonly outcome: 'nothing' }
  /** No row of the segment that was to be rewritten counts any more: it is deleted. */
  | { readonly outcome: 'removed' }
  /** Something is to happen with these swaps first. */
  | { readonly outcome: 'waits'; readonly wait: Wait }

/** A change of a row that is being sealed fails the seal; changes of old rows are rare. */
const TRIES_MAX = 3
const SERIALIZATION_CODES = new Set(['40001', '40P01'])
/** 350 bytes a row in memory, those of a segment that is replaced about a kilobyte. */
const PART_ROWS = 200_000
const BEGIN = 'begin isolation level repeatable read'

const findNextSlot = query<{ slot: number }>('sealing/find_next_slot')
const findCut = query<{ slot: number }>('sealing/find_cut')
const listHot = query<{ pool_id: number; slot: number }>('sealing/list_hot')
const findOverlap = query<{ id: number; first_slot: number; last_slot: number }>(
  'sealing/find_overlap',
)
const findPending = query<{ cause: WaitCause; reason: string }>('sealing/find_pending')
const deleteSegment = query('sealing/delete_segment')
const bumpVersion = query('sealing/bump_version')

/**
 * Seals the rows of slots, both ends included, in a transaction of its own on an idle connection. Of about `partRows` rows all
 * columns are in memory at once.
 */
export function sealSlots(
  connection: Connection,
  range: SlotRange,
  partRows = PART_ROWS,
): Promise<Sealing> {
  return inSealing(connection, () => sealInTransaction(connection, range, undefined, partRows))
}

/**
 * Rewrites a segment from its rows that count and those of `swap` in its slots, likewise. The segment gets another id.
 * 'nothing' where there is no such segment.
 */
export function reseal(
  connection: Connection,
  segmentId: number,
  partRows = PART_ROWS,
): Promise<Sealing> {
  return inSealing(connection, async () => {
    const { segments } = await readSealed(connection)
    const segment = segments.find(({ id }) => id === segmentId)
    if (segment === undefined) return { outcome: 'nothing' }
    const range = { low: segment.firstSlot, high: segment.lastSlot }
    return sealInTransaction(connection, range, segment, partRows)
  })
}

async function inSealing(connection: Connection, seal: () => Promise<Sealing>): Promise<Sealing> {
  for (let tries = 1; ; tries++) {
    try {
      await connection.query(BEGIN)
      const sealing = await seal()
      const isDone = sealing.outcome === 'sealed' || sealing.outcome === 'removed'
      await connection.query(isDone ? 'commit' : 'rollback')
      return sealing
    } catch (error) {
      // On a lost connection the rollback fails, and need not be done.
      await connection.query('rollback').catch(() => {})
      if (error instanceof GivesWay) return { outcome: 'waits', wait: error.wait }
      const isConflict = SERIALIZATION_CODES.has(sqlCode(error) ?? '')
      if (!isConflict || tries >= TRIES_MAX) throw error
    } finally {
      forgetSealed(connection)
    }
  }
}

/** `old`: the segment that is replaced. */
async function sealInTransaction(
  connection: Connection,
  range: SlotRange,
  old: Segment | undefined,
  partRows: number,
): Promise<Sealing> {
  await expectApart(connection, range, old)
  const [pending] = await findPending(connection, [range.low, range.high])
  if (pending !== undefined) return { outcome: 'waits', wait: pending }
  const writer = await SegmentWriter.begin(connection)
  const hot: { poolIds: number[]; slots: number[] } = { poolIds: [], slots: [] }
  const rows = new PartRows()
  const names = new Names()
  for await (const part of partsOf(connection, range, old, partRows)) {
    rows.clear()
    await rows.read(connection, part)
    const staying = await hotOf(connection, part, rows)
    rows.exclude(staying.poolIds, staying.slots)
    hot.poolIds.push(...staying.poolIds)
    hot.slots.push(...staying.slots)
    if (old !== undefined) await addRowsOfSegment(connection, old, part, rows)
    await names.load(connection, rows.columns)
    await writer.addPart(rows, names)
  }
  if (old !== undefined) await deleteSegment(connection, [old.id])
  if (writer.rowCount === 0) {
    if (old === undefined) return { outcome: 'nothing' }
    await bumpVersion(connection)
    return { outcome: 'removed' }
  }
  const segment = await writer.finish()
  await deleteSealed(connection, segment, hot)
  await bumpVersion(connection)
  return {
    ...{ outcome: 'sealed', segmentId: segment.id },
    ...{ rows: writer.rowCount, bytes: segment.bytes },
  }
}

async function expectApart(
  connection: Connection,
  { low, high }: SlotRange,
  old: Segment | undefined,
): Promise<void> {
  const [overlap] = await findOverlap(connection, [low, high, old?.id ?? null])
  if (overlap === undefined) return
  const { id, first_slot: first, last_slot: last } = overlap
  throw new Error(
    `slots ${low} to ${high} overlap segment ${id}, which has slots ${first} to ${last}`,
  )
}

/** Adds the rows of a segment that count. */
async function addRowsOfSegment(
  connection: Connection,
  { id }: Segment,
  part: SlotRange,
  rows: PartRows,
): Promise<void> {
  const located = await locateSlots(connection, await knownSealed(connection), [part])
  for (const { segmentId, swap } of located) if (segmentId === id) rows.add(swap)
}

const endOfSlice = (slot: number): number => Math.floor(slot / SLICE_SLOTS + 1) * SLICE_SLOTS - 1

/** Runs of slots of a range, each within a slice and of a bounded count of rows of `swap` and of the segment that is replaced. */
async function* partsOf(
  connection: Connection,
  { low, high }: SlotRange,
  old: Segment | undefined,
  partRows: number,
): AsyncGenerator<SlotRange> {
  for (let from = low; from <= high; ) {
    const first = old === undefined ? await nextSlot(connection, from, high) : from
    if (first === undefined) return
    const slice = { low: first, high: Math.min(high, endOfSlice(first)) }
    const [cut] = await findCut(connection, [slice.low, slice.high, partRows])
    const end = cut === undefined ? slice.high : Math.max(slice.low, cut.slot - 1)
    const part = { low: first, high: end }
    if (old !== undefined) part.high = await endOfRows(connection, old, part, partRows)
    yield part
    from = part.high + 1
  }
}

/** The first slot in which `swap` has a row. */
async function nextSlot(
  connection: Connection,
  low: number,
  high: number,
): Promise<number | undefined> {
  return (await findNextSlot(connection, [low, high]))[0]?.slot
}

/** Slots of pools whose rows stay: those that functions of the database read, and those that the codec cannot store. */
async function hotOf(
  connection: Connection,
  { low, high }: SlotRange,
  rows: PartRows,
): Promise<HotRows> {
  if (rows.count === 0) return { poolIds: [], slots: [] }
  const { first, last } = minutesOf(rows)
  const tied = await listHot(connection, [low, high, first, last])
  const poolIds = tied.map((row) => row.pool_id)
  const slots = tied.map(({ slot }) => slot)
  for (let row = 0; row < rows.count; row++) {
    if (rows.isSealed[row] === 1) continue
    poolIds.push(rows.poolId(row))
    slots.push(rows.slot(row))
  }
  return { poolIds, slots }
}

/** First and last minute of rows, Unix ms. */
function minutesOf({ count, columns }: PartRows): { first: number; last: number } {
  const { timestamp_ms: time } = columns.integers
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (let row = 0; row < count; row++) {
    first = Math.min(first, time.near(row))
    last = Math.max(last, time.near(row))
  }
  return { first: bucketOf(first, MINUTE_MS), last: bucketOf(last, MINUTE_MS) }
}
