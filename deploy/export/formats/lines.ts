/**
 * Rows as lines: NDJSON as the API writes its objects, and CSV as its lists answer `Accept: text/csv` (RFC 4180). Integers
 * are plain digits, null is null in NDJSON and an empty cell in CSV, a list of texts is JSON in both.
 */
import { stringify } from 'csv-stringify/sync'
import type { Column, Row, Value } from '../columns.ts'
import type { NewFile } from '../new-file.ts'
import type { RowWriter } from './row-writer.ts'

const encoder = new TextEncoder()

export function ndjsonWriter(file: NewFile, columns: readonly Column[]): RowWriter {
  const keys = columns.map(({ name }, at) => [name, `${at === 0 ? '{' : ','}"${name}":`] as const)
  const lineOf = (row: Row): string =>
    `${keys.map(([name, key]) => key + jsonOf(row[name] ?? null)).join('')}}\n`
  return {
    write: (rows) => file.write(encoder.encode(rows.map(lineOf).join(''))),
    finish: async () => {},
  }
}

export function csvWriter(file: NewFile, columns: readonly Column[]): RowWriter {
  const names = columns.map(({ name }) => name)
  const textOf = (rows: readonly Row[], header: boolean): Uint8Array =>
    encoder.encode(
      stringify(
        rows.map((row) => names.map((name) => cellOf(row[name] ?? null))),
        { header, columns: names, record_delimiter: 'windows' },
      ),
    )
  let isFirst = true
  return {
    async write(rows) {
      await file.write(textOf(rows, isFirst))
      isFirst = false
    },
    async finish() {
      if (isFirst) await file.write(textOf([], true))
    },
  }
}

function jsonOf(value: Value): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

function cellOf(value: Value): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
