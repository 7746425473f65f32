/** Values of DuckDB as JSON texts. Integers of any width are digits, so none passes through a double. */
import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api'

/**
 * Integers are digits. A double is the shortest number that reads back to it, and a text where JSON has no number ("NaN",
 * "Infinity"). A decimal is a number where a double holds it, else a text. Lists are arrays, structs objects, maps arrays of
 * pairs; all else (times, intervals, blobs) is the text that DuckDB prints.
 */
export function jsonOf(value: DuckDBValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') {
    return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value))
  }
  if (value instanceof DuckDBDecimalValue) return jsonOfDecimal(value.toString())
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return `[${value.items.map(jsonOf).join()}]`
  }
  if (value instanceof DuckDBStructValue) {
    const fields = Object.entries(value.entries)
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonOf(field)}`).join()}}`
  }
  if (value instanceof DuckDBMapValue) {
    return `[${value.entries.map(({ key, value: of }) => `[${jsonOf(key)},${jsonOf(of)}]`).join()}]`
  }
  if (value instanceof DuckDBUnionValue) return jsonOf(value.value)
  return JSON.stringify(String(value))
}

function jsonOfDecimal(digits: string): string {
  const isInteger = !digits.includes('.')
  const trimmed = isInteger ? digits : digits.replace(/\.?0+$/, '')
  return isInteger || String(Number(digits)) === trimmed ? trimmed : JSON.stringify(digits)
}
