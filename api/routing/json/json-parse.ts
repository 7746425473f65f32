/**
 * Parses JSON exactly: an integer that a double cannot represent becomes a bigint. Pure.
 *
 * A text without long integers, the usual case, is parsed by JSON.parse alone.
 */

/** Sixteen digits or more that are no fraction and no exponent: what a double may not hold. */
const LONG_INTEGER = /(?<![.\d])\d{16,}(?![.\deE])/
const INTEGER = /^-?\d+$/

/** Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, restore) : JSON.parse(text)
}

function restore(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}
