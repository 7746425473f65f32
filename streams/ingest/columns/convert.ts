/**
 * Texts of cells as values of the ingest contract. Pure.
 *
 * Law: digits never pass through a double unless the field is a price, which is one. A text that is no such value stays a
 * text, so that the contract refuses it with its own reason; only what the contract cannot state has a reason here.
 */
import { exactInteger } from '../../../domain/text/exact-json.ts'
import { readTime } from '../../../domain/time/time.ts'
import { dexOfProgram, dexOfText } from '../../../domain/venue.ts'
import {
  ADDRESS,
  BOOLEAN,
  DEX,
  type FieldRule,
  POOL_EVENT_KIND,
  PRICE,
  SIGNATURE,
  TEXT,
} from '../rule.ts'

/** Units of a column of times; `utc` is `iso` where a time may lack its zone and is of UTC then. */
export const UNITS = ['s', 'ms', 'us', 'ns', 'iso', 'utc'] as const
export type Unit = (typeof UNITS)[number]

/** Numbers as JSON writes them: no plus, no leading zeros, no separators of thousands. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const DECIMAL = /^(-?(?:0|[1-9]\d*)(?:\.\d+)?)(?:[eE]([+-]?\d{1,3}))?$/
const TEXTS: ReadonlySet<FieldRule> = new Set([SIGNATURE, ADDRESS, TEXT, POOL_EVENT_KIND])

/** The value of a cell for a field of this rule; the text itself where it is none. */
export function convert(text: string, rule: FieldRule): unknown {
  if (TEXTS.has(rule)) return text
  if (rule === BOOLEAN) return booleanOf(text)
  if (rule === DEX) return dexOfText(text) ?? dexOfProgram(text) ?? integerOf(text)
  if (rule === PRICE) return NUMBER.test(text) ? Number(text) : text
  return integerOf(text)
}

function booleanOf(text: string): unknown {
  const lower = text.toLowerCase()
  return lower === 'true' || (lower === 'false' ? false : text)
}

function integerOf(text: string): unknown {
  return NUMBER.test(text) ? (exactInteger(text) ?? text) : text
}

export type Converted = { value: unknown } | { reason: string }

/** "1.5" of a token with 9 decimals is 1500000000 base units. */
export function toBaseUnits(text: string, decimals: number): Converted {
  const [, digits, exponent = '0'] = DECIMAL.exec(text) ?? []
  if (digits === undefined) return { reason: 'expected a decimal number' }
  const value = exactInteger(`${digits}e${Number(exponent) + decimals}`)
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
  if (unit === 'iso' || unit === 'utc') return momentOf(text, unit)
  if (unit === 'ms' && !text.includes('.')) return { value: integerOf(text) }
  const [, whole, fraction = ''] = UNSIGNED.exec(text) ?? []
  if (whole === undefined) return { reason: `expected Unix time in ${unit}` }
  const point = whole.length + SHIFTS[unit]
  const digits = `${whole}${fraction}`.padEnd(point, '0').slice(0, Math.max(0, point))
  return { value: exactInteger(digits === '' ? '0' : digits) ?? text }
}

function momentOf(text: string, unit: 'iso' | 'utc'): Converted {
  const [, date, time, zone = unit === 'utc' ? 'Z' : ''] = MOMENT.exec(text) ?? []
  if (date === undefined) {
    return { reason: 'expected a time like 2026-07-20 12:00:00.000 UTC or 2026-07-20T12:00:00Z' }
  }
  const read = readTime(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`, 'last')
  if ('ms' in read) return { value: read.ms }
  return { reason: zone === '' ? 'without a zone: map it with {"unit": "utc"}' : read.error }
}
