/**
 * Cursors: the canonical key of the last row of a response, as opaque base64url (for pools by volume, which changes,
 * the pools that were shown: pairs/shown-pools.ts). Pure.
 *
 * The key alone determines where a list continues, so rows that arrive meanwhile cause neither gaps nor repeats. A
 * cursor ends in a checksum of itself and of its list: other lists reject it, and so does its own when a character is
 * lost. The checksum protects against accidents, not against forgery.
 */
import { hash } from 'node:crypto'
import { exactOf } from '../../../domain/amount.ts'
import { ApiError } from '../error.ts'

/**
 * A list as its cursors know it: its kind, and what it is of (wallet, mint, pool, order). Filters and windows
 * are not in it: they leave rows out and move none, so that a walk may change them on its way.
 */
export type CursorList = readonly [kind: string, ...of: (string | undefined)[]]

const SEPARATOR = '|'
/** Characters of a hash: 48 bits. */
const CHECKSUM_LENGTH = 8

export function encodeCursor(list: CursorList, fields: readonly unknown[]): string {
  const texts = fields.map(String)
  const parts = [list[0], ...texts, checksumOf(list, texts)]
  return Buffer.from(parts.join(SEPARATOR), 'latin1').toString('base64url')
}

/** The fields after the kind, exactly the expected number. Throws ApiError for any other text. */
export function decodeCursor(list: CursorList, text: string, fieldCount: number): string[] {
  const bytes = Buffer.from(text, 'base64url')
  const [kind, ...parts] = bytes.toString('latin1').split(SEPARATOR)
  const fields = parts.slice(0, -1)
  const isWhole =
    bytes.toString('base64url') === text &&
    parts.at(-1) === checksumOf(list, fields) &&
    // A made-up one: the database has no text with a NUL.
    !fields.some((field) => field.includes('\0'))
  if (!isWhole || kind !== list[0] || fields.length !== fieldCount) throw notOfThisList()
  return fields
}

function checksumOf(list: CursorList, fields: readonly string[]): string {
  return hash('sha256', JSON.stringify([list, fields]), 'base64url').slice(0, CHECKSUM_LENGTH)
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
