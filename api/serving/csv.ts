/**
 * Lists as CSV, for `Accept: text/csv`: one line a row, columns by the answer's schema, numbers in the digits of the JSON.
 *
 * A list is an answer with one array of objects at its top, or with the one that its route declares as its rows. Fields of
 * objects in a row are columns of their own (`pool.pair_address`), arrays are JSON, null is an empty cell, and a row that
 * is null an empty line. Where rows may be texts instead, these are the first column only. Fields in addition to the rows are left
 * out, except the cursor of the next page and the moment of an answer as of a slot, which become headers.
 */
import type { IncomingMessage } from 'node:http'
import accepts from 'accepts'
import { stringify } from 'csv-stringify/sync'
import { isLosslessNumber, parse, stringify as writeJson } from 'lossless-json'
import type { Route } from '../routing/route.ts'

export const CSV = 'text/csv'
const JSON_TYPE = 'application/json'
/** RFC 4180: the first line names the columns. */
export const CSV_TYPE = `${CSV}; charset=utf-8; header=present`

type Shape = {
  type?: string
  anyOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
}
type Json = Record<string, unknown>
/** The name, and the path to the value from a row. */
type Column = { name: string; path: readonly string[] }

export type Table = {
  text: string
  /** Absent: the list is not paged by cursor, or this is its last page. */
  nextCursor?: string
  /** The field `as_of` as JSON, but for its list of gaps. Absent: the answer is of now. */
  asOf?: string
}

/** Writes a route's answers as CSV; undefined where they are no list. */
export function csvWriterOf({ answer, rows: declared }: Pick<Route, 'answer' | 'rows'>) {
  const property = rowsOf(answer, declared)
  if (property === undefined) return undefined
  const columns = columnsOf(property.row)
  return (body: string): Table => {
    const parsed = parse(body) as Json
    const rows = parsed[property.name] as (Json | string | null)[]
    const isOfTexts = rows.length > 0 && rows.every((row) => typeof row === 'string')
    const shown = isOfTexts ? columns.slice(0, 1) : columns
    const text = stringify(
      rows.map((row) =>
        typeof row === 'string' ? [row] : shown.map(({ path }) => cellOf(row, path)),
      ),
      { header: true, columns: shown.map(({ name }) => name), record_delimiter: 'windows' },
    )
    const { next_cursor: cursor, as_of: asOf } = parsed
    return {
      text,
      ...(typeof cursor === 'string' && { nextCursor: cursor }),
      ...(asOf !== undefined && { asOf: momentOf(asOf as Json) }),
    }
  }
}

/** Gaps may be more than a header holds. */
function momentOf({ coverage_gaps: _, ...moment }: Json): string {
  return writeJson(moment) ?? ''
}

/** JSON where a client accepts both alike. */
export const wantsCsv = (request: IncomingMessage): boolean =>
  accepts(request).type([JSON_TYPE, CSV]) === CSV

/** The property of an answer that holds its rows; null: the answer is declared to be no list. */
function rowsOf(
  answer: Shape,
  declared: string | null | undefined,
): { name: string; row: Shape } | undefined {
  if (declared === null) return undefined
  const found = Object.entries(answer.properties ?? {}).flatMap(([name, shape]) => {
    const row = rowOf(shape)
    return row === undefined || name !== (declared ?? name) ? [] : [{ name, row }]
  })
  return found.length === 1 ? found[0] : undefined
}

/** The objects of an array, or of an array in several forms. */
function rowOf(shape: Shape): Shape | undefined {
  for (const { type, items } of [shape, ...(shape.anyOf ?? [])]) {
    const row = type === 'array' && items !== undefined ? objectOf(items) : undefined
    if (row !== undefined) return row
  }
  return undefined
}

function columnsOf(row: Shape, within: readonly string[] = []): Column[] {
  return Object.entries(row.properties ?? {}).flatMap(([key, shape]) => {
    const path = [...within, key]
    const object = objectOf(shape)
    return object === undefined ? [{ name: path.join('.'), path }] : columnsOf(object, path)
  })
}

/** An object, or one that may be null. */
function objectOf(shape: Shape): Shape | undefined {
  return [shape, ...(shape.anyOf ?? [])].find(({ properties }) => properties !== undefined)
}

function cellOf(row: Json | null, path: readonly string[]): string {
  const value = path.reduce<unknown>((at, key) => (at as Json | null | undefined)?.[key], row)
  if (value === null || value === undefined) return ''
  const isWhole = typeof value !== 'object' || isLosslessNumber(value)
  return isWhole ? String(value) : (writeJson(value) ?? '')
}
