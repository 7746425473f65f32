/**
 * JSON serialization by schema: the schema that describes a response also writes it.
 *
 * Integers are written exactly, whether number or bigint; fields are in the schema's order, and a field that the
 * schema does not name is not written. A writer is compiled once per schema.
 */
import type { TSchema } from 'typebox'
import { PROGRAM_NAME, venueText } from './venue-naming.ts'

export type Write = (value: unknown) => string

/** Maps a value to one that JSON.stringify writes, which is far faster than concatenating text here. */
type Plain = (value: unknown) => unknown

type Shape = {
  type?: string
  format?: string
  anyOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
}

/** Text that JSON.stringify writes unchanged; TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** The writer of a schema's values. */
export function writerOf(schema: TSchema): Write {
  const plain = plainOf(schema as Shape)
  return (value) => JSON.stringify(plain(value))
}

function plainOf(shape: Shape): Plain {
  if (shape.anyOf !== undefined) return plainOrNull(shape.anyOf)
  if (shape.properties !== undefined) return plainObject(shape.properties)
  if (shape.type === 'array' && shape.items !== undefined) return plainArray(shape.items)
  if (shape.type === 'integer' || shape.type === 'number') return plainNumber
  if (shape.format === PROGRAM_NAME) return (name) => venueText(String(name), 'programs')
  if (shape.type === 'string') return plainText
  return plainExact
}

function plainOrNull(options: readonly Shape[]): Plain {
  const others = options.filter((option) => option.type !== 'null')
  const plains = others.map((option) => ({ option, plain: plainOf(option) }))
  return (value) => {
    if (value === null) return null
    const found = plains.length === 1 ? plains[0] : plains.find(({ option }) => fits(value, option))
    return (found?.plain ?? plainExact)(value)
  }
}

/** Whether a value is of an option, by the kinds text, object and list of these. */
function fits(value: unknown, { type, items, properties }: Shape): boolean {
  if (type === 'array') {
    return Array.isArray(value) && (value.length === 0 || fits(value[0], items ?? {}))
  }
  if (properties !== undefined) return typeof value === 'object' && !Array.isArray(value)
  return type === 'string' && typeof value === 'string'
}

/**
 * A function with the fields' names in its text: no name is looked up for any value, and what comes out has one
 * hidden class. A field that is undefined is left out by the engine.
 */
function plainObject(properties: Record<string, Shape>): Plain {
  const plains = Object.values(properties).map(plainOf)
  const fields = Object.keys(properties).map((property, index) => {
    const name = JSON.stringify(property)
    return `${name}: from[${name}] === undefined ? undefined : plain${index}(from[${name}])`
  })
  const names = plains.map((_, index) => `plain${index}`)
  return new Function(...names, `return (from) => ({ ${fields.join()} })`)(...plains)
}

function plainArray(items: Shape): Plain {
  const plain = plainOf(items)
  return (value) => (value as unknown[]).map(plain)
}

/** Writes any value but null as a string, including an int64 for clients that requested strings. */
function plainText(value: unknown): unknown {
  return value === null ? null : String(value)
}

/** Sums come as texts of digits, too. JSON knows no NaN and no infinity: the engine writes null. */
function plainNumber(value: unknown): unknown {
  return typeof value === 'number' ? value : rawJSON(String(value))
}

/** Anything, by what it is instead of by a schema. */
function plainExact(value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(value.toString())
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plainExact)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plainExact(field)]))
}

/** Anything; bigints digit for digit. */
export function writeExact(value: unknown): string {
  return JSON.stringify(plainExact(value)) ?? 'null'
}
