/**
 * Rows of a table as one parameter, `$1::"table"[]`, in PostgreSQL's binary form: for rows that a statement is
 * to go through, without a table to put them down in before.
 *
 * An array's header (binary-array.ts) names the type of its elements by its oid, which is a database's own. A row
 * is its length, its count of columns, and of each column the type, then what COPY has. The types of `columns`
 * are those of the table, in its order: a server refuses any other.
 */
import { CopyBuffer } from './binary-copy.ts'

/** Types of columns by their oids, which are the same everywhere. */
export const COLUMN = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  int4Array: 1007,
  numeric: 1700,
} as const

const COUNT_AT = 12
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const ROW_HEAD_BYTES = 8

export class RowArray extends CopyBuffer {
  private readonly columns: readonly number[]
  private column = 0
  private count = 0
  private rowAt = 0

  /** `rowType`: the oid of the table's rows; `columns`: those of its columns. */
  constructor(capacity: number, rowType: number, columns: readonly number[]) {
    super(capacity, headerOf(rowType))
    this.columns = columns
  }

  override row(fields: number, bound: number): void {
    this.endRow()
    if (fields !== this.columns.length) throw new RangeError(`a row of ${fields} columns`)
    this.makeRoom(bound + ROW_HEAD_BYTES + fields * LENGTH_BYTES)
    this.rowAt = this.at
    this.column = 0
    this.count += 1
    this.view.setInt32(this.at + LENGTH_BYTES, fields)
    this.at += ROW_HEAD_BYTES
  }

  override null(): void {
    this.type()
    super.null()
  }

  override int8(value: number | bigint): void {
    this.type()
    super.int8(value)
  }

  override int8OfHalves(high: number, low: number): void {
    this.type()
    super.int8OfHalves(high, low)
  }

  override numeric(value: bigint): void {
    this.type()
    super.numeric(value)
  }

  override int4(value: number): void {
    this.type()
    super.int4(value)
  }

  override int2(value: number): void {
    this.type()
    super.int2(value)
  }

  override float8(value: number): void {
    this.type()
    super.float8(value)
  }

  override bool(value: boolean): void {
    this.type()
    super.bool(value)
  }

  override ascii(text: string): void {
    this.type()
    super.ascii(text)
  }

  override raw(bytes: Uint8Array): void {
    this.type()
    super.raw(bytes)
  }

  /** The parameter. The buffer is not to be used again. */
  override finish(): Buffer {
    this.endRow()
    this.view.setInt32(COUNT_AT, this.count)
    return this.bytes.subarray(0, this.at)
  }

  private type(): void {
    this.view.setInt32(this.at, this.columns[this.column]!)
    this.at += LENGTH_BYTES
    this.column += 1
  }

  private endRow(): void {
    if (this.count === 0) return
    if (this.column !== this.columns.length) throw new RangeError(`a row ends after ${this.column}`)
    this.view.setInt32(this.rowAt, this.at - this.rowAt - LENGTH_BYTES)
  }
}

/** One dimension without nulls; how many elements it has stands in it at the end. */
function headerOf(rowType: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeInt32BE(1, 0)
  header.writeUInt32BE(rowType, 8)
  header.writeInt32BE(1, COUNT_AT + LENGTH_BYTES)
  return header
}
