/**
 * Tools of the MCP server: reads of the API that answer questions about a market, named after the operations of their routes.
 * Arguments are the parameters of the route, with a smaller page: a model reads every row. Pure.
 */
import { ApiError } from '../routing/error.ts'
import { namesOf, type ParameterSchema, TIME_EDGES } from '../routing/parameters.ts'
import { AS_OF_NAMES } from '../routing/reading/as-of.ts'
import type { Route } from '../routing/route.ts'
import { VENUE } from '../routing/venue-naming.ts'

type Json = Record<string, unknown>

export type Tool = {
  name: string
  route: Route
  description: string
  /** JSON Schema of its arguments. */
  inputSchema: { type: 'object'; properties: Json; required: string[]; additionalProperties: false }
}

/** Rows of a page where the caller names no limit. */
const LIMIT = 20

/** `listTrendingTokens` -> `list_trending_tokens` */
export const toolName = (operationId: string): string =>
  operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Tools of the routes that declare one, by name, in the order of their places. */
export function toolsOf(routes: readonly Route[]): ReadonlyMap<string, Tool> {
  const placed = routes.flatMap((route) =>
    route.tool === undefined ? [] : [{ route, listedAt: route.tool.listedAt }],
  )
  const ordered = placed.sort((a, b) => a.listedAt - b.listedAt).map(({ route }) => toolOf(route))
  return new Map(ordered.map((tool) => [tool.name, tool]))
}

function toolOf(route: Route): Tool {
  const { operationId, summary, description, parameters, body } = route
  const fields = body?.properties ?? {}
  const schemas = { ...parameters.properties, ...fields } as Record<string, ParameterSchema>
  const names = [...namesOf(parameters), ...Object.keys(fields)]
  const required = [...(parameters.required ?? []), ...(body?.required ?? [])].filter(
    (name) => names.includes(name) && schemas[name]?.default === undefined,
  )
  return {
    name: toolName(operationId),
    route,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, argumentOf(name, schemas[name])])),
      required,
      additionalProperties: false,
    },
  }
}

/**
 * One type each, because models and hosts follow no union. A number stays one where a double holds every value; an integer of
 * 64 bits and a parameter with texts of its own (times, venues) are texts. Either form is accepted.
 */
function argumentOf(name: string, schema: ParameterSchema = {}): Json {
  const { description, enum: values, default: usual, type } = schema
  return {
    type: type === 'array' ? type : typeOf(schema),
    ...(type === 'array' ? { items: { type: typeOf(schema.items ?? {}) } } : {}),
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(name === 'limit' ? { default: LIMIT } : usual === undefined ? {} : { default: usual }),
  }
}

function typeOf({ type, format, maximum }: ParameterSchema): string {
  if (format === VENUE || TIME_EDGES.has(format)) return 'string'
  if (type === 'integer') {
    return Number(maximum ?? Number.POSITIVE_INFINITY) <= Number.MAX_SAFE_INTEGER ? type : 'string'
  }
  return type === 'number' || type === 'boolean' ? type : 'string'
}

/** The arguments in two: texts of a query, and fields of a body, whose integers may be texts of digits. */
export function partsOf(tool: Tool, given: Json): { texts: Record<string, string>; fields: Json } {
  const schemas = (tool.route.body?.properties ?? {}) as Record<string, ParameterSchema>
  const isField = ([name]: [string, unknown]): boolean => Object.hasOwn(schemas, name)
  const limit = 'limit' in tool.inputSchema.properties ? { limit: LIMIT } : {}
  const all = Object.entries({ ...limit, ...given })
  const fields = all
    .filter(isField)
    .map(([name, value]) => [name, fieldOf(schemas[name] ?? {}, value)])
  const others = Object.fromEntries(all.filter((each) => !isField(each)))
  return { texts: textsOf(others), fields: Object.fromEntries(fields) }
}

function fieldOf(schema: ParameterSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => fieldOf(schema.items ?? {}, each))
  const isInteger = (schema.items ?? schema).type === 'integer'
  return isInteger && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
}

/** The arguments as texts of a query. */
function textsOf(given: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, textOf(name, value)]],
    ),
  )
}

/** A text that a parser would take for a value stands for no object. */
function textOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => textOf(name, each)).join()
  if (typeof value !== 'object') return String(value)
  throw new ApiError('INVALID_PARAM', `${name}: expected a text, a number or a list of texts`)
}

/** Path of the swaps that an answer is made of, those of the first of several wallets; those of the newest where no argument narrows them. */
export function swapsPath(texts: Readonly<Record<string, string>>, given: Json = {}): string {
  const path = pathOfSwaps(texts, given)
  const moment = AS_OF_NAMES.find((name) => texts[name] !== undefined)
  if (moment === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}${moment}=${encodeURIComponent(texts[moment] ?? '')}`
}

function pathOfSwaps(texts: Readonly<Record<string, string>>, { wallets }: Json): string {
  const { signature, pair_address: pool } = texts
  const [first] = Array.isArray(wallets) ? wallets : []
  const wallet = texts.wallet ?? texts.w ?? texts.user ?? first
  const mint = texts.mint ?? texts.token ?? texts.token_address
  if (signature !== undefined) return `/swaps/${signature}`
  if (wallet !== undefined && mint !== undefined) {
    return `/v2/pnl/wallets/${wallet}/positions/${mint}/lots`
  }
  if (wallet !== undefined) return `/swaps/trader/${wallet}`
  if (pool !== undefined) return `/swaps?pair_address=${pool}`
  return mint === undefined ? '/swaps' : `/swaps/token/${mint}`
}
