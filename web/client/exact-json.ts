/**
 * JSON of the API without a lost digit: an integer beyond 2^53 becomes a bigint, every other number is the double that it
 * states. Pure.
 */
import { isSafeNumber, parse } from 'lossless-json'

/** An integer of 16 digits or more in the position of a value: only such a text needs the slow parser. */
const LONG_INTEGER = /(?:^|[[:,\s])-?\d{16,}\s*(?:[,}\]]|$)/
const INTEGER = /^-?\d+$/

export function parseExact(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text)
  return parse(text, undefined, (digits) =>
    INTEGER.test(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits),
  )
}
