/**
 * Rows of a segment in canonical order with their slots: the content of most postings. Pure.
 *
 *   count | first slot less the base | differences of slots | rows, three bytes each
 *
 * Slots are in it, so that a list of a range of slots reads no block in vain.
 */
import type { ByteReader, ByteWriter } from '../bytes.ts'
import { enclose, type Kind, pack, SEGMENT_ROWS_MAX } from '../envelope.ts'

/** `slots` ascend; `rows` are row numbers of the segment. */
export type RowList = { slots: readonly number[]; rows: readonly number[] }

/** A row of table `swap_posting`. */
export type Posting = { kind: Kind; bucket: number; part: number; bytes: Uint8Array }

const ROW_BYTES = 3

/** Throws RangeError for slots that descend, also below `base`, and for rows beyond a segment. */
export function writeRowList(writer: ByteWriter, { slots, rows }: RowList, base: number): void {
  writer.varint(rows.length)
  let before = base
  for (const slot of slots) {
    writer.varint(slot - before)
    before = slot
  }
  writeRows(writer, rows)
}

export function writeRows(writer: ByteWriter, rows: readonly number[]): void {
  for (const row of rows) {
    if (!(row >= 0 && row < SEGMENT_ROWS_MAX)) {
      throw new RangeError(`row ${row}: a segment has ${SEGMENT_ROWS_MAX} rows at most`)
    }
    writer.uint24(row)
  }
}

/** Throws DamagedHistory. */
export function readRowList(reader: ByteReader, base: number): RowList {
  const count = reader.count(1 + ROW_BYTES)
  const slots: number[] = []
  let slot = base
  for (let index = 0; index < count; index++) {
    slot += reader.varint()
    if (!Number.isSafeInteger(slot)) reader.fail('a slot exceeds 2^53 - 1')
    slots.push(slot)
  }
  return { slots, rows: readRows(reader, count) }
}

/** Passes over a list. Throws DamagedHistory. */
export function skipRowList(reader: ByteReader): void {
  const count = reader.count(1 + ROW_BYTES)
  for (let index = 0; index < count; index++) reader.varint()
  reader.take(ROW_BYTES * count)
}

export function readRows(reader: ByteReader, count: number): number[] {
  const { bytes, at } = reader.take(ROW_BYTES * count)
  const rows: number[] = []
  for (let index = 0; index < count; index++) rows.push(rowAt(bytes, at, index))
  return rows
}

/** One of rows that follow each other from `at` on, or another number of three bytes. */
export function rowAt(bytes: Uint8Array, at: number, index: number): number {
  const own = at + ROW_BYTES * index
  return (
    (bytes[own] as number) | ((bytes[own + 1] as number) << 8) | ((bytes[own + 2] as number) << 16)
  )
}

export function packedPosting(kind: Kind, bucket: number, part: number, body: Buffer): Posting {
  return { kind, bucket, part, bytes: enclose(kind, pack(body)) }
}
