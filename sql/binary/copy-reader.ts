/**
 * Reads rows of PostgreSQL's binary COPY: the bulk way to read a table, without a text form in between. The reader is
 * positioned on a row's fields, which are read in the order of the columns.
 */
import type { Readable } from 'node:stream'
import pg, { type ClientBase } from 'pg'
import type { Int64 } from '../../domain/amount.ts'
import { viewOf } from './arrays.ts'

const HEADER_BYTES = 19
const END_OF_ROWS = -1
/** Length of a field that is null. */
const NULL_LENGTH = -1
/** Both begin as the errors of lost connections do (driver/connection-error.ts). */
const NO_ROWS = 'Connection terminated: what the server copied is no row'
const CUT_OFF = 'Connection terminated: the copy ended before its trailer'

/** A column of 64-bit integers: both halves signed. */
type Halves = { readonly high: Int32Array; readonly low: Int32Array }

export class RowReader {
  /** The bytes that fieldAt() refers to. */
  bytes: Buffer = Buffer.alloc(0)
  private view: DataView = viewOf(this.bytes)
  private at = 0
  /** Where the row that was read last ends. */
  private endOfRow: number | undefined
  fieldLength = 0

  /** Appends received bytes and drops the ones that were read. */
  feed(chunk: Buffer): void {
    const left = this.bytes.subarray(this.at)
    this.bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk])
    this.view = viewOf(this.bytes)
    this.at = 0
    this.endOfRow = undefined
  }

  /** Moves to the first field of the next row; false while that row is incomplete. Throws where the bytes are no rows. */
  next(): boolean {
    const { bytes, view, at, endOfRow } = this
    if (endOfRow !== undefined && at !== endOfRow) throw new Error(NO_ROWS)
    if (bytes.length - at < 2) return false
    const fields = view.getInt16(at)
    if (fields === END_OF_ROWS) return false
    let end = at + 2
    for (let field = 0; field < fields; field++) {
      if (bytes.length - end < 4) return false
      const length = view.getInt32(end)
      if (length < NULL_LENGTH) throw new Error(NO_ROWS)
      end += 4 + Math.max(0, length)
    }
    if (end > bytes.length) return false
    this.at += 2
    this.endOfRow = end
    return true
  }

  /** Whether all rows and the trailer were received, and nothing else. */
  isComplete(): boolean {
    return this.bytes.length - this.at === 2 && this.bytes.readInt16BE(this.at) === END_OF_ROWS
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

  /** An int8 as two halves, into a row of a column. */
  int8Into({ high, low }: Halves, row: number): void {
    high[row] = this.view.getInt32(this.at + 4)
    low[row] = this.view.getInt32(this.at + 8)
    this.at += 12
  }

  /** An int4 likewise. */
  int4Into({ high, low }: Halves, row: number): void {
    const value = this.view.getInt32(this.at + 4)
    high[row] = value >> 31
    low[row] = value
    this.at += 8
  }

  /** An int2 likewise. */
  int2Into({ high, low }: Halves, row: number): void {
    const value = this.view.getInt16(this.at + 4)
    high[row] = value >> 31
    low[row] = value
    this.at += 6
  }

  /** Moves past a field of `bytes`, and returns where it begins; it is `fieldLength` long. */
  fieldAt(): number {
    const from = this.at + 4
    this.fieldLength = this.view.getInt32(this.at)
    this.at = from + this.fieldLength
    return from
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

  float8(): number {
    this.at += 12
    return this.view.getFloat64(this.at - 8)
  }

  /** Whether the next field is null; skips it then. */
  isNull(): boolean {
    if (this.view.getInt32(this.at) !== NULL_LENGTH) return false
    this.at += 4
    return true
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

/**
 * Reads `copy (...) to stdout (format binary)`; `onRows` reads all complete rows. Rejects as of a lost connection where the copy is
 * cut off. A connection whose copy failed is to be closed: the rest of the copy may still arrive.
 */
export async function copyOut(
  connection: ClientBase,
  statement: string,
  onRows: (rows: RowReader) => Promise<void>,
): Promise<void> {
  const rows = new RowReader()
  let isBegun = false
  for await (const bytes of copied(connection, statement)) {
    rows.feed(bytes)
    isBegun ||= rows.skip(HEADER_BYTES)
    if (isBegun) await onRows(rows)
  }
  if (!rows.isComplete()) throw new Error(CUT_OFF)
}

/** Bytes that wait for their reader: beyond, the server waits. */
const WAITING_BYTES_MAX = 1_048_576
type Copied = { chunk: Buffer }
type Wire = { query(text: string): void; stream: Readable }

/** The bytes of a copy, as many at a time as have arrived. */
async function* copied(connection: ClientBase, statement: string): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let stream: Readable | undefined
  let ended: { error: Error | undefined } | undefined
  let isWanted = true
  let wake = Promise.withResolvers<void>()
  const copy = new pg.Query(statement, (error) => {
    ended = { error: error ?? undefined }
    wake.resolve()
  })
  const submit = (wire: Wire): null => {
    stream = wire.stream
    wire.query(statement)
    return null
  }
  const receive = ({ chunk }: Copied): void => {
    if (!isWanted) return
    // The parser uses its buffer again.
    waiting.push(Buffer.from(chunk))
    waitingBytes += chunk.length
    if (waitingBytes > WAITING_BYTES_MAX) stream?.pause()
    wake.resolve()
  }
  connection.query(Object.assign(copy, { submit, handleCopyData: receive }))
  try {
    for (;;) {
      await wake.promise
      wake = Promise.withResolvers()
      const bytes = Buffer.concat(waiting)
      waiting = []
      waitingBytes = 0
      stream?.resume()
      if (ended?.error !== undefined) throw ended.error
      if (bytes.length > 0) yield bytes
      if (ended !== undefined && waiting.length === 0) return
      if (ended !== undefined) wake.resolve()
    }
  } finally {
    isWanted = false
    stream?.resume()
  }
}
