/**
 * Columns of an exported table, from the schema of the answer that has them in REST: name, unit and nullability cannot
 * differ from the API's. Pure.
 *
 * Law: an integer is written digit for digit in every format. An int64 is an int64, a sum that may pass it a decimal of
 * 38 digits; neither ever is a double.
 *
 * Decision: docs/decisions/0052-exports-by-a-parquet-library.md
 */
import type { TSchema } from 'typebox'

export const KINDS = {
  boolean: 'boolean',
  int32: 'int32',
  int64: 'int64',
  sum: 'decimal(38,0)',
  double: 'double',
  text: 'text',
  texts: 'list of text',
} as const
export type Kind = keyof typeof KINDS

export type Column = {
  name: string
  kind: Kind
  isNullable: boolean
  description: string
}

export type Value = null | boolean | number | bigint | string | readonly string[]
/** By the names of the columns. */
export type Row = Readonly<Record<string, Value>>

type Shape = {
  type?: string
  format?: string
  enum?: unknown[]
  anyOf?: Shape[]
  items?: Shape
  maximum?: number
  description?: string
}

const INT32_MAX = 2_147_483_647

/** Throws TypeError for a field that is neither a value nor a list of texts. */
export function columnsOf(properties: Readonly<Record<string, TSchema>>): Column[] {
  return Object.entries(properties).map(([name, schema]) => {
    const shape = schema as Shape
    const isNullable = shape.anyOf?.some(({ type }) => type === 'null') === true
    const valued = shape.anyOf?.find(({ type }) => type !== 'null') ?? shape
    const kind = kindOf(valued)
    if (kind === undefined) throw new TypeError(`"${name}" has no column: ${JSON.stringify(shape)}`)
    const description = shape.description ?? valued.description ?? ''
    return { name, kind, isNullable, description }
  })
}

function kindOf({ type, format, maximum, items, enum: choices }: Shape): Kind | undefined {
  if (type === 'boolean') return 'boolean'
  if (type === 'number') return 'double'
  if (type === 'string' || choices?.every((choice) => typeof choice === 'string')) return 'text'
  if (type === 'array') return items?.type === 'string' ? 'texts' : undefined
  if (type !== 'integer') return undefined
  if (format === 'bigint') return 'sum'
  return format === 'int32' || (maximum !== undefined && maximum <= INT32_MAX) ? 'int32' : 'int64'
}
