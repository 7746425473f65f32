/**
 * A block: some tens of swaps in the bytes of one row of `swap_block`. Pure.
 *
 *   envelope | rows (2) | signatures (2) | 64 bytes a signature | the columns, packed by zstd
 *
 * Law: decoding gives the rows that were encoded, to the bit, or throws. A block is read by itself: the first row of a
 * pool in it refers to no row of another block. Layout, limits and reasons: docs/history-format.md.
 */
import { counted } from '../../domain/text/plural.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { BLOCK_ROWS_MAX, type BlockColumns } from './columns/block-columns.ts'
import { ColumnCodec } from './columns/encoding.ts'
import { IntegerEncoder } from './columns/integers.ts'
import { columnsOf, rowOf, type SwapColumns } from './columns/swap-columns.ts'
import { discloseAny, encloseIn, pack, unpack } from './envelope.ts'
import { type SealedSwap, SIGNATURE_BYTES } from './row.ts'

/** Throws RangeError for a value that no row of table `swap` can have. */
export function encodeBlock(rows: readonly SealedSwap[]): Uint8Array {
  return new BlockEncoder(columnsOf(rows)).encode(0, rows.length)
}

/** Encodes runs of rows of a table. */
export class BlockEncoder {
  private readonly table: SwapColumns
  private readonly codec = new ColumnCodec()
  private readonly writer = new ByteWriter(2 ** 16)
  private readonly encoder = new IntegerEncoder(this.writer, BLOCK_ROWS_MAX)
  private readonly head = new ByteWriter(2 ** 14)
  /** The first of the rows that the columns hold, and how many these are. */
  private loadedFrom = 0
  private loaded = 0

  constructor(table: SwapColumns) {
    this.table = table
  }

  /** The block of `count` rows from one on. */
  encode(from: number, count: number): Uint8Array {
    if (count > BLOCK_ROWS_MAX) {
      throw new RangeError(`${counted(count, 'row')}: a block has ${BLOCK_ROWS_MAX} at most`)
    }
    const { codec, writer } = this
    this.load(from, count)
    const { columns } = codec
    columns.reset(count)
    columns.linkPools()
    columns.linkVenues()
    columns.linkSignatures()
    writer.clear()
    const format = codec.format()
    codec.encode(this.encoder, format)
    return encloseIn(format, 'block', this.headOf(columns), pack(writer.finish()))
  }

  /** Most blocks are encoded several times, each time with another count of the same rows. */
  private load(from: number, count: number): void {
    if (from !== this.loadedFrom) this.loaded = 0
    this.loadedFrom = from
    if (this.loaded >= count) return
    this.codec.columns.copy(this.loaded, this.table, from + this.loaded, from + count)
    this.loaded = count
  }

  private headOf(columns: BlockColumns): Buffer {
    const { head } = this
    head.clear()
    head.room(4)
    let own = 0
    for (let row = 0; row < columns.count; row++) {
      if (columns.signatureBack.low[row] !== 0) continue
      head.raw(columns.signature(row))
      own += 1
    }
    const written = head.finish()
    written.writeUInt16LE(columns.count, 0)
    written.writeUInt16LE(own, 2)
    return written
  }
}

/** `subject` names the block in errors: `blockName()`. Throws DamagedHistory or UnknownFormat. */
export function decodeBlock(bytes: Uint8Array, subject: string): SealedSwap[] {
  const columns = decodeBlockColumns(bytes, subject)
  // A copy: rows outlive the columns.
  const signatures = columns.signatures.slice(0, SIGNATURE_BYTES * columns.count)
  return Array.from({ length: columns.count }, (_, row) => {
    const at = SIGNATURE_BYTES * row
    const hash = columns.integers.blockhash.low[row] as number
    return rowOf(columns, row, signatures.subarray(at, at + SIGNATURE_BYTES), hash)
  })
}

let decoder: ColumnCodec | undefined

/** The same as columns, which the next call changes. */
export function decodeBlockColumns(bytes: Uint8Array, subject: string): BlockColumns {
  const { format, body: stored } = discloseAny('block', bytes, subject)
  const reader = new ByteReader(stored, subject)
  const head = reader.raw(4)
  const [count, own] = [head.readUInt16LE(0), head.readUInt16LE(2)]
  if (count > BLOCK_ROWS_MAX)
    reader.fail(`it has ${counted(count, 'row')}, expected ${BLOCK_ROWS_MAX} at most`)
  const signatures = reader.raw(SIGNATURE_BYTES * own)
  decoder ??= new ColumnCodec()
  const { columns } = decoder
  columns.reset(count)
  const body = new ByteReader(unpack(reader.rest(), subject), subject)
  decoder.decode(body, format)
  body.end()
  restoreSignatures(columns, signatures, own, body)
  return columns
}

function restoreSignatures(
  columns: BlockColumns,
  stored: Uint8Array,
  own: number,
  reader: ByteReader,
): void {
  const { signatures, signatureBack } = columns
  let next = 0
  for (let row = 0; row < columns.count; row++) {
    const back = signatureBack.low[row] as number
    if (back < 0 || back > row) reader.fail(`row ${row} has the signature of row ${row - back}`)
    if (back === 0 && next === own) reader.fail(`row ${row} lacks its signature`)
    const at = SIGNATURE_BYTES * row
    if (back === 0) {
      const from = SIGNATURE_BYTES * next
      signatures.set(stored.subarray(from, from + SIGNATURE_BYTES), at)
      next += 1
    } else {
      const from = SIGNATURE_BYTES * (row - back)
      signatures.copyWithin(at, from, from + SIGNATURE_BYTES)
    }
  }
  if (next !== own)
    reader.fail(`it has ${counted(own, 'signature')}, and its rows refer to ${next}`)
}
