/**
 * JSON out of a schema: the schema that describes an answer also writes it.
 *
 * Law: an integer is written digit for digit, whether it is a number or a bigint; fields stand in
 * the schema's order, and what the schema does not name does not leave. A writer is built once a
 * schema and runs without looking at it again.
 */
import type { TSchema } from 'typebox'

export type Write = (value: unknown) => string

type Shape = {
  type?: string
  anyOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
}

/** The writer of a schema's values. */
export function writerOf(schema: TSchema): Write {
  return writer(schema as Shape)
}

function writer(shape: Shape): Write {
  if (shape.anyOf !== undefined) return nullableWriter(shape.anyOf)
  if (shape.properties !== undefined) return objectWriter(shape.properties)
  if (shape.type === 'array' && shape.items !== undefined) return arrayWriter(shape.items)
  if (shape.type === 'integer' || shape.type === 'number') return writeNumber
  if (shape.type === 'boolean') return String
  if (shape.type === 'string') return writeText
  return writeExact
}

function nullableWriter(options: readonly Shape[]): Write {
  const others = options.filter((option) => option.type !== 'null')
  const write = others.length === 1 ? writer(others[0] as Shape) : writeExact
  return (value) => (value === null ? 'null' : write(value))
}

function objectWriter(properties: Record<string, Shape>): Write {
  const fields = Object.entries(properties).map(([name, shape]) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    write: writer(shape),
  }))
  return (value) => {
    const from = value as Record<string, unknown>
    let text = ''
    for (const { name, label, write } of fields) {
      const field = from[name]
      if (field === undefined) continue
      text += (text === '' ? label : `,${label}`) + write(field)
    }
    return `{${text}}`
  }
}

function arrayWriter(items: Shape): Write {
  const write = writer(items)
  return (value) => `[${(value as unknown[]).map(write).join(',')}]`
}

/** Whatever stands there as a text: an int64, too, for who asked for texts. */
function writeText(value: unknown): string {
  return JSON.stringify(String(value))
}

/** JSON knows no NaN and no infinity. */
function writeNumber(value: unknown): string {
  return typeof value === 'number' && !Number.isFinite(value) ? 'null' : String(value)
}

/** Anything, by what it is instead of by a schema; bigints digit for digit. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${writeExact(field)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
