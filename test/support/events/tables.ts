/**
 * Events as tables: CSV and Parquet with a column a field, written by libraries that the product does not read with.
 */
import { stringify } from 'csv-stringify/sync'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Event } from '../../../domain/events/event.ts'
import { parseExact } from '../../../domain/text/exact-json.ts'
import { CONTRACT, type Field } from '../../../streams/ingest/contract.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import {
  ADDRESS,
  BOOLEAN,
  POOL_EVENT_KIND,
  PRICE,
  SIGNATURE,
  TEXT,
} from '../../../streams/ingest/rule.ts'

type Value = string | number | bigint | boolean
type Fields = Readonly<Record<string, Value>>

const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.values(CONTRACT).flatMap((fields) => fields.map((field) => [field.name, field] as const)),
)
const COLUMN_NAMES = ['kind', ...FIELDS.keys()]

const recordOf = (event: Event): Fields => parseExact(printEvent(event)) as Fields

export function csvOf(events: readonly Event[], delimiter = ','): string {
  const rows = events.map((event) => {
    const fields = recordOf(event)
    return COLUMN_NAMES.map((name) => (name in fields ? String(fields[name]) : ''))
  })
  return stringify([COLUMN_NAMES, ...rows], { delimiter })
}

export type ParquetColumn = Omit<SchemaElement, 'num_children'> & { cells: unknown[] }

/** A file of these columns, as optional ones, in groups of `rowGroupSize` rows. */
export function parquetOf(columns: readonly ParquetColumn[], rowGroupSize?: number): Buffer {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ cells: _, ...element }) => ({
      repetition_type: 'OPTIONAL' as const,
      ...element,
    })),
  ]
  return Buffer.from(
    parquetWriteBuffer({
      schema,
      columnData: columns.map(({ name, cells }) => ({ name, data: cells })),
      ...(rowGroupSize ? { rowGroupSize } : {}),
    }),
  )
}

/** `unknownAt`: before the event of this index is a row of an unknown kind. */
export function parquetOfEvents(
  events: readonly Event[],
  rowGroupSize?: number,
  unknownAt?: number,
): Buffer {
  const records = events.map(recordOf)
  if (unknownAt !== undefined) records.splice(unknownAt, 0, { kind: 'order' })
  const columns = COLUMN_NAMES.map((name) => ({
    ...typeOf(name),
    cells: records.map((record) => cellOf(name, record[name])),
  }))
  return parquetOf(columns, rowGroupSize)
}

const TEXTS = [ADDRESS, SIGNATURE, TEXT, POOL_EVENT_KIND]

function typeOf(name: string): Pick<SchemaElement, 'name' | 'type' | 'converted_type'> {
  const rule = FIELDS.get(name)?.rule
  if (rule === undefined || TEXTS.includes(rule)) {
    return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
  }
  if (rule === BOOLEAN) return { name, type: 'BOOLEAN' }
  return { name, type: rule === PRICE ? 'DOUBLE' : 'INT64' }
}

function cellOf(name: string, value: Value | undefined): unknown {
  if (value === undefined) return undefined
  const { type } = typeOf(name)
  if (type === 'INT64') return BigInt(value as number | bigint)
  return type === 'DOUBLE' ? Number(value) : value
}
