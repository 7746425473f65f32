/** The example request of a route over HTTP, and the same for a subject that does not exist. */
import type { ExampleMarket } from '../../../api/examples/market.ts'
import { writeExact } from '../../../api/routing/json.ts'
import type { ParameterSchema } from '../../../api/routing/parameters.ts'
import { pathParameters, type Route } from '../../../api/routing/route.ts'

export type Recorded = {
  url: string
  /** The key of a tier that may read everything. */
  key: string
  adminKey: string
  /** Ids that the installation chose, by those of the examples. */
  ids: Map<unknown, unknown>
}
type Answered = { status: number; text: string }
type Parameters = Readonly<Record<string, unknown>>

/** Base58 of 32 and of 64 zero bytes, and an id that is given to nothing. */
const UNKNOWN_ADDRESS = '1'.repeat(32)
const UNKNOWN_SIGNATURE = '1'.repeat(64)
const UNKNOWN_ID = 1_000

/** Phases in which each request finds what it is about; the worker runs until `change`. */
export const PHASES = ['create', 'read', 'count', 'change', 'remove'] as const

export function phaseOf({ method, operationId }: Route): (typeof PHASES)[number] {
  // The answers state whether the worker has counted them.
  if (/^(?:store|remove)Sector$/.test(operationId)) return 'count'
  if (/^(?:revoke|rotate|delete|remove|stop)/.test(operationId)) return 'remove'
  if (method === 'put' || /^(?:create|start)/.test(operationId)) return 'create'
  return method === undefined ? 'read' : 'change'
}

/** The cursor after the first row of a list of operators; undefined for other routes. */
export async function operatorCursor(
  api: Recorded,
  route: Route,
  market: ExampleMarket,
): Promise<string | undefined> {
  const { access, parameters, operationId } = route
  if (access !== 'operator' || !('cursor' in parameters.properties)) return undefined
  const { text } = await request(api, route, { ...route.example(market), limit: 1 })
  const cursor = JSON.parse(text).next_cursor
  if (typeof cursor !== 'string') throw new Error(`${operationId}: ${text}`)
  return cursor
}

export async function request(
  api: Recorded,
  route: Route,
  parameters: Parameters,
): Promise<Answered> {
  const { path, access, body } = route
  const method = body === undefined ? (route.method ?? 'get') : 'post'
  const fields = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const inPath = pathParameters(path)
  const isOfBody = (name: string): boolean => body !== undefined && name in body.properties
  const query = new URLSearchParams(
    fields
      .filter(([name]) => !inPath.includes(name) && !isOfBody(name))
      .map(([name, value]): [string, string] => [name, String(value)]),
  )
  const filled = inPath.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(parameters[name]))),
    path as string,
  )
  const isOperators = access === 'operator'
  const response = await fetch(`${api.url}${filled}?${query}`, {
    method: method.toUpperCase(),
    headers: {
      ...(isOperators ? { Authorization: `Bearer ${api.adminKey}` } : { 'X-API-Key': api.key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined
      ? {}
      : { body: writeExact(Object.fromEntries(fields.filter(([name]) => isOfBody(name)))) }),
  })
  return { status: response.status, text: await response.text() }
}

/** The message of the error for what does not exist. Throws where the route finds it all the same. */
export async function missingMessage(
  api: Recorded,
  route: Route,
  market: ExampleMarket,
): Promise<string> {
  const { parameters, operationId } = route
  const properties = parameters.properties as Record<string, ParameterSchema>
  const unknown = Object.entries(route.example(market)).map(([name, value]) => {
    const format = properties[name]?.format
    if (format === 'address' || name === 'symbol') return [name, UNKNOWN_ADDRESS]
    if (format === 'signature') return [name, UNKNOWN_SIGNATURE]
    return [name, name === 'id' && typeof value === 'number' ? UNKNOWN_ID : value]
  })
  const { status, text } = await request(api, route, Object.fromEntries(unknown))
  if (status !== 404) throw new Error(`${operationId} of nothing: ${status} ${text}`)
  const { message, error, errmsg } = JSON.parse(text)
  return message ?? errmsg ?? error.message ?? error
}
