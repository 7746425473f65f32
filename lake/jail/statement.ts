/**
 * Judges a statement by the tree into which DuckDB parses it. Pure.
 *
 * Law: kinds of nodes, tables and table functions that are not on a list are refused. A query reads the tables of the lake, its own
 * subqueries and generated series; it names no file and no setting, and writes nothing. Scalar functions see values only, but for those
 * that are listed as closed.
 */

/** Nodes of a tree have a `type`, those of expressions a `class` as well. */
type Node = { readonly [name: string]: unknown }

const QUERIES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'])
const MODIFIERS = new Set([
  'ORDER_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'DISTINCT_MODIFIER',
])
const TABLES = new Set([
  'BASE_TABLE',
  'SUBQUERY',
  'JOIN',
  'TABLE_FUNCTION',
  'EMPTY',
  'EXPRESSION_LIST',
  'PIVOT',
])
/** Directions of an order, and parameters of types. */
const PLAIN = /^(ORDER_DEFAULT|ASCENDING|DESCENDING|[A-Z_]+_TYPE_INFO)$/
const EXPRESSIONS = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'DEFAULT',
  'FUNCTION',
  'LAMBDA',
  'LAMBDA_REF',
  'OPERATOR',
  'POSITIONAL_REFERENCE',
  'STAR',
  'SUBQUERY',
  'WINDOW',
])
const TABLE_FUNCTIONS = new Set(['range', 'generate_series', 'unnest'])
/** Scalar functions that wait, write, or describe the process. */
const CLOSED_FUNCTIONS =
  /^(sleep_ms|pg_sleep|write_log|current_setting|getenv|getvariable|current_query|current_query_id|current_database|current_schemas?|pg_.*|has_.*_privilege|txid_current|nextval|currval|json_execute.*|json_serialize_plan|query|query_table|parse_duckdb.*|in_search_path|add_parquet_key|create_sort_key|finalize|error|format_bytes_.*)$/

export type ParsedStatements = {
  readonly error: boolean
  readonly error_message?: string
  readonly statements?: readonly { readonly node: Node }[]
}

/** Why the statement is refused; undefined: it may run. `tables`: names of what the lake has. */
export function refusalOf(parsed: ParsedStatements, tables: readonly string[]): string | undefined {
  if (parsed.error) return 'only one SELECT is run'
  const [statement, ...others] = parsed.statements ?? []
  if (statement === undefined) return 'the text has no statement: only one SELECT is run'
  if (others.length > 0) {
    return `the text has ${others.length + 1} statements: only one SELECT is run`
  }
  const named = new Set([...tables, ...namesOfCommonTables(statement.node)])
  return firstOf(statement.node, (node) => refusalOfNode(node, named))
}

function refusalOfNode(node: Node, named: ReadonlySet<string>): string | undefined {
  const { type, class: kind } = node
  if (typeof type !== 'string') return undefined
  if (typeof kind === 'string') return refusalOfExpression(node, kind)
  if (QUERIES.has(type) || MODIFIERS.has(type) || PLAIN.test(type)) return undefined
  if (!TABLES.has(type)) return `${type} is not supported`
  if (type === 'TABLE_FUNCTION') return refusalOfTableFunction(node)
  return type === 'BASE_TABLE' ? refusalOfTable(node, named) : undefined
}

function refusalOfExpression(node: Node, kind: string): string | undefined {
  if (kind === 'PARAMETER') return 'parameters are not supported: write the value'
  if (!EXPRESSIONS.has(kind)) return `${kind} is not supported`
  const name = lower(node.function_name)
  return CLOSED_FUNCTIONS.test(name) ? `function ${name}() is not available` : undefined
}

function refusalOfTableFunction({ function: called }: Node): string | undefined {
  const name = lower((called as Node | undefined)?.function_name)
  if (TABLE_FUNCTIONS.has(name)) return undefined
  return `table function ${name || '?'}() is not available: expected one of ${[...TABLE_FUNCTIONS].join(', ')}`
}

function refusalOfTable(node: Node, named: ReadonlySet<string>): string | undefined {
  const name = String(node.table_name ?? '')
  const isOwn = lower(node.schema_name) === '' && lower(node.catalog_name) === ''
  if (isOwn && named.has(name.toLowerCase())) return undefined
  return `no table ${JSON.stringify(name)}: the tables are ${[...named].join(', ')}`
}

/** Names that a query gives to its subqueries by WITH. */
function namesOfCommonTables(root: Node): string[] {
  const names: string[] = []
  firstOf(root, (node) => {
    const { map } = (node.cte_map ?? {}) as { map?: readonly { key?: unknown }[] }
    for (const { key } of map ?? []) names.push(lower(key))
    if (typeof node.ctename === 'string') names.push(lower(node.ctename))
    if (typeof node.cte_name === 'string') names.push(lower(node.cte_name))
    return undefined
  })
  return names
}

/** The first result over a node and all below it, depth first, without recursion: a statement may nest deeply. */
function firstOf(root: Node, judge: (node: Node) => string | undefined): string | undefined {
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) {
      const found = judge(next as Node)
      if (found !== undefined) return found
    }
    waiting.push(...Object.values(next))
  }
  return undefined
}

const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')
