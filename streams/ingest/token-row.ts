/**
 * Turns an operator's row of a mint into a token event of the ingest contract. Pure.
 *
 * Law: it is judged by the contract itself, under its names; `mint` is another word for token_address.
 * A row without a slot overrides all known values (docs/semantics.md#metadata-of-a-token).
 */

import type { Token } from '../../domain/events/token.ts'
import { trimPasted } from '../../domain/text/padding.ts'
import { parseEvent } from './contract.ts'
import { type OperatorFields, withoutEmpty } from './operator-line.ts'
import { printed, type Refusal } from './refusal.ts'
import { TEXT } from './rule.ts'

export const TOKEN_COLUMNS = ['mint'] as const
export const SECTOR_COLUMNS = ['mint', 'sector'] as const
/** Fields of a token line that are integers: cells of CSV are texts. */
export const TOKEN_INTEGERS: ReadonlySet<string> = new Set(['slot', 'decimals', 'supply'])

/** `warnings`: fields that were left out. */
export type ReadToken = { token: Token; warnings?: readonly Refusal[] }

/** Fields that are addresses: pasted ones are trimmed. */
const ADDRESSES: ReadonlySet<string> = new Set(['mint', 'token_address', 'creator'])

/** The token of a line, or all that speaks against it. `slot`: for lines without one. */
export function tokenOfRow(
  fields: OperatorFields,
  slot: number,
): ReadToken | { refusals: Refusal[] } {
  const { kind = 'token', mint, ...rest } = withoutEmpty(withPastedTrimmed(fields))
  if (kind !== 'token') {
    return { refusals: [{ field: 'kind', value: printed(kind), reason: 'expected "token"' }] }
  }
  const given = { kind, slot, ...(mint === undefined ? {} : { token_address: mint }), ...rest }
  // Token lines carry no time, so the clock is unused.
  const parsed = parseEvent(lineOf(given), 0)
  if ('refusals' in parsed) return parsed
  if (parsed.event.kind !== 'token') throw new Error(`a token became "${parsed.event.kind}"`)
  const { token } = parsed.event
  return parsed.warnings === undefined ? { token } : { token, warnings: parsed.warnings }
}

/** A mint and its sector only: with an invalid sector the whole line is refused. */
export function sectorOfRow(
  fields: OperatorFields,
  slot: number,
): ReadToken | { refusals: Refusal[] } {
  const { mint, token_address = mint, sector } = withoutEmpty(fields)
  if (sector === undefined) {
    return { refusals: [{ field: 'sector', value: undefined, reason: 'expected a text' }] }
  }
  const read = tokenOfRow({ token_address, sector }, slot)
  if ('refusals' in read || read.token.sector) return read
  const reason = `expected ${TEXT.expected}, and not blank`
  return { refusals: [{ field: 'sector', value: printed(sector), reason }] }
}

function withPastedTrimmed(fields: OperatorFields): OperatorFields {
  const trimmed = Object.entries(fields).map(([name, value]) => [
    name,
    ADDRESSES.has(name) && typeof value === 'string' ? trimPasted(value) : value,
  ])
  return Object.fromEntries(trimmed)
}

/** A line of JSON, integers digit for digit, whether they came as numbers or as the text of a cell. */
function lineOf(fields: OperatorFields): string {
  const members = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'bigint' ? String(value) : value
      const isNumeral =
        TOKEN_INTEGERS.has(name) && typeof text === 'string' && /^-?(0|[1-9]\d{0,30})$/.test(text)
      return `${JSON.stringify(name)}:${isNumeral ? text : jsonOf(value)}`
    })
  return `{${members.join(',')}}`
}

/** For a field that is no integer, a number beyond 2^53-1 is refused in any notation. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}` : inner))
  } catch {
    // Nested deeper than the stack: refused, as a list is in every field.
    return '[]'
  }
}
