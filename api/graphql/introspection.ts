/**
 * Size of an introspection response, counted without executing the query. Pure.
 *
 * The schema refers to itself, so that a short query can request a very large response:
 *
 * ```
 * __schema -> types: each -> fields: all of each -> type: as often as it is named -> fields: again ...
 * ```
 * The count equals that of the response: graphql's own resolvers yield it, deprecated elements included. Each path
 * of fields is visited once, however often it is requested: every element carries its number of occurrences.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

export type Introspected = {
  aliases: number
  /** Lists, objects and the values in them. */
  introspectedValues: number
  /** Approximate size of the response as JSON. */
  introspectedBytes: number
}
export type Introspect = (field: MetaField, node: FieldNode) => Introspected
export type MetaField = GraphQLField<unknown, unknown>

type Asked = {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Variables as their types read them. */
  variables: Record<string, unknown>
}
/** Node of the schema that a path of fields leads to. */
type Place = {
  /** Absent: nothing is there. */
  type?: GraphQLObjectType
  /** Each element with its number of occurrences. */
  things: ReadonlyMap<unknown, number>
  times: number
  fields: Map<string, Told>
  spreads: Map<string, Introspected>
}
/** A field of all things at a place, without its key; `inner` absent: it has no fields. */
type Told = { values: number; bytes: number; inner?: Place }

const EVERYTHING = { includeDeprecated: true }
const NOTHING: Introspected = { aliases: 0, introspectedValues: 0, introspectedBytes: 0 }
/** Two quotes, a colon and a comma. */
const KEY_BYTES = 4
/** Two brackets and a comma. */
const BRACKETS_BYTES = 3

export function metaFieldOf(name: string): MetaField | undefined {
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name)
}

/** For one request. */
export function createIntrospect({ schema, fragments, variables }: Asked): Introspect {
  const start = placeOf(undefined, new Map([[undefined, 1]]))
  const nowhere = placeOf(undefined, new Map())

  const ofSelections = ({ selections }: SelectionSetNode, place: Place): Introspected => {
    const all = { ...NOTHING }
    for (const node of selections) {
      const own = ofSelection(node, place)
      all.aliases += own.aliases
      all.introspectedValues += own.introspectedValues
      all.introspectedBytes += own.introspectedBytes
    }
    return all
  }

  const ofSelection = (
    node: SelectionSetNode['selections'][number],
    place: Place,
  ): Introspected => {
    if (node.kind === Kind.FIELD)
      return ofField(node, place, toldAt(place, node.name.value, schema))
    if (node.kind === Kind.INLINE_FRAGMENT) return ofSelections(node.selectionSet, place)
    const { value: name } = node.name
    const fragment = fragments.get(name)
    if (fragment === undefined) return NOTHING
    const known = place.spreads.get(name) ?? ofSelections(fragment.selectionSet, place)
    place.spreads.set(name, known)
    return known
  }

  const ofField = (
    { alias, name, selectionSet }: FieldNode,
    { times }: Place,
    told: Told,
  ): Introspected => {
    const place = told.inner ?? nowhere
    const inner = selectionSet === undefined ? NOTHING : ofSelections(selectionSet, place)
    const key = (alias ?? name).value.length + KEY_BYTES
    return {
      aliases: inner.aliases + (alias === undefined ? 0 : 1),
      introspectedValues: inner.introspectedValues + told.values,
      introspectedBytes: inner.introspectedBytes + told.bytes + times * key,
    }
  }

  return (field, node) => {
    const given = argumentsOf(field, node, variables)
    if (given === undefined) return NOTHING
    const name = `${field.name} ${given.name}`
    const told = start.fields.get(name) ?? telling(field, given, start, schema)
    start.fields.set(name, told)
    return ofField(node, start, told)
  }
}

function placeOf(type: GraphQLObjectType | undefined, things: ReadonlyMap<unknown, number>): Place {
  const times = [...things.values()].reduce((sum, each) => sum + each, 0)
  return { ...(type ? { type } : {}), things, times, fields: new Map(), spreads: new Map() }
}

function toldAt(place: Place, name: string, schema: GraphQLSchema): Told {
  const known = place.fields.get(name)
  if (known !== undefined) return known
  const { type, times } = place
  const field = type?.getFields()[name]
  // Without one it is __typename, or nothing is there.
  const told =
    field === undefined
      ? { values: times, bytes: times * bytesOf(type?.name) }
      : telling(field, EVERYTHING, place, schema)
  place.fields.set(name, told)
  return told
}

function telling(
  field: MetaField,
  given: Record<string, unknown>,
  { things }: Place,
  schema: GraphQLSchema,
): Told {
  const type = getNamedType(field.type)
  const behind = new Map<unknown, number>()
  let values = 0
  let bytes = 0
  const add = (value: unknown, times: number): void => {
    values += times
    const isObject = value != null && isObjectType(type)
    bytes += times * (Array.isArray(value) || isObject ? BRACKETS_BYTES : bytesOf(value))
    if (Array.isArray(value)) for (const each of value) add(each, times)
    else if (isObject) behind.set(value, (behind.get(value) ?? 0) + times)
  }
  for (const [thing, times] of things) {
    add(field.resolve?.(thing, given, undefined, { schema } as GraphQLResolveInfo), times)
  }
  const isSome = behind.size > 0 && isObjectType(type)
  return { values, bytes, ...(isSome ? { inner: placeOf(type, behind) } : {}) }
}

/** Undefined: they do not fit, which the run refuses. */
function argumentsOf(
  field: MetaField,
  node: FieldNode,
  variables: Record<string, unknown>,
): Record<string, unknown> | undefined {
  try {
    return getArgumentValues(field, node, variables)
  } catch {
    return undefined
  }
}

/** Size of a string, boolean or null. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value ?? null))
}
