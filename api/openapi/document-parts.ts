/** Parts of the OpenAPI document that several of its paths share: tags, headers, and the answers of errors. Pure. */

import Type from 'typebox'
import {
  type ApiError,
  type ErrorShape,
  type Family,
  renderError,
  shapeOf,
} from '../routing/error.ts'

/** Topics of paths that no resource declares. `listedAt`: as in the declaration of a route. */
export const OWN_TOPICS = [
  { name: 'feed', listedAt: 180, description: 'The live feed over WebSocket' },
  { name: 'graphql', listedAt: 190, description: 'Every read as a field of one query' },
  {
    name: 'service',
    listedAt: 200,
    description: 'Health, version, documents and the quota of a key',
  },
  { name: 'admin', listedAt: 210, description: 'Routes of operators, with their own key' },
] as const

/** Only AS_OF_TOO_COSTLY has the first three, and AS_OF_BEFORE_HISTORY the last. */
export const refusalFields = {
  rows: Type.Optional(Type.Integer({ description: 'Swaps that the answer would fold, at least' })),
  limit: Type.Optional(Type.Integer({ description: 'Swaps that it may fold' })),
  hint: Type.Optional(Type.String({ description: 'A request that folds fewer' })),
  history_since: Type.Optional(
    Type.Object(
      {
        slot: Type.Integer({ description: 'Lowest slot of which swaps are stored' }),
        timestamp: Type.Integer({ description: 'Unix ms before which all dropped swaps are' }),
      },
      { title: 'HistorySince' },
    ),
  ),
}

type Header = { schema: { type: 'string' | 'integer' }; description: string }

const text = (description: string): Header => ({ schema: { type: 'string' }, description })
const count = (description: string): Header => ({ schema: { type: 'integer' }, description })

/** By name, each described once. */
export const HEADERS = {
  'RateLimit-Policy': text('The cap: `"tier-60s";q=6000;w=60`. Absent where the tier has none'),
  RateLimit: text(
    'Requests left, and seconds until the oldest request leaves: `"tier-60s";r=5987;t=12`. Absent ' +
      'where the tier has no cap',
  ),
  'X-RateLimit-Limit': count('Requests in any 60 seconds'),
  'X-RateLimit-Remaining': count('Requests that are left'),
  'X-RateLimit-Reset': count('Seconds until the oldest request leaves the window'),
  'X-API-Key-Expires': text('Time until which a rotated key works'),
  'X-Cache': text('hit: the answer was there; miss: it was read'),
  ETag: text('Names the answer, for If-None-Match'),
  'Cache-Control': text('private, max-age: seconds for which the answer stays'),
  'X-Data-Age-Ms': count(
    'Where standbys are read: how old the data was, at most, when it was read. 0: of the primary. Absent for an answer ' +
      'that was cached',
  ),
  'Retry-After': count('Seconds'),
} as const

type References = Record<string, { $ref: string }>

function headers(...names: (keyof typeof HEADERS)[]): References {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Headers of every response to an authenticated request. */
export const LIMIT_HEADERS = headers(
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-API-Key-Expires',
)
/** Headers of a cached response. */
export const CACHED_HEADERS = headers('X-Cache', 'ETag', 'Cache-Control')

/** Headers of a response that may be read from a standby. */
export const AGE_HEADERS = headers('X-Data-Age-Ms')

/** Headers of an error: rate-limit headers unless it is 401 (no key), Retry-After where a retry may succeed. */
function errorHeaders(status: number, hasLimit: boolean): { headers?: References } {
  const isLater = status === 503 || status === 429
  return withHeaders({
    ...(hasLimit && status !== 401 ? LIMIT_HEADERS : {}),
    ...(isLater ? headers('Retry-After') : {}),
  })
}

export function withHeaders(found: References): { headers?: References } {
  return Object.keys(found).length === 0 ? {} : { headers: found }
}

const SHAPE_NAMES: Readonly<Record<ErrorShape, string>> = {
  enveloped: 'ErrorEnvelope',
  flat: 'SwapsApiError',
  text: 'ErrorText',
  graphql: 'GraphqlErrors',
  udf: 'UdfError',
  rpc: 'McpAnswer',
}

type Refusal = {
  /** The error as rendered, used as the example. */
  error: ApiError
  family: Family
  description?: string
  /** Whether its key came through the gate. */
  hasLimit: boolean
}

/** The answer of an error, with the headers of its status. */
export function refusalIn({ error, family, description = error.code, hasLimit }: Refusal) {
  const { status, body } = renderError(error, family)
  const schema = { $ref: `#/components/schemas/${SHAPE_NAMES[shapeOf(error.code, family)]}` }
  return {
    description,
    ...errorHeaders(status, hasLimit),
    content: { 'application/json': { schema, example: body } },
  }
}
