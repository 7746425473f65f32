/** Reads postings of segments. */

import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import { KINDS, type Kind, postingName } from '../../codec/envelope.ts'
import type { Segment } from '../state.ts'

/** In which direction a list goes through slots. */
export type Direction = 'asc' | 'desc'
/** `subject` names it in errors. */
type StoredPosting = {
  readonly segmentId: number
  readonly bucket: number
  readonly bytes: Uint8Array
  readonly subject: string
}
type PostingRow = {
  segment_id: number
  bucket: number
  part: number
  bytes: Uint8Array
}
/** A range of buckets or parts, both included. */
type Numbers = { readonly from: number; readonly to: number }

const listPostings = query<PostingRow>('sealed-history/list_postings')
const DIRECTIONS: readonly Direction[] = ['asc', 'desc']
const listPage = variants<PostingRow, Direction>('sealed-history/list_posting_page', DIRECTIONS)
const listParts = variants<PostingRow, Direction>('sealed-history/list_part_page', DIRECTIONS)

/** All parts of the postings that there are, in any order. */
export async function loadPostings(
  db: Queryable,
  kind: Kind,
  wanted: readonly { readonly segment: Segment; readonly bucket: number }[],
): Promise<StoredPosting[]> {
  if (wanted.length === 0) return []
  const rows = await listPostings(db, [
    wanted.map(({ segment }) => segment.id),
    wanted.map(() => KINDS[kind]),
    wanted.map(({ bucket }) => bucket),
  ])
  return rows.map((row) => storedPosting(kind, row))
}

/** The next postings of a kind within a range of buckets. */
export async function pageOfPostings(
  db: Queryable,
  kind: Kind,
  segment: Segment,
  { from, to }: Numbers,
  direction: Direction,
  count: number,
): Promise<StoredPosting[]> {
  const parameters = [segment.id, KINDS[kind], from, to, count]
  return (await listPage[direction](db, parameters)).map((row) => storedPosting(kind, row))
}

/** The next parts of a posting within a range of parts; `bucket` is that of each of them, `part` its number. */
export async function pageOfParts(
  db: Queryable,
  kind: Kind,
  { segment, bucket }: { readonly segment: Segment; readonly bucket: number },
  { from, to }: Numbers,
  direction: Direction,
  count: number,
): Promise<(StoredPosting & { readonly part: number })[]> {
  const rows = await listParts[direction](db, [segment.id, KINDS[kind], bucket, from, to, count])
  return rows.map((row) => ({ ...storedPosting(kind, row), part: row.part }))
}

function storedPosting(kind: Kind, { segment_id, bucket, part, bytes }: PostingRow): StoredPosting {
  const subject = postingName(segment_id, kind, bucket, part)
  return { segmentId: segment_id, bucket, bytes, subject }
}
