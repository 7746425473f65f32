/**
 * Example error of a route: the message of its own parser for the route's example with one parameter made invalid, the
 * recorded one of what does not exist, otherwise the default message of the code. Pure.
 */

import { ApiError, type ErrorCode } from '../routing/error.ts'
import { tooCostly } from '../routing/reading/as-of.ts'
import type { Route } from '../routing/route.ts'
import type { Examples } from './examples.ts'

const TEXTS: Readonly<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'an API key is required: X-API-Key, Authorization: Bearer or api_key',
  FORBIDDEN: 'with a session, only pages of this host may change something',
  RATE_LIMIT_EXCEEDED: 'over 1200 requests in the last 60 seconds: try again in 12 s',
  INVALID_PARAM: 'the body is over 65536 bytes',
  MISSING_PARAM: 'query is required',
  AS_OF_UNSUPPORTED:
    'GET /trending does not support as_of_slot: no other route of this topic does either',
  TOO_MANY_ORDERS:
    'the wallets have 130411 orders in slots 366000000 to 366900000, the limit is 100000: send fewer slots or wallets',
  AS_OF_TOO_COSTLY: 'the answer folds 250000 swaps: expected at most 200000',
  AS_OF_BEFORE_HISTORY:
    'swaps before slot 366000000 (2026-09-01T00:00:00.000Z) are no longer stored: HISTORY_DAYS dropped them',
  NOT_FOUND: 'not found',
  METHOD_NOT_ALLOWED: 'method "POST" on "/swaps": use GET, HEAD',
  UNAVAILABLE: 'the database cannot be reached: try again',
  GATEWAY_TIMEOUT: 'the query took too long: try again',
  DATABASE: 'a query failed',
  INTERNAL: 'internal server error',
}
export const OPERATORS_ONLY = new ApiError(
  'UNAUTHORIZED',
  'operators only: send Authorization: Bearer',
)
/** No value of any parameter but a text. */
const SPOILT = '?'
/** No parameter of any route. */
const UNKNOWN = { colour: '1' }

/** With the text that the code has everywhere. */
export function usualError(code: ErrorCode): ApiError {
  return new ApiError(code, TEXTS[code])
}

export function errorOf(route: Route, code: ErrorCode, examples: Examples): ApiError {
  if (code === 'NOT_FOUND') return new ApiError(code, examples.missing(route) ?? TEXTS[code])
  if (code === 'UNAUTHORIZED' && route.access === 'operator') return OPERATORS_ONLY
  if (code === 'AS_OF_TOO_COSTLY') return tooCostly(250_000, 200_000)
  if (code !== 'INVALID_PARAM') return usualError(code)
  const parameters = Object.entries(route.example(examples.market)).map(([name, value]) => [
    name,
    String(value),
  ])
  const spoilt = Object.keys(route.parameters.properties).map((name) => ({ [name]: SPOILT }))
  for (const each of [...spoilt, UNKNOWN]) {
    const refusal = refusalOf(route, { ...Object.fromEntries(parameters), ...each })
    if (refusal?.code === code) return refusal
  }
  return usualError(code)
}

function refusalOf({ parse }: Route, given: Record<string, unknown>): ApiError | undefined {
  try {
    parse(given)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
