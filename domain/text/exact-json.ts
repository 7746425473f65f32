/**
 * Exact JSON: integers that a double cannot represent become bigints. Pure.
 *
 * JSON.parse reads every number as a double, so 9007199254740993 comes out as ...992. The parse with access to each
 * number's source is exact but several times slower, and few events need it: it runs only where a field that must be an
 * integer came out beyond 2^53-1.
 *
 * An object also has each key once. JSON.parse lets the last of equal keys win, so a line with two slots would be
 * ambiguous. The keys of a parsed flat object account for every quote of its text; the keys of a text whose quotes do not
 * add up, or that nests or escapes, are read one by one (json-keys.ts).
 */
import { findRepeatedKey, type RepeatedKey } from './json-keys.ts'

export type JsonObject = Record<string, unknown>

/** More digits than any int64 written with an exponent needs; BigInt() is quadratic in them. */
const SOURCE_LENGTH_MAX = 64

/**
 * The object of a JSON text; undefined where the text is no JSON or no object. Values of the named
 * fields beyond 2^53-1 are bigints with the digits of the text, where it denotes an integer.
 */
export function parseExactObject(
  text: string,
  integerFields: ReadonlySet<string>,
): { json: JsonObject } | { repeated: RepeatedKey } | undefined {
  try {
    const plain: unknown = JSON.parse(text)
    if (!isObject(plain)) return undefined
    const repeated = isFlatWithKeysOnce(text, plain) ? undefined : findRepeatedKey(text)
    if (repeated !== undefined) return { repeated }
    const mayBeRounded = text.includes('.') && MAY_BE_ROUNDED.test(text)
    if (!mayBeRounded && !hasUnsafeInteger(plain, integerFields)) return { json: plain }
    const exact: unknown = JSON.parse(text, (name, value, context?: { source?: string }) =>
      typeof value === 'number' && integerFields.has(name)
        ? exactValue(value, context?.source ?? '')
        : value,
    )
    return isObject(exact) ? { json: exact } : undefined
  } catch {
    // A SyntaxError, or a RangeError where the nesting is deeper than the stack.
    return undefined
  }
}

/** Whether the quotes of the text are those of the object's keys and texts, none of which holds a quote. */
function isFlatWithKeysOnce(text: string, json: JsonObject): boolean {
  if (text.includes('\\')) return false
  let expected = 0
  for (const name in json) {
    const value = json[name]
    if (typeof value === 'object' && value !== null) return false
    expected += typeof value === 'string' ? 4 : 2
  }
  let found = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) found++
  return found === expected
}

/** A point with so many digits about it that a double may have none of them left. */
const MAY_BE_ROUNDED = /(?=[\d.]{17})\d*\.\d/

/** A fraction that a double rounds to an integer stays its text, which no such field accepts. */
function exactValue(value: number, source: string): unknown {
  const exact = exactInteger(source)
  if (exact !== undefined) return isUnsafe(value) ? exact : value
  return Number.isInteger(value) && (!isUnsafe(value) || source.includes('.')) ? source : value
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasUnsafeInteger(json: JsonObject, integerFields: ReadonlySet<string>): boolean {
  for (const name in json) {
    const value = json[name]
    if (typeof value === 'number' && isUnsafe(value) && integerFields.has(name)) return true
  }
  return false
}

function isUnsafe(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER
}

/**
 * The integer that a JSON number denotes: digits, or digits with a point and an exponent that leave
 * no fraction. Canonical (a number where that is safe), so a refused value may lie beyond int64.
 */
export function exactInteger(source: string): number | bigint | undefined {
  if (source.length > SOURCE_LENGTH_MAX) return undefined
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length
  if (Math.abs(shift) > SOURCE_LENGTH_MAX) return undefined
  const digits = BigInt(whole + fraction)
  const scale = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % scale !== 0n) return undefined
  const size = shift < 0 ? digits / scale : digits * scale
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(sign === '-' ? -size : size)
  return sign === '-' ? -size : size
}

/** Sixteen digits or more that are no fraction and no exponent: a double may not hold them. */
const LONG_INTEGER = /(?<![.\d])\d{16,}(?![.\deE])/
const INTEGER = /^-?\d+$/

/** Any JSON, with integers that are no safe numbers as bigints. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, restoreInteger) : JSON.parse(text)
}

function restoreInteger(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? ''
  const isRounded = typeof value === 'number' && isUnsafe(value) && INTEGER.test(source)
  return isRounded ? BigInt(source) : value
}
