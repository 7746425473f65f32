/**
 * Limits of a query: depth, number of aliases, number of values. Pure.
 *
 * ```
 * cost of a field = 1 + cost of its fields, times the rows of its list; a read costs READ_COST more,
 *                   an alias 1 for every LETTERS_A_VALUE
 * ```
 * Rows are the requested `limit`, for a nested list NESTED_ROWS; rows of a list without a limit beyond UNLIMITED_ROWS
 * are charged once they are read. Fragments count where they are spread. `__schema` and `__type` have limits on the
 * size of their response instead of on depth. Expects a validated query, whose fragments have no cycles.
 */
import {
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'
import {
  createIntrospect,
  type Introspected,
  type MetaField,
  metaFieldOf,
} from './introspection.ts'

export const LIMITS = {
  tokens: 1_000,
  aliases: 15,
  depth: 8,
  cost: 100_000,
  /** Limits of an introspection response; the whole schema takes about a quarter of either. */
  introspectedValues: 90_000,
  introspectedBytes: 1_800_000,
}

export const TOO_LARGE = 'QUERY_TOO_LARGE'

const READ_COST = 100
/** Rows of a list that no `limit` bounds. */
const UNLIMITED_ROWS = 100
const NESTED_ROWS = 10
/** Characters of an alias that cost as much as one value: every row of a list repeats the alias. */
const LETTERS_A_VALUE = 100

export type Size = { depth: number; cost: number } & Introspected
type RequestedQuery = {
  schema: GraphQLSchema
  operation: OperationDefinitionNode | undefined
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Record<string, unknown>
}
/** With variables as their types read them. */
type Sizing = Omit<RequestedQuery, 'operation'>
type FieldRun = Pick<
  GraphQLResolveInfo,
  'schema' | 'parentType' | 'fieldNodes' | 'fragments' | 'variableValues'
>

/**
 * A rule of validation, which the specification has and graphql 16 has not: no operation of a kind that the
 * schema has no type for.
 */
export function expectQueries(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation)) return
      const text = `there is no ${node.operation} here: expected a query`
      context.reportError(new GraphQLError(text, { nodes: node }))
    },
  }
}

/** Reported with its code where it is thrown: in a response, alongside the errors of other fields. */
export function tooLarge(text: string): GraphQLError {
  return new GraphQLError(text, { extensions: { code: TOO_LARGE } })
}

/** Error text of the first limit that a query exceeds; undefined when it exceeds none. */
export function refusalOf({ aliases, depth, cost, ...size }: Size): string | undefined {
  if (depth > LIMITS.depth)
    return `the query is ${depth} fields deep: expected at most ${LIMITS.depth}`
  if (aliases > LIMITS.aliases) {
    return `the query has ${aliases} aliases: expected at most ${LIMITS.aliases}`
  }
  if (cost > LIMITS.cost) {
    return `the query may bring ${cost} values: expected at most ${LIMITS.cost}, lower its limits`
  }
  const { introspectedValues: values, introspectedBytes: bytes } = size
  if (values > LIMITS.introspectedValues) {
    return `introspection would bring ${values} values: expected at most ${LIMITS.introspectedValues}`
  }
  if (bytes > LIMITS.introspectedBytes) {
    return `introspection would bring ${bytes} bytes: expected at most ${LIMITS.introspectedBytes}`
  }
  return undefined
}

export function sizeOf(query: RequestedQuery): Size {
  const { schema, operation, fragments } = query
  // Execution itself reports that there is no operation of that name.
  if (operation === undefined) return NOTHING
  const definitions = operation.variableDefinitions ?? []
  const { coerced: variables = {} } = getVariableValues(schema, definitions, query.variables)
  const { ofSelections } = createSizes({ schema, fragments, variables })
  const root = schema.getRootType(operation.operation)
  return root ? ofSelections(operation.selectionSet, root, UNLIMITED_ROWS, true) : NOTHING
}

/**
 * Cost of a field of Query beyond the cost already counted, given the rows of its longest list; 0 when the list has
 * no more rows than were counted.
 */
