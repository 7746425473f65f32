/**
 * How a refused line or field is reported: the field, the value that was found, the expected one. Pure.
 */
import type { RepeatedKey } from '../../domain/text/json-keys.ts'

/**
 * Why a line is refused: the field (`line` for the whole), its value as JSON writes it (undefined: it is
 * missing), what was expected.
 */
export type Refusal = { field: string; value: string | undefined; reason: string }

const VALUE_LENGTH_MAX = 80

/** The text of the report: `slot "7": expected an integer`; numbers, lists, objects and `absent` without quotes. */
export function explainRefusal({ field, value, reason }: Refusal): string {
  return value === undefined ? `${field} absent: ${reason}` : `${field} ${value}: ${reason}`
}

/** The same as a warning: the line counts without the field. */
export function leftOut(refusal: Refusal): Refusal {
  return { ...refusal, reason: `${refusal.reason}: the field is left out` }
}

/** A refusal of a whole line that is no event at all; the value is its beginning. */
export function refuseLine(line: string, reason: string): Refusal {
  return { field: 'line', value: quoted(line), reason }
}

/** Why a line is no JSON object with each key once. */
export function refuseJson(line: string, found: { repeated: RepeatedKey } | undefined): Refusal {
  if (found !== undefined) {
    const { key, source } = found.repeated
    const value = source.startsWith('"') ? quoted(source.slice(1, -1)) : cut(source)
    return { field: cut(key), value, reason: 'expected the key once in the line' }
  }
  if (!line.includes('}\ufeff')) return refuseLine(line, 'expected a JSON object')
  const reason =
    'expected a JSON object: the line contains a byte order mark; files were joined without a line feed'
  return refuseLine(line, reason)
}

/** The refusals of an input's last line: where it has no line feed, it may be truncated. */
export function refusalsOfLine(
  refusals: Refusal[],
  { isUnended }: { isUnended?: true },
): Refusal[] {
  if (isUnended === undefined) return refusals
  return refusals.map((refusal) => {
    if (refusal.field !== 'line') return refusal
    const reason = `${refusal.reason}; the last line has no line feed: is it truncated?`
    return { ...refusal, reason }
  })
}

/** The JSON text of a value, at most 80 characters of it; undefined where there is none. */
export function printed(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'bigint' || typeof value === 'number') return cut(String(value))
  // A long text is cut before it is printed, and the result is cut again.
  if (typeof value === 'string') {
    return quoted(JSON.stringify(value.slice(0, VALUE_LENGTH_MAX + 1)).slice(1, -1))
  }
  try {
    return cut(
      JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}` : inner)),
    )
  } catch {
    return Array.isArray(value) ? 'a deeply nested array' : 'a deeply nested object'
  }
}

/** Between quotes, cut to 80 characters and not escaped as JSON. */
export const quoted = (text: string): string => `"${cut(text)}"`

/** At most 80 characters, no half of a surrogate pair, no control characters for the terminal. */
function cut(text: string): string {
  return text
    .slice(0, VALUE_LENGTH_MAX)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .slice(0, VALUE_LENGTH_MAX)
}
