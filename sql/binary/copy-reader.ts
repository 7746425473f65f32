/**
 * Reads rows of PostgreSQL's binary COPY: the bulk way to read a table, without a text form in between. The reader is
 * positioned on a row's fields, which are read in the order of the columns.
 */
import type { ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Int64 } from '../../domain/amount.ts'

const HEADER_BYTES = 19
const END_OF_ROWS = -1

export class RowReader {
  private bytes: Buffer = Buffer.alloc(0)
  private at = 0

  /** Appends received bytes and drops the ones that were read. */
  feed(chunk: Buffer): void {
    const left = this.bytes.subarray(this.at)
    this.bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk])
    this.at = 0
  }

  /** Moves to the first field of the next row; false while that row is incomplete. */
  next(): boolean {
    const { bytes, at } = this
    if (bytes.length - at < 2) return false
    const fields = bytes.readInt16BE(at)
    if (fields === END_OF_ROWS) return false
    let end = at + 2
    for (let field = 0; field < fields; field++) {
      if (bytes.length - end < 4) return false
      end += 4 + Math.max(0, bytes.readInt32BE(end))
    }
    if (end > bytes.length) return false
    this.at += 2
    return true
  }

  skip(length: number): boolean {
    if (this.bytes.length - this.at < length) return false
    this.at += length
    return true
  }

  int8(): Int64 {
    const at = this.at + 4
    this.at += 12
    const high = this.bytes.readInt32BE(at)
    // Within +-2^52, so that the sum is exact.
    if (high >= -0x100000 && high < 0x100000)
      return high * 2 ** 32 + this.bytes.readUInt32BE(at + 4)
    const exact = this.bytes.readBigInt64BE(at)
    const near = Number(exact)
    return Number.isSafeInteger(near) ? near : exact
  }

  /** An int8 that is known to be a safe integer. */
  safe(): number {
    return Number(this.int8())
  }

  int4(): number {
    this.at += 8
    return this.bytes.readInt32BE(this.at - 4)
  }

  int2(): number {
    this.at += 6
    return this.bytes.readInt16BE(this.at - 2)
  }

  bool(): boolean {
    this.at += 5
    return this.bytes[this.at - 1] === 1
  }

  ascii(): string {
    const length = this.bytes.readInt32BE(this.at)
    const from = this.at + 4
    this.at = from + length
    return this.bytes.toString('latin1', from, this.at)
  }
}

/** Reads `copy (...) to stdout (format binary)`; `onRows` reads all complete rows. */
export async function copyOut(
  connection: ClientBase,
  statement: string,
  onRows: (rows: RowReader) => Promise<void>,
): Promise<void> {
  const rows = new RowReader()
  let isBegun = false
  for await (const chunk of connection.query(copyTo(statement))) {
    rows.feed(chunk as Buffer)
    isBegun ||= rows.skip(HEADER_BYTES)
    if (isBegun) await onRows(rows)
  }
}