export function costBeyond(field: FieldRun, rows: number): number {
  const { schema, parentType, fieldNodes, variableValues: variables } = field
  const fragments = new Map(Object.entries(field.fragments))
  const { ofField } = createSizes({ schema, fragments, variables })
  const costs = fieldNodes.map((node) => {
    const definition = parentType.getFields()[node.name.value]
    const counted = definition === undefined ? 1 : rowsOf(definition, node, variables)
    const costOf = (each: number): number => ofField(node, parentType, each, false).cost
    return rows > counted ? costOf(rows) - costOf(counted) : 0
  })
  return costs.reduce((sum, each) => sum + each, 0)
}

function createSizes({ schema, fragments, variables }: Sizing) {
  const known = new Map<string, Size>()
  const introspect = createIntrospect({ schema, fragments, variables })

  const ofSelections = (
    { selections }: SelectionSetNode,
    type: GraphQLObjectType,
    rows: number,
    isRoot: boolean,
  ): Size => {
    const sizes = selections.map((node): Size => {
      if (node.kind === Kind.FIELD) return ofField(node, type, rows, isRoot)
      if (node.kind === Kind.INLINE_FRAGMENT) {
        return ofSelections(node.selectionSet, type, rows, isRoot)
      }
      const fragment = fragments.get(node.name.value)
      if (fragment === undefined) return NOTHING
      const name = `${node.name.value} ${rows} ${isRoot}`
      const size = known.get(name) ?? ofSelections(fragment.selectionSet, type, rows, isRoot)
      known.set(name, size)
      return size
    })
    return sizes.reduce(beside, NOTHING)
  }

  const ofField = (
    node: FieldNode,
    parent: GraphQLObjectType,
    rows: number,
    isRoot: boolean,
  ): Size => {
    const aliases = node.alias === undefined ? 0 : 1
    const own = 1 + Math.floor((node.alias?.value.length ?? 0) / LETTERS_A_VALUE)
    const field = parent.getFields()[node.name.value]
    if (field === undefined) {
      const meta = metaFieldOf(node.name.value)
      return meta === undefined
        ? { ...NOTHING, aliases, depth: 1, cost: own }
        : { ...NOTHING, ...introspect(meta, node) }
    }
    const requestedRows = isRoot ? rowsOf(field, node, variables) : rows
    const isList = isListType(field.type)
    const type = getNamedType(field.type)
    const inner =
      node.selectionSet === undefined || !isObjectType(type)
        ? NOTHING
        : ofSelections(node.selectionSet, type, isList ? NESTED_ROWS : requestedRows, false)
    const cost = (own + inner.cost) * (isList ? requestedRows : 1) + (isRoot ? READ_COST : 0)
    return { ...inner, aliases: aliases + inner.aliases, depth: 1 + inner.depth, cost }
  }

  return { ofSelections, ofField }
}

const NOTHING: Size = {
  aliases: 0,
  depth: 0,
  cost: 0,
  introspectedValues: 0,
  introspectedBytes: 0,
}

function beside(one: Size, other: Size): Size {
  return {
    aliases: one.aliases + other.aliases,
    depth: Math.max(one.depth, other.depth),
    cost: one.cost + other.cost,
    introspectedValues: one.introspectedValues + other.introspectedValues,
    introspectedBytes: one.introspectedBytes + other.introspectedBytes,
  }
}

function isListType(type: GraphQLOutputType): boolean {
  if (type instanceof GraphQLNonNull) return isListType(type.ofType)
  return type instanceof GraphQLList
}

/** Arguments that do not fit are refused where the query runs: there they bring nothing. */
function rowsOf(field: MetaField, node: FieldNode, variables: Record<string, unknown>): number {
  try {
    const {
      limit,
      mints,
      tokens,
      token_addresses: others,
    } = getArgumentValues(field, node, variables)
    // Null is as good as none: the route takes its own.
    const rows = limit ?? field.args.find(({ name }) => name === 'limit')?.defaultValue
    if (typeof rows === 'number') return Math.max(1, rows)
    const listed = mints ?? tokens ?? others
    return Array.isArray(listed) ? mintsIn(listed) : UNLIMITED_ROWS
  } catch {
    return 1
  }
}

/** Counted as the route reads them: a text of a list may be several, with commas between. */
function mintsIn(texts: readonly unknown[]): number {
  return texts.reduce((sum: number, text) => sum + String(text).split(',').length, 0) || 1
}
