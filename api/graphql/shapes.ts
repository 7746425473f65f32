/**
 * GraphQL types out of the schemas of REST: one object describes a field in both. Pure.
 *
 * ```
 * object -> object type    integer of 32 bits -> Int    other integers -> Int64    number -> Float
 * text of few values -> enum, where these are names of GraphQL (enums.ts)
 * union of objects -> one object type with the fields of all   array -> list of what is never null
 * ```
 * A plain string in a union becomes the first field of its object, a map the list of its keys and values,
 * `5m` is `_5m`. Every Float is nullable: a double that JSON cannot represent is null.
 * Decision: docs/decisions/0032-graphql-is-derived-from-the-routes.md
 */
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { VENUE } from '../routing/venue-naming.ts'
import type { EnumMaker } from './enums.ts'

export type Shape = {
  type?: string
  title?: string
  $id?: string
  description?: string
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  anyOf?: readonly Shape[]
  items?: Shape
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  required?: readonly string[]
}

/** An object of an answer. */
export type Row = Record<string, unknown>

/** Fields that a type has in GraphQL besides those of its shape. */
type MoreFields<Context> = (
  typeName: string,
  fieldNames: ReadonlySet<string>,
) => GraphQLFieldConfigMap<Row, Context>

export type TypeMaker = (shape: Shape, name: string) => GraphQLOutputType

const INT32_MAX = 2_147_483_647

/** An argument that names a venue, as an integer or a text. */
const graphqlVenue = new GraphQLScalarType({
  name: 'Venue',
  description: 'A venue: its DexId, its name, or the name of its program.',
  parseValue: String,
})

/** `int64`: the scalar of the schema for integers beyond 32 bits. */
export function scalarOf(shape: Shape, int64: GraphQLScalarType): GraphQLScalarType {
  const { type, format, minimum, maximum } = shape
  if (format === VENUE) return graphqlVenue
  if (type === 'integer') {
    const isNarrow = minimum !== undefined && maximum !== undefined
    if (format === 'int32') return GraphQLInt
    return isNarrow && minimum >= -INT32_MAX - 1 && maximum <= INT32_MAX ? GraphQLInt : int64
  }
  if (type === 'number') return GraphQLFloat
  if (type === 'boolean' || typeof shape.const === 'boolean') return GraphQLBoolean
  return GraphQLString
}

type Parts<Context> = { more: MoreFields<Context>; enums: EnumMaker; int64: GraphQLScalarType }

export function typeMaker<Context>({ more, enums, int64 }: Parts<Context>): TypeMaker {
  const made = new Map<string, { type: GraphQLObjectType; written: string }>()

  const objectOf = (shape: Shape, fallback: string): GraphQLObjectType => {
    const name = shape.title ?? shape.$id ?? fallback
    const written = JSON.stringify(shape)
    const known = made.get(name)
    if (known?.written === written) return known.type
    if (known !== undefined) {
      if (name === fallback) throw new Error(`two shapes are called "${name}"`)
      return objectOf({ ...shape, title: fallback }, fallback)
    }
    const type = new GraphQLObjectType({ name, fields: fieldsOf(shape, name) })
    made.set(name, { type, written })
    return type
  }

  const fieldsOf = (shape: Shape, name: string): GraphQLFieldConfigMap<Row, Context> => {
    const properties = Object.entries(shape.properties ?? {})
    const shown = properties.filter(([field]) => field !== 'success')
    const required = new Set(shape.required)
    const [first] = shape.required ?? []
    const fields = shown.map(([field, own]): [string, GraphQLFieldConfig<Row, Context>] => {
      const type = maker(own, `${name}${pascal(field)}`)
      const isNullable = !required.has(field) || isFloat(type)
      return [
        fieldName(field),
        {
          type: isNullable ? nullableOf(type) : type,
          ...(own.description === undefined ? {} : { description: own.description }),
          resolve: (source) => valueIn(source, field, own, first),
        },
      ]
    })
    const names = new Set(fields.map(([field]) => field))
    return { ...Object.fromEntries(fields), ...more(name, names) }
  }

  const maker: TypeMaker = (shape, name) => {
    const options = shape.anyOf?.filter(({ type }) => type !== 'null')
    if (options !== undefined) {
      const type = maker(merged(options), name)
      const mayBeNull = options.length < (shape.anyOf?.length ?? 0)
      return mayBeNull ? nullableOf(type) : type
    }
    if (isFree(shape)) return new GraphQLNonNull(graphqlJson)
    if (shape.properties !== undefined) return new GraphQLNonNull(objectOf(shape, name))
    if (shape.type === 'array') return listOf(maker(shape.items ?? {}, name))
    const [value] = Object.values(shape.patternProperties ?? {})
    if (value !== undefined) {
      const entry = { properties: { key: { type: 'string' }, value }, required: ['key', 'value'] }
      return listOf(maker(entry, `${name}Entry`))
    }
    return new GraphQLNonNull(enums(shape, name) ?? scalarOf(shape, int64))
  }
  return maker
}

/** A value whose schema is open, written unchanged. */
const graphqlJson = new GraphQLScalarType({
  name: 'JSON',
  description: 'A JSON value of any shape.',
})

function isFree({
  type,
  properties,
  patternProperties,
  const: value,
  enum: values,
}: Shape): boolean {
  if (properties !== undefined || patternProperties !== undefined) return false
  return type === 'object' || (type === undefined && value === undefined && values === undefined)
}

function isFloat(type: GraphQLOutputType): boolean {
  return type instanceof GraphQLNonNull && type.ofType === GraphQLFloat
}

export function nullableOf(type: GraphQLOutputType): GraphQLOutputType {
  return type instanceof GraphQLNonNull ? type.ofType : type
}

function isNumber({ type, anyOf = [] }: Shape): boolean {
  return type === 'number' || anyOf.some((option) => option.type === 'number')
}

function listOf(type: GraphQLOutputType): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(isFloat(type) ? nullableOf(type) : type))
}

/** No name of GraphQL begins with a digit. */
function fieldName(field: string): string {
  return /^\d/.test(field) ? `_${field}` : field
}

function valueIn(
  source: Row | string,
  field: string,
  shape: Shape,
  first: string | undefined,
): unknown {
  if (typeof source === 'string') return field === first ? source : null
  const value = source[field]
  // A large double may be written without a point.
  if (typeof value === 'bigint' && isNumber(shape)) return Number(value)
  // Fields that REST omits are absent here as well.
  if (shape.patternProperties === undefined || value === undefined) return value
  return Object.entries(value as object).map(([key, own]) => ({ key, value: own }))
}

/** The options of a union as one shape; a field that is not in all of them may be absent. */
function merged(options: readonly Shape[]): Shape {
  const [first = {}, ...others] = options
  if (others.length === 0) return first
  if (options.every(({ type }) => type === 'array')) {
    return { ...first, items: merged(options.map(({ items }) => items ?? {})) }
  }
  const objects = options.filter(({ properties }) => properties !== undefined)
  if (objects.length === 0) return first
  const properties: Record<string, Shape> = Object.assign(
    {},
    ...objects.map((each) => each.properties),
  )
  const inAll = Object.keys(properties).filter((name) =>
    objects.every(({ required }) => required?.includes(name)),
  )
  const hasBareText = objects.length < options.length
  const { title, $id } = objects[0] ?? {}
  const name = title ?? $id
  return {
    ...(name === undefined ? {} : { title: name }),
    properties,
    required: hasBareText ? inAll.slice(0, 1) : inAll,
  }
}

export function pascal(name: string): string {
  return name.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) =>
    letter.toUpperCase(),
  )
}
