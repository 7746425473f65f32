/**
 * Signature postings of a segment: from 64 bits of a signature's hash to the rows that may have it. Pure.
 *
 * The leading bits of the hash choose the bucket, as many as the segment has `signature_bits`; the next 24 are stored. A
 * match is a candidate, which is compared with the whole signature of its row.
 *
 *   count | 3 bytes of hash each, ascending | 3 bytes of row each
 */
import { ByteReader, ByteWriter } from '../bytes.ts'
import { disclose, enclose, SEGMENT_ROWS_MAX } from '../envelope.ts'
import { type Posting, rowAt, writeRows } from './row-list.ts'

const MARK_BITS = 24
const MARK_BYTES = 3
const ROW_BYTES = 3
/** Entries of a bucket on average: a posting is then about 600 bytes, thirteen to a page. */
const ENTRIES = 94
const SIGNATURE_BITS_MAX = 24

/** Bits of the hash that choose the bucket, for a segment of so many rows. */
export function signatureBits(rowCount: number): number {
  return Math.min(SIGNATURE_BITS_MAX, Math.max(0, Math.round(Math.log2(rowCount / ENTRIES))))
}

/** Where a signature is looked up: halves of its hash as `hashSignature()` writes them. */
export function signatureBucket(high: number, bits: number): number {
  return bits === 0 ? 0 : high >>> (32 - bits)
}

/** The 24 bits after those of the bucket. */
export function signatureMark(high: number, low: number, bits: number): number {
  const shifted = bits === 0 ? high : (high << bits) | (low >>> (32 - bits))
  return shifted >>> (32 - MARK_BITS)
}

/** `halves`: high and low of the hash of each row of the segment. A posting for each bucket with rows. */
export function* signaturePostings(halves: Int32Array, bits: number): Generator<Posting> {
  for (const [bucket, entries] of [...entriesByBucket(halves, bits)].sort(([a], [b]) => a - b)) {
    entries.sort((a, b) => a - b)
    const writer = new ByteWriter(8 + 6 * entries.length)
    writer.varint(entries.length)
    for (const entry of entries) writer.uint24(Math.floor(entry / SEGMENT_ROWS_MAX))
    writeRows(
      writer,
      entries.map((entry) => entry % SEGMENT_ROWS_MAX),
    )
    // Hashes and rows are as good as random: zstd would find nothing.
    yield { kind: 'signature', bucket, part: 0, bytes: enclose('signature', writer.finish()) }
  }
}

/** Mark and row of each entry as one number of 48 bits. */
function entriesByBucket(halves: Int32Array, bits: number): Map<number, number[]> {
  const buckets = new Map<number, number[]>()
  for (let row = 0; 2 * row < halves.length; row++) {
    const [high, low] = [halves[2 * row] as number, halves[2 * row + 1] as number]
    const bucket = signatureBucket(high, bits)
    const entry = signatureMark(high, low, bits) * SEGMENT_ROWS_MAX + row
    const entries = buckets.get(bucket)
    if (entries === undefined) buckets.set(bucket, [entry])
    else entries.push(entry)
  }
  return buckets
}

/**
 * A function that returns the rows whose signature may be the one of a mark, ascending. Throws DamagedHistory or
 * UnknownFormat.
 */
export function signatureFinder(bytes: Uint8Array, subject: string): (mark: number) => number[] {
  const reader = new ByteReader(disclose('signature', bytes, subject), subject)
  const count = reader.count(MARK_BYTES + ROW_BYTES)
  const marks = reader.raw(MARK_BYTES * count)
  const rows = reader.raw(ROW_BYTES * count)
  reader.end()
  return (mark) => {
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (rowAt(marks, 0, middle) < mark) low = middle + 1
      else high = middle
    }
    const found: number[] = []
    for (; low < count && rowAt(marks, 0, low) === mark; low++) found.push(rowAt(rows, 0, low))
    return found
  }
}
