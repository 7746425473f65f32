/**
 * Arrays as parameters, in PostgreSQL's binary form: for thousands of integers a statement, where text
 * would be written here, escaped, and parsed there.
 *
 * Dimensions, whether there are nulls, element type, then per dimension its length and lower bound; then
 * each element with its length.
 */

import type { Int64 } from '../../domain/amount.ts'

const BOOL_OID = 16
const INT8_OID = 20
const INT2_OID = 21
const INT4_OID = 23
const TEXT_OID = 25
const FLOAT8_OID = 701
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const HIGH_UNIT = 2 ** 32

/** A parameter for `$n::bigint[]`. */
export function int8Array(values: readonly Int64[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + 8))
  let at = writeHeader(bytes, INT8_OID, values.length)
  for (const value of values) at = writeInt8(bytes, value, bytes.writeInt32BE(8, at))
  return bytes
}

/** Returns the offset after it. */
function writeInt8(bytes: Buffer, value: Int64, at: number): number {
  if (typeof value === 'bigint') return bytes.writeBigInt64BE(value, at)
  const high = Math.floor(value / HIGH_UNIT)
  return bytes.writeUInt32BE(value - high * HIGH_UNIT, bytes.writeInt32BE(high, at))
}

/** A parameter for `$n::bigint[]`; null becomes null. */
export function optionalInt8Array(values: readonly (Int64 | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + 8))
  let at = writeHeader(bytes, INT8_OID, values.length, values.includes(null))
  for (const value of values) {
    if (value === null) at = bytes.writeInt32BE(-1, at)
    else at = writeInt8(bytes, value, bytes.writeInt32BE(8, at))
  }
  return bytes.subarray(0, at)
}

/** A parameter for `$n::bigint[]` of integers that come as signed halves, the high one first. */
export function int8ArrayOfHalves(halves: Int32Array): Buffer {
  const count = halves.length / 2
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + count * (LENGTH_BYTES + 8))
  const view = viewOf(bytes)
  let at = putHeader(view, 0, INT8_OID, count)
  for (let index = 0; index < halves.length; index += 2) {
    view.setInt32(at, 8)
    view.setInt32(at + 4, halves[index]!)
    view.setInt32(at + 8, halves[index + 1]!)
    at += LENGTH_BYTES + 8
  }
  return bytes
}

/** A parameter for `$n::integer[]`. */
export function int4Array(values: readonly number[] | Int32Array): Buffer {
  const bytes = Buffer.allocUnsafe(int4ArrayBytes(values.length))
  writeInt4Array(viewOf(bytes), 0, values)
  return bytes
}

export const int4ArrayBytes = (length: number): number => HEADER_BYTES + length * (LENGTH_BYTES + 4)

/** The same into existing bytes, from an offset on. */
export function writeInt4Array(
  view: DataView,
  offset: number,
  values: readonly number[] | Int32Array,
): void {
  let at = putHeader(view, offset, INT4_OID, values.length)
  for (let index = 0; index < values.length; index++) {
    view.setInt32(at, 4)
    view.setInt32(at + LENGTH_BYTES, values[index]!)
    at += LENGTH_BYTES + 4
  }
}

/** A parameter for `$n::smallint[]`; null becomes null. */
export function int2Array(values: readonly (number | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + 2))
  let at = writeHeader(bytes, INT2_OID, values.length, values.includes(null))
  for (const value of values) {
    if (value === null) at = bytes.writeInt32BE(-1, at)
    else at = bytes.writeInt16BE(value, bytes.writeInt32BE(2, at))
  }
  return bytes.subarray(0, at)
}

/** A parameter for `$n::boolean[]`. */
export function boolArray(values: readonly boolean[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + 1))
  let at = writeHeader(bytes, BOOL_OID, values.length)
  for (const value of values) at = bytes.writeUInt8(value ? 1 : 0, bytes.writeInt32BE(1, at))
  return bytes
}

/** A parameter for `$n::text[]` of ASCII, such as base58; null becomes null. */
export function asciiArray(values: readonly (string | null)[]): Buffer {
  let length = HEADER_BYTES
  for (const value of values) length += LENGTH_BYTES + (value?.length ?? 0)
  const bytes = Buffer.allocUnsafe(length)
  let at = writeHeader(bytes, TEXT_OID, values.length, values.includes(null))
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? -1 : value.length, at)
    if (value !== null) at += bytes.write(value, at, 'latin1')
  }
  return bytes
}

/** A parameter for `$n::double precision[]`; null becomes null. */
export function float8Array(values: readonly (number | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(float8ArrayBytes(values))
  writeFloat8Array(viewOf(bytes), 0, values)
  return bytes
}

export function float8ArrayBytes(values: readonly (number | null)[]): number {
  let bytes = HEADER_BYTES
  for (const value of values) bytes += value === null ? LENGTH_BYTES : LENGTH_BYTES + 8
  return bytes
}

/** The same into existing bytes, from an offset on. */
export function writeFloat8Array(
  view: DataView,
  offset: number,
  values: readonly (number | null)[],
): void {
  let at = putHeader(view, offset, FLOAT8_OID, values.length, values.includes(null))
  for (const value of values) {
    if (value === null) {
      view.setInt32(at, -1)
      at += LENGTH_BYTES
      continue
    }
    view.setInt32(at, 8)
    view.setFloat64(at + LENGTH_BYTES, value)
    at += LENGTH_BYTES + 8
  }
}

/**
 * An array in text, where there are few: numbers, truth values and base58 need no escapes, which the client
 * would look for in each element. Doubles are exact in it.
 */
export function plainArray(values: readonly (Int64 | boolean | string | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join()}}`
}

function writeHeader(bytes: Buffer, oid: number, length: number, hasNulls = false): number {
  return putHeader(viewOf(bytes), 0, oid, length, hasNulls)
}

/** Returns the offset after it. */
function putHeader(
  view: DataView,
  offset: number,
  oid: number,
  length: number,
  hasNulls = false,
): number {
  view.setInt32(offset, 1)
  view.setInt32(offset + 4, hasNulls ? 1 : 0)
  view.setInt32(offset + 8, oid)
  view.setInt32(offset + 12, length)
  view.setInt32(offset + 16, 1)
  return offset + HEADER_BYTES
}

export function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
