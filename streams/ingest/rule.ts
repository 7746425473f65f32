/**
 * Rules of the fields of the ingest contract: one a kind of value, with the text that a
 * refusal uses. Pure and total: `holds` accepts any value of JSON or of a decoder and never throws.
 *
 * An int64 is canonical here (domain/amount.ts): a number only where that is exact, so an unsafe
 * number is one that lost its digits on the way in and is refused.
 */
import { INT64_MAX, TOKEN_DECIMALS_MAX } from '../../domain/amount.ts'
import { POOL_EVENT_KINDS } from '../../domain/events/pool-event.ts'
import { isAddress, isSignature } from '../../domain/numbers/base58.ts'
import { DEX_MAX, DEX_MIN } from '../../domain/venue.ts'

export type Rule = {
  /** Completes "expected ...". */
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

/**
 * The rule of a field of the contract. `schema`: the same as JSON Schema, as far as that can state it: base58 by its
 * length, not by what it decodes to.
 */
export type FieldRule = Rule & { readonly schema: JsonSchema }
export type JsonSchema = { readonly [keyword: string]: unknown }

/** 2020-01-01: before the chain; an older time is in seconds or of a wrong clock. */
export const TIMESTAMP_MIN_MS = Date.UTC(2020, 0, 1)
/** The end of 2099: a later time is in microseconds. All counts of minutes rely on it. */
const TIMESTAMP_MAX_MS = Date.UTC(2100, 0, 1) - 1
/** How far ahead of the wall clock a producer's clock may be. */
export const CLOCK_LEAD_MS_MAX = 10 * 60 * 1000
const INT32_MAX = 2_147_483_647
const TEXT_LENGTH_MAX = 200

const base58 = (least: number, greatest: number): JsonSchema => ({
  type: 'string',
  pattern: `^[1-9A-HJ-NP-Za-km-z]{${least},${greatest}}$`,
})

const integerFrom = (minimum: number, maximum: number | bigint): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
})

const integerUpTo = (greatest: number, expected: string): FieldRule => ({
  expected,
  schema: integerFrom(0, greatest),
  holds: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= greatest,
})

export const SIGNATURE: FieldRule = {
  expected: 'a signature: base58 of 64 bytes',
  schema: base58(64, 88),
  holds: (value) => typeof value === 'string' && isSignature(value),
}

export const ADDRESS: FieldRule = {
  expected: 'an address: base58 of 32 bytes',
  schema: base58(32, 44),
  holds: (value) => typeof value === 'string' && isAddress(value),
}

export const BOOLEAN: FieldRule = {
  expected: 'true or false',
  schema: { type: 'boolean' },
  holds: (value) => typeof value === 'boolean',
}

/** slot and block_tx_index: they are ordered by subtraction, so they must be exact doubles. */
export const SAFE_INTEGER = integerUpTo(Number.MAX_SAFE_INTEGER, 'an integer of 0 to 2^53-1')
export const INT32 = integerUpTo(INT32_MAX, `an integer of 0 to ${INT32_MAX}`)
export const BPS = integerUpTo(10_000, 'an integer of 0 to 10000')
export const DECIMALS = integerUpTo(TOKEN_DECIMALS_MAX, 'an integer of 0 to 18')

export const INT64: FieldRule = {
  expected: 'an integer of 0 to 2^63-1',
  schema: integerFrom(0, INT64_MAX),
  holds: isCount,
}

export const POSITIVE_INT64: FieldRule = {
  expected: 'an integer of 1 to 2^63-1',
  schema: integerFrom(1, INT64_MAX),
  holds: (value) => isCount(value) && value !== 0,
}

export const DEX: FieldRule = {
  expected: `a venue: an integer of ${DEX_MIN} to ${DEX_MAX}`,
  schema: integerFrom(DEX_MIN, DEX_MAX),
  holds: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= DEX_MIN && value <= DEX_MAX,
}

export const BASE_DECIMALS: FieldRule = {
  expected: '9, the decimals of SOL',
  schema: { const: 9 },
  holds: (value) => value === 9,
}

/** The wall-clock end of the rule is the contract's: it depends on when the line is read. */
export const TIMESTAMP: FieldRule = {
  expected: 'Unix milliseconds of 2020-01-01 to 2099-12-31',
  schema: integerFrom(TIMESTAMP_MIN_MS, TIMESTAMP_MAX_MS),
  holds: (value) =>
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= TIMESTAMP_MIN_MS &&
    value <= TIMESTAMP_MAX_MS,
}

export const PRICE: FieldRule = {
  expected: 'a finite number of 0 or more',
  schema: { type: 'number', minimum: 0 },
  holds: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
}

export const POOL_EVENT_KIND: FieldRule = {
  expected: `one of ${POOL_EVENT_KINDS.join(' ')}`,
  schema: { enum: POOL_EVENT_KINDS },
  holds: (value) => POOL_EVENT_KINDS.some((kind) => kind === value),
}

/** PostgreSQL's text stores any Unicode but NUL. */
export const TEXT: FieldRule = {
  expected: `a text of at most ${TEXT_LENGTH_MAX} characters without NUL or lone surrogates`,
  schema: { type: 'string', maxLength: TEXT_LENGTH_MAX, pattern: '^[^\\u0000]*$' },
  holds: (value) =>
    typeof value === 'string' &&
    isShort(value) &&
    !value.includes('\u0000') &&
    value.isWellFormed(),
}

function isCount(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0
  return typeof value === 'bigint' && value > Number.MAX_SAFE_INTEGER && value <= INT64_MAX
}

/** Characters are code points: one outside the basic plane is two units of a JavaScript text. */
function isShort(text: string): boolean {
  if (text.length <= TEXT_LENGTH_MAX) return true
  return text.length <= 2 * TEXT_LENGTH_MAX && Array.from(text).length <= TEXT_LENGTH_MAX
}
