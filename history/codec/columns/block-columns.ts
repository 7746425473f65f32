/**
 * The rows of a block by column, with the links between them that predictions follow: the row before in the pool, for rows
 * without one the row of the venue that began its pool before, and the row before with the same signature. Pure.
 *
 * Links refer to earlier rows only, so they hold for every beginning of the rows, however many a block gets.
 */
import { SIGNATURE_BYTES } from '../row.ts'
import { Int64Column } from './int64-column.ts'
import { SwapColumns } from './swap-columns.ts'

/** Rows that a block may have; one that fits a page has about a hundred. */
export const BLOCK_ROWS_MAX = 4_096

/** All rows, those that begin their pool in the block, and the others: ascending. */
type RowSets = { all: Int32Array; firsts: Int32Array; followers: Int32Array }

/** Bytes of a signature that find nearly every one; two signatures that share them are both written. */
const KEY_BYTES = 6

export class BlockColumns extends SwapColumns {
  /** The distance to an earlier row with the same signature, 0 for a row that has its own. */
  readonly signatureBack = new Int64Column(BLOCK_ROWS_MAX)
  /** The row before in the pool, -1 where there is none. */
  readonly previous = new Int32Array(BLOCK_ROWS_MAX)
  /** For a row that begins its pool: the one before of the same venue, -1 where there is none. */
  readonly ofVenue = new Int32Array(BLOCK_ROWS_MAX)
  readonly rows: RowSets
  private readonly firsts = new Int32Array(BLOCK_ROWS_MAX)
  private readonly followers = new Int32Array(BLOCK_ROWS_MAX)
  private readonly all = Int32Array.from({ length: BLOCK_ROWS_MAX }, (_, row) => row)

  constructor() {
    super(BLOCK_ROWS_MAX)
    const none = this.all.subarray(0, 0)
    this.rows = { all: none, firsts: none, followers: none }
  }

  /** Begins with `count` rows whose values are any. */
  reset(count: number): void {
    this.count = count
    this.rows.all = this.all.subarray(0, count)
  }

  /** To be called when `pool_id` is known: later columns of both directions depend on it. */
  linkPools(): void {
    const { all } = this.rows
    linkEqual(this.integers.pool_id, all, this.previous)
    let [firsts, followers] = [0, 0]
    for (let row = 0; row < all.length; row++) {
      if ((this.previous[row] as number) < 0) this.firsts[firsts++] = row
      else this.followers[followers++] = row
    }
    this.rows.firsts = this.firsts.subarray(0, firsts)
    this.rows.followers = this.followers.subarray(0, followers)
  }

  /** To be called when `dex` is known. */
  linkVenues(): void {
    linkEqual(this.integers.dex, this.rows.firsts, this.ofVenue)
  }

  /** Links the rows with the same signature. */
  linkSignatures(): void {
    const { count, signatures, signatureBack } = this
    const bytes = Buffer.from(signatures.buffer, signatures.byteOffset, signatures.byteLength)
    const lastWith = new Map<number, number>()
    for (let row = 0; row < count; row++) {
      const at = SIGNATURE_BYTES * row
      const key = bytes.readUIntLE(at, KEY_BYTES)
      const before = lastWith.get(key)
      const isKnown = before !== undefined && isSameSignature(bytes, SIGNATURE_BYTES * before, at)
      signatureBack.set(row, isKnown ? row - before : 0)
      lastWith.set(key, row)
    }
  }
}

function linkEqual(ids: Int64Column, rows: Int32Array, into: Int32Array): void {
  const last = new Map<number, number>()
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as number
    const id = ids.low[row] as number
    into[row] = last.get(id) ?? -1
    last.set(id, row)
  }
}

function isSameSignature(bytes: Buffer, one: number, other: number): boolean {
  return bytes.compare(bytes, one, one + SIGNATURE_BYTES, other, other + SIGNATURE_BYTES) === 0
}
