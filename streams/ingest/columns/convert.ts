/**
 * Texts of cells as values of the ingest contract. Pure.
 *
 * Law: digits never pass through a double unless the field is a price, which is one. A text that has passed through one
 * elsewhere is refused where that shows: an exponent in an integer or an amount, a decimal point in an amount of base units.
 * docs/decisions/0068-an-exponent-in-a-table-is-refused.md
 */
import { exactInteger } from '../../../domain/text/exact-json.ts'
import { readTime } from '../../../domain/time/time.ts'
import { dexOfProgram, dexOfText } from '../../../domain/venue.ts'
import {
  ADDRESS,
  BOOLEAN,
  DEX,
  type FieldRule,
  INT64,
  POOL_EVENT_KIND,
  POSITIVE_INT64,
  PRICE,
  SIGNATURE,
  TEXT,
  TIMESTAMP,
} from '../rule.ts'
import { damageOf, isSerialDay } from './cell-damage.ts'

/** Units of a column of times; `utc` is `iso` where a time may lack its zone and is of UTC then. */
export const UNITS = ['s', 'ms', 'us', 'ns', 'iso', 'utc'] as const
export type Unit = (typeof UNITS)[number]

/** Numbers as JSON writes them: no plus, no leading zeros, no separators of thousands. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const INTEGER = /^-?(?:0|[1-9]\d*)$/
const TEXTS: ReadonlySet<FieldRule> = new Set([SIGNATURE, ADDRESS, TEXT, POOL_EVENT_KIND])
/** Fields whose texts are not those of numbers or addresses. */
const FREE_TEXTS: ReadonlySet<FieldRule> = new Set([TEXT, POOL_EVENT_KIND])
const isAmount = (rule: FieldRule): boolean => rule === INT64 || rule === POSITIVE_INT64

/** `isDecimal`: of a column of decimals, which are exact. */
type Origin = { readonly isDecimal?: boolean }

/** The value of a cell for a field of this rule; the text itself where it is none. */
export function convert(text: string, rule: FieldRule, origin: Origin = {}): unknown {
  if (TEXTS.has(rule)) return text
  if (rule === BOOLEAN) return booleanOf(text)
  if (rule === DEX) return dexOfText(text) ?? dexOfProgram(text) ?? integerOf(text)
  if (rule === PRICE) return NUMBER.test(text) ? Number(text) : text
  const isWhole = isAmount(rule) && origin.isDecimal !== true
  return isWhole && !INTEGER.test(text) ? text : integerOf(text)
}

/** The same, with the reason where the text is no value of the field. */
export function convertCell(text: string, rule: FieldRule, origin: Origin): Converted {
  const value = convert(text, rule, origin)
  return FREE_TEXTS.has(rule) ? { value } : judged(value, rule)
}

/** A text that is left over from a conversion is refused. */
function judged(value: unknown, rule: FieldRule): Converted {
  if (typeof value !== 'string' || rule.holds(value)) return { value }
  return { reason: `expected ${rule.expected}${damageOf(value, isAmount(rule))}` }
}

function booleanOf(text: string): unknown {
  const lower = text.toLowerCase()
  return lower === 'true' || (lower === 'false' ? false : text)
}

function integerOf(text: string): unknown {
  return DECIMAL.test(text) ? (exactInteger(text) ?? text) : text
}

export type Converted = { value: unknown } | { reason: string }

/** "1.5" of a token with 9 decimals is 1500000000 base units. */
export function toBaseUnits(text: string, decimals: number): Converted {
  if (!DECIMAL.test(text)) return { reason: `expected a decimal number${damageOf(text, false)}` }
  const value = exactInteger(`${text}e${decimals}`)
  if (value !== undefined) return { value }
  return { reason: `expected at most ${decimals} digits after the point: the token has no more` }
}

/** Powers of ten from a unit to milliseconds. */
const SHIFTS = { s: 3, ms: 0, us: -3, ns: -6 } as const
const UNSIGNED = /^(\d{1,30})(?:\.(\d{1,30}))?$/
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})[ Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(UTC|[Zz]|[+-]\d{2}(?::?\d{2})?)?$/

/** Unix ms; digits finer than a millisecond are cut off. */
export function toMilliseconds(text: string, unit: Unit): Converted {
  if (isSerialDay(text)) {
    return {
      reason: `expected ${formOf(unit)}: it is a number of days, as spreadsheets write times`,
    }
  }
  if (unit === 'iso' || unit === 'utc') return momentOf(text, unit)
  if (unit === 'ms' && !text.includes('.')) return judged(integerOf(text), TIMESTAMP)
  const [, whole, fraction = ''] = UNSIGNED.exec(text) ?? []
  if (whole === undefined) return { reason: `expected ${formOf(unit)}${damageOf(text, false)}` }
  const point = whole.length + SHIFTS[unit]
  const digits = `${whole}${fraction}`.padEnd(point, '0').slice(0, Math.max(0, point))
  return { value: exactInteger(digits === '' ? '0' : digits) ?? text }
}

const formOf = (unit: Unit): string =>
  unit === 'iso' || unit === 'utc'
    ? 'a time like 2026-07-20 12:00:00.000 UTC or 2026-07-20T12:00:00Z'
    : `Unix time in ${unit}`

function momentOf(text: string, unit: 'iso' | 'utc'): Converted {
  const [, date, time, zone = unit === 'utc' ? 'Z' : ''] = MOMENT.exec(text) ?? []
  if (date === undefined) {
    return { reason: `expected ${formOf(unit)}` }
  }
  const read = readTime(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`, 'last')
  if ('ms' in read) return { value: read.ms }
  return { reason: zone === '' ? 'without a zone: map it with {"unit": "utc"}' : read.error }
}
