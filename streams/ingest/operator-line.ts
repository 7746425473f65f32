/**
 * Lines of the files that operators write: NDJSON, or CSV under a header. Pure.
 *
 * Law: the first line decides which of the two the file is, and every line after it is judged separately: a broken one
 * is refused with its reason and affects no other line. A line feed within a quoted cell is refused with its line,
 * because no value of these files contains one.
 */

import { CsvError, parse } from 'csv-parse/sync'
import { parseExactObject } from '../../domain/text/exact-json.ts'
import { counted } from '../../domain/text/plural.ts'
import { quoted, type Refusal, refuseJson, refuseLine } from './refusal.ts'

/** By column or key; absent and null are left out, an empty value is ''. Cells of CSV are texts. */
export type OperatorFields = Readonly<Record<string, unknown>>

export type ReadLine = { fields: OperatorFields } | { refusals: Refusal[] } | 'header'

const COLUMN = /^[a-z_]+$/

/**
 * A reader of one file's lines, from the first one on. `required`: columns that the header must have;
 * `integers`: keys whose numbers are read to the last digit.
 */
export function operatorLines(
  required: readonly string[],
  integers: ReadonlySet<string> = new Set(),
): (text: string) => ReadLine {
  let isJson: boolean | undefined
  let columns: readonly string[] | undefined
  return (text) => {
    isJson ??= text.trimStart().startsWith('{')
    if (isJson) {
      const parsed = parseExactObject(text, integers)
      return parsed === undefined || 'repeated' in parsed
        ? { refusals: [refuseJson(text, parsed)] }
        : { fields: withoutNull(Object.entries(parsed.json)) }
    }
    const cells = cellsOf(text)
    if (!Array.isArray(cells)) return { refusals: [cells] }
    if (columns === undefined) {
      const refusals = headerRefusals(text, cells, required)
      columns = cells
      return refusals.length > 0 ? { refusals } : 'header'
    }
    if (cells.length !== columns.length) {
      const reason = `expected ${counted(columns.length, 'cell')} as in the header, found ${cells.length}`
      return { refusals: [refuseLine(text, reason)] }
    }
    const names = columns
    return { fields: Object.fromEntries(cells.map((cell, index) => [names[index] ?? '', cell])) }
  }
}

function cellsOf(text: string): string[] | Refusal {
  try {
    const [cells = []] = parse(text, { trim: true, relax_column_count: true })
    return cells
  } catch (error) {
    if (error instanceof CsvError) return refuseLine(text, 'expected cells of CSV on one line')
    throw error
  }
}

function headerRefusals(
  text: string,
  columns: readonly string[],
  required: readonly string[],
): Refusal[] {
  const missing = required.filter((name) => !columns.includes(name))
  const isHeader = columns.every((name) => COLUMN.test(name))
  const isUnique = new Set(columns).size === columns.length
  if (isHeader && isUnique && missing.length === 0) return []
  const reason = isUnique
    ? `expected a header with ${required.join(', ')}, or JSON objects`
    : 'expected each column once'
  return [{ field: 'header', value: quoted(text), reason }]
}

function withoutNull(entries: readonly (readonly [string, unknown])[]): OperatorFields {
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

/** Fields with a value, where an empty text counts as absent. */
export function withoutEmpty(fields: OperatorFields): OperatorFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
