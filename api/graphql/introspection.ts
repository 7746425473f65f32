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
type Introspect = (field: MetaField, node: FieldNode) => Introspected
export type MetaField = GraphQLField<unknown, unknown>

type RequestContext = {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Variables as their types read them. */
  variables: Record<string, unknown>
}
/** Node of the schema that a path of fields leads to. */
type SchemaPath = {
  /** Absent: nothing is there. */
  type?: GraphQLObjectType
  /** Each element with its number of occurrences. */
  things: ReadonlyMap<unknown, number>
  times: number
  fields: Map<string, FieldSize>
  spreads: Map<string, Introspected>
}
/** A field of all things at a place, without its key; `inner` absent: it has no fields. */
type FieldSize = { values: number; bytes: number; inner?: SchemaPath }

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
export function createIntrospect({ schema, fragments, variables }: RequestContext): Introspect {
  const start = pathOf(undefined, new Map([[undefined, 1]]))
  const nowhere = pathOf(undefined, new Map())

  const ofSelections = ({ selections }: SelectionSetNode, path: SchemaPath): Introspected => {
    const all = { ...NOTHING }
    for (const node of selections) {
      const own = ofSelection(node, path)
      all.aliases += own.aliases
      all.introspectedValues += own.introspectedValues
      all.introspectedBytes += own.introspectedBytes
    }
    return all
  }

  const ofSelection = (
    node: SelectionSetNode['selections'][number],
    path: SchemaPath,
  ): Introspected => {
    if (node.kind === Kind.FIELD)
      return ofField(node, path, fieldSizeAt(path, node.name.value, schema))
    if (node.kind === Kind.INLINE_FRAGMENT) return ofSelections(node.selectionSet, path)
    const { value: name } = node.name
    const fragment = fragments.get(name)
    if (fragment === undefined) return NOTHING
    const known = path.spreads.get(name) ?? ofSelections(fragment.selectionSet, path)
    path.spreads.set(name, known)
    return known
  }

  const ofField = (
    { alias, name, selectionSet }: FieldNode,
    { times }: SchemaPath,
    size: FieldSize,
  ): Introspected => {
    const path = size.inner ?? nowhere
    const inner = selectionSet === undefined ? NOTHING : ofSelections(selectionSet, path)
    const key = (alias ?? name).value.length + KEY_BYTES
    return {
      aliases: inner.aliases + (alias === undefined ? 0 : 1),
      introspectedValues: inner.introspectedValues + size.values,
      introspectedBytes: inner.introspectedBytes + size.bytes + times * key,
    }
  }

  return (field, node) => {
    const given = argumentsOf(field, node, variables)
    if (given === undefined) return NOTHING
    const name = `${field.name} ${given.name}`
    const size = start.fields.get(name) ?? fieldSizeOf(field, given, start, schema)
    start.fields.set(name, size)
    return ofField(node, start, size)
  }
}

function pathOf(
  type: GraphQLObjectType | undefined,
  things: ReadonlyMap<unknown, number>,
): SchemaPath {
  const times = [...things.values()].reduce((sum, each) => sum + each, 0)
  return { ...(type ? { type } : {}), things, times, fields: new Map(), spreads: new Map() }
}

function fieldSizeAt(path: SchemaPath, name: string, schema: GraphQLSchema): FieldSize {
  const known = path.fields.get(name)
  if (known !== undefined) return known
  const { type, times } = path
  const field = type?.getFields()[name]
  // Without one it is __typename, or nothing is there.
  const size =
    field === undefined
      ? { values: times, bytes: times * bytesOf(type?.name) }
      : fieldSizeOf(field, EVERYTHING, path, schema)
  path.fields.set(name, size)
  return size
}

function fieldSizeOf(
  field: MetaField,
  given: Record<string, unknown>,
  { things }: SchemaPath,
  schema: GraphQLSchema,
): FieldSize {
  const type = getNamedType(field.type)
  const children = new Map<unknown, number>()
  let values = 0
  let bytes = 0
  const add = (value: unknown, times: number): void => {
    values += times
    const isObject = value != null && isObjectType(type)
    bytes += times * (Array.isArray(value) || isObject ? BRACKETS_BYTES : bytesOf(value))
    if (Array.isArray(value)) for (const each of value) add(each, times)
    else if (isObject) children.set(value, (children.get(value) ?? 0) + times)
  }
  for (const [thing, times] of things) {
    add(field.resolve?.(thing, given, undefined, { schema } as GraphQLResolveInfo), times)
  }
  const isSome = children.size > 0 && isObjectType(type)
  return { values, bytes, ...(isSome ? { inner: pathOf(type, children) } : {}) }
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
