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
import { decodeColumns, encodeColumns } from './columns/encoding.ts'
import { columnsOf, rowOf, SwapColumns } from './columns/swap-columns.ts'
import { disclose, enclose, pack, unpack } from './envelope.ts'
import { type SealedSwap, SIGNATURE_BYTES } from './row.ts'

/** Rows that a block may have; one that fits a page has about a hundred. */
export const BLOCK_ROWS_MAX = 4_096

/** Throws RangeError for a value that no row of table `swap` can have. */
export function encodeBlock(rows: readonly SealedSwap[]): Uint8Array {
  if (rows.length > BLOCK_ROWS_MAX) {
    throw new RangeError(`${counted(rows.length, 'row')}: a block has ${BLOCK_ROWS_MAX} at most`)
  }
  const columns = columnsOf(rows)
  const signatures = distinctSignatures(rows, columns)
  const writer = new ByteWriter(64 + 64 * rows.length)
  encodeColumns(writer, columns)
  const head = Buffer.allocUnsafe(4)
  head.writeUInt16LE(rows.length, 0)
  head.writeUInt16LE(signatures.length, 2)
  return enclose('block', Buffer.concat([head, ...signatures, pack(writer.finish())]))
}

/** Sets how far back the row with the same signature is; returns each signature once, in the order of rows. */
function distinctSignatures(rows: readonly SealedSwap[], columns: SwapColumns): Uint8Array[] {
  const signatures: Uint8Array[] = []
  const lastWith = new Map<number, number>()
  for (let row = 0; row < rows.length; row++) {
    const { signature } = rows[row] as SealedSwap
    if (signature.length !== SIGNATURE_BYTES) {
      throw new RangeError(
        `signature of row ${row} has ${signature.length} bytes, expected ${SIGNATURE_BYTES}`,
      )
    }
    // Six bytes find nearly every one; two signatures that share them are both written.
    const key = Buffer.from(signature.buffer, signature.byteOffset, SIGNATURE_BYTES).readUIntLE(
      0,
      6,
    )
    const before = lastWith.get(key)
    const isKnown = before !== undefined && Buffer.compare(rows[before]!.signature, signature) === 0
    if (isKnown) columns.signatureBack.set(row, row - before)
    else signatures.push(signature)
    lastWith.set(key, row)
  }
  return signatures
}

/** `subject` names the block in errors: `blockName()`. Throws DamagedHistory or UnknownFormat. */
export function decodeBlock(bytes: Uint8Array, subject: string): SealedSwap[] {
  const reader = new ByteReader(disclose('block', bytes, subject), subject)
  const head = reader.raw(4)
  const [count, own] = [head.readUInt16LE(0), head.readUInt16LE(2)]
  if (count > BLOCK_ROWS_MAX)
    reader.fail(`it has ${counted(count, 'row')}, expected ${BLOCK_ROWS_MAX} at most`)
  // A copy: rows outlive the page that a driver reads into.
  const signatures = Uint8Array.from(reader.raw(SIGNATURE_BYTES * own))
  const columns = new SwapColumns(count)
  const body = new ByteReader(unpack(reader.rest(), subject), subject)
  decodeColumns(body, columns)
  body.end()
  return rowsOf(columns, signatures, own, body)
}

function rowsOf(
  columns: SwapColumns,
  signatures: Uint8Array,
  own: number,
  reader: ByteReader,
): SealedSwap[] {
  const rows: SealedSwap[] = []
  let next = 0
  for (let row = 0; row < columns.count; row++) {
    const back = columns.signatureBack.low[row] as number
    if (back < 0 || back > row) reader.fail(`row ${row} has the signature of row ${row - back}`)
    if (back === 0 && next === own) reader.fail(`row ${row} lacks its signature`)
    const at = SIGNATURE_BYTES * next
    const signature =
      back > 0 ? rows[row - back]!.signature : signatures.subarray(at, at + SIGNATURE_BYTES)
    if (back === 0) next += 1
    rows.push(rowOf(columns, row, signature))
  }
  if (next !== own)
    reader.fail(`it has ${counted(own, 'signature')}, and its rows refer to ${next}`)
  return rows
}
