/**
 * Cursors: the canonical key of the last row of an answer, as opaque base64url. Pure.
 *
 * Law: the key alone says where a list goes on, so rows that arrive meanwhile make it neither skip
 * nor repeat. A cursor names the kind of list that it is from, and no other list takes it.
 */
import { exactOf } from '../streams/amount.ts'
import { ApiError } from './error.ts'

const SEPARATOR = '|'

export function encodeCursor(kind: string, fields: readonly unknown[]): string {
  return Buffer.from([kind, ...fields].join(SEPARATOR), 'latin1').toString('base64url')
}

/** The fields behind the kind, as many as they should be. Throws ApiError for any other text. */
export function decodeCursor(kind: string, text: string, fieldCount: number): string[] {
  const bytes = Buffer.from(text, 'base64url')
  const [found, ...fields] = bytes.toString('latin1').split(SEPARATOR)
  const isWhole = bytes.toString('base64url') === text
  if (!isWhole || found !== kind || fields.length !== fieldCount) throw notOfThisList()
  return fields
}

export function notOfThisList(): ApiError {
  return new ApiError('INVALID_PARAM', 'cursor: expected the next_cursor of an answer of this list')
}

/** A whole number of 0 or more that a cursor carries, as it would be written. */
export function cursorInteger(text: string): number | bigint {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) throw notOfThisList()
  return exactOf(text)
}

/** The same where it must be exact as a number, at most `greatest`. */
export function cursorNumber(text: string, greatest = Number.MAX_SAFE_INTEGER): number {
  const value = cursorInteger(text)
  if (typeof value === 'bigint' || value > greatest) throw notOfThisList()
  return value
}
