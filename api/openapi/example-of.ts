/**
 * Builds examples for the document from schemas and from values looked up by name. Pure.
 *
 * ```
 * a field: its value by context | the request parameter of its name (top level) | its value by name
 *          | the schema's own example, const, enum | its parts
 * a parameter: its value by context or name | a value other than the default
 * ```
 * An example matches the types of its schema; a test checks bounds and formats. A field without an example is
 * undefined, and the test names it.
 */

import { MINT } from '../examples/story.ts'
import type { Route } from '../routing/route.ts'
import { PROGRAM_NAME, VENUE, venueText } from '../routing/venue-naming.ts'
import { VALUES } from './values/values.ts'

type Schema = {
  type?: string
  format?: string
  title?: string
  $id?: string
  const?: unknown
  examples?: readonly unknown[]
  enum?: readonly unknown[]
  default?: unknown
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

/** Example of one parameter, independent of the others. */
export function parameterExample(path: string, name: string, schema: object): unknown {
  const { default: usual, enum: values, items, type } = schema as Schema
  const known = lookUp([`${path} ${name}`, `parameter.${name}`, name], schema as Schema)
  if (known !== undefined) return known.value
  if (type === 'boolean') return usual !== true
  return (values ?? items?.enum)?.find((value) => value !== usual)
}

/** Example of the response to the route's own example request. */
export function answerExample(route: Pick<Route, 'path' | 'parameters' | 'answer' | 'example'>) {
  const { path, parameters, answer, example } = route
  const properties = Object.entries(parameters.properties as Record<string, Schema>)
  const requested = new Map(
    properties.map(([name, { default: usual }]) => [name, example[name] ?? usual ?? null]),
  )
  return exampleOf(answer as Schema, { path, requested, within: [], isTop: true })
}

type Context = {
  path: string
  /** Parameters by name; null: not given, and without a default. */
  requested: ReadonlyMap<string, unknown>
  /** Context of the field: the enclosing field and the title of its schema. */
  within: readonly string[]
  /** The response itself or its data, which echo the request parameters. */
  isTop: boolean
}

function exampleOf(schema: Schema, context: Context): unknown {
  const below = { ...context, isTop: false }
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) {
    const option = schema.anyOf.find(({ type }) => type !== 'null')
    return option && exampleOf(option, context)
  }
  if (schema.properties !== undefined) return objectOf(schema, context)
  const [byMint] = Object.values(schema.patternProperties ?? {})
  if (byMint !== undefined) return { [MINT]: exampleOf(byMint, below) }
  const row = schema.items && exampleOf(schema.items, below)
  return row === undefined ? undefined : [row]
}

function objectOf({ properties = {}, title, $id }: Schema, context: Context): unknown {
  const name = title ?? $id
  const within = name === undefined ? context.within : [...context.within, name]
  const fields = Object.entries(properties).map(([field, schema]): [string, unknown] => [
    field,
    fieldOf(field, schema, { ...context, within }),
  ])
  return Object.fromEntries(fields.filter(([, example]) => example !== undefined))
}

function fieldOf(name: string, schema: Schema, context: Context): unknown {
  const { path, requested, within, isTop } = context
  const special = lookUp([`${path} ${name}`, ...within.map((each) => `${each}.${name}`)], schema)
  if (special !== undefined) return special.value
  const given = isTop ? requested.get(name) : undefined
  if (given !== undefined && fits(given, schema)) return inNamesOf(schema, given)
  const usual = lookUp([name], schema)
  if (usual !== undefined) return usual.value
  return exampleOf(schema, { ...context, within: [name], isTop: isTop && name === 'data' })
}

/** The first of the keys whose value the schema has room for; undefined where none is. */
function lookUp(keys: readonly string[], schema: Schema): { value: unknown } | undefined {
  const key = keys.find(
    (each) =>
      Object.hasOwn(VALUES, each) && (VALUES[each] === undefined || fits(VALUES[each], schema)),
  )
  return key === undefined ? undefined : { value: inNamesOf(schema, VALUES[key]) }
}

/** The example with venues named as the schema has them. */
function inNamesOf({ format, items }: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => inNamesOf(items ?? {}, each))
  return format === PROGRAM_NAME && typeof value === 'string' ? venueText(value, 'programs') : value
}

function fits(value: unknown, schema: Schema): boolean {
  const { anyOf, const: only, enum: values, type, items, format } = schema
  if (anyOf !== undefined) return anyOf.some((option) => fits(value, option))
  if (only !== undefined) return value === only
  if (values !== undefined) return values.includes(format === VENUE ? String(value) : value)
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array')
    return Array.isArray(value) && value.every((each) => fits(each, items ?? {}))
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return type === undefined || typeof value === type
}
