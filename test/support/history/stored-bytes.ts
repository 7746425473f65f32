/** Bytes a swap that a segment takes in PostgreSQL, computed from its blocks and postings. */
import { columnsOf } from '../../../history/codec/columns/swap-columns.ts'
import { fitBlocks } from '../../../history/codec/fit.ts'
import { segmentPostings } from '../../../history/codec/postings/segment.ts'
import type { Segment } from './sealed-rows.ts'

/** A page holds one block. */
const PAGE_BYTES = 8_192
/** Line pointer, header, keys and length of a row, and an entry of its index. */
const POSTING_BYTES = 4 + 24 + 16 + 4 + 28
const BLOCK_INDEX_BYTES = 20

type StoredBytes = { blocks: number; all: number } & Record<string, number>

export function storedBytes(segment: Segment): StoredBytes {
  const count = segment.rows.length
  const blocks = [...fitBlocks(columnsOf(segment.rows))].length * (PAGE_BYTES + BLOCK_INDEX_BYTES)
  const byKind = Map.groupBy(segmentPostings(segment), ({ kind }) => kind)
  const kinds = Array.from(byKind, ([kind, postings]) => [
    kind,
    postings.reduce((sum, { bytes }) => sum + bytes.length + POSTING_BYTES, 0) / count,
  ]) as [string, number][]
  const all = blocks / count + kinds.reduce((sum, [, bytes]) => sum + bytes, 0)
  return { ...Object.fromEntries(kinds), blocks: blocks / count, all }
}
