/**
 * Pool postings of a segment, and the list of its large swaps. Pure.
 *
 * Rows are sorted by slice, pool and canonical order, so the rows of a pool in a slice are one run. A posting has the runs
 * of the pools of a bucket, by the low bits of their ids; that of large swaps is a row list for each slice.
 *
 *   pools | of each: id, runs | of each run: slice, first row, rows, as differences
 */
import { ByteReader, ByteWriter } from '../bytes.ts'
import { disclose, SEGMENT_ROWS_MAX, unpack } from '../envelope.ts'
import { type Posting, packedPosting, type RowList, readRowList, writeRowList } from './row-list.ts'

/** Slots of a slice: an hour of the chain. */
export const SLICE_SLOTS = 9_000
/** Buckets of a segment's pools, a power of two. */
const POOL_BUCKETS = 256

/** Rows `firstRow` to `firstRow + rowCount - 1` of the segment; `slice` counts from that of its first slot. */
export type PoolRun = { slice: number; firstRow: number; rowCount: number }

export const poolBucket = (poolId: number): number => poolId % POOL_BUCKETS

/** `runs` by pool id, in ascending order. */
export function* poolPostings(runs: ReadonlyMap<number, readonly PoolRun[]>): Generator<Posting> {
  const buckets = Map.groupBy(runs, ([poolId]) => poolBucket(poolId))
  for (const [bucket, pools] of [...buckets].sort(([a], [b]) => a - b)) {
    const writer = new ByteWriter()
    writer.varint(pools.length)
    let before = 0
    for (const [poolId, own] of pools.toSorted(([a], [b]) => a - b)) {
      const high = Math.floor(poolId / POOL_BUCKETS)
      writer.varint(high - before)
      before = high
      writeRuns(writer, own)
    }
    yield packedPosting('pool', bucket, 0, writer.finish())
  }
}

function writeRuns(writer: ByteWriter, runs: readonly PoolRun[]): void {
  writer.varint(runs.length)
  let [slice, row] = [0, 0]
  for (const run of runs) {
    writer.varint(run.slice - slice)
    writer.varint(run.firstRow - row)
    writer.varint(run.rowCount)
    slice = run.slice
    row = run.firstRow + run.rowCount
  }
}

function readRuns(reader: ByteReader): PoolRun[] {
  let [slice, row] = [0, 0]
  return Array.from({ length: reader.count(3) }, () => {
    slice += reader.varint()
    const firstRow = row + reader.varint()
    const rowCount = reader.varint()
    row = firstRow + rowCount
    if (row > SEGMENT_ROWS_MAX) reader.fail(`a run of a pool ends at row ${row}`)
    return { slice, firstRow, rowCount }
  })
}

/** Runs of the pools of a posting by id, of each ascending. Throws DamagedHistory or UnknownFormat. */
export function runsOfPools(
  bytes: Uint8Array,
  bucket: number,
  subject: string,
): Map<number, PoolRun[]> {
  const reader = new ByteReader(unpack(disclose('pool', bytes, subject), subject), subject)
  const runs = new Map<number, PoolRun[]>()
  let high = 0
  for (let left = reader.count(2); left > 0; left--) {
    high += reader.varint()
    runs.set(high * POOL_BUCKETS + bucket, readRuns(reader))
  }
  reader.end()
  return runs
}

/** Large swaps of the slices of a segment, by slice. */
export function* largePostings(lists: ReadonlyMap<number, RowList>): Generator<Posting> {
  for (const [slice, list] of [...lists].sort(([a], [b]) => a - b)) {
    const writer = new ByteWriter()
    const base = list.slots[0] ?? 0
    writer.varint(base)
    writeRowList(writer, list, base)
    yield packedPosting('large', slice, 0, writer.finish())
  }
}

/** In canonical order. Throws DamagedHistory or UnknownFormat. */
export function largeRows(bytes: Uint8Array, subject: string): RowList {
  const reader = new ByteReader(unpack(disclose('large', bytes, subject), subject), subject)
  const list = readRowList(reader, reader.varint())
  reader.end()
  return list
}
