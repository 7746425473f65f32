/**
 * Arrays as parameters in PostgreSQL's binary form: for thousands of integers a statement, where text
 * would be written here, escaped, and parsed there.
 *
 * Dimensions, whether there are nulls, element type, then per dimension its length and lower bound; then
 * each element with its length.
 */

const INT8_OID = 20
const HEADER_BYTES = 20
const INT8_ELEMENT_BYTES = 12

/** A parameter for `$n::bigint[]`. */
export function int8Array(values: readonly bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * INT8_ELEMENT_BYTES)
  let at = bytes.writeInt32BE(1, 0)
  at = bytes.writeInt32BE(0, at)
  at = bytes.writeInt32BE(INT8_OID, at)
  at = bytes.writeInt32BE(values.length, at)
  at = bytes.writeInt32BE(1, at)
  for (const value of values) {
    at = bytes.writeInt32BE(8, at)
    at = bytes.writeBigInt64BE(value, at)
  }
  return bytes
}
