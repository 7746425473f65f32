/** REST of token statistics: of one token, and of many at once. */

import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { LIQUIDITY_MEANING } from '../pairs/liquidity.ts'
import { readPastTokenStats } from './past.ts'
import { presentManyStats, presentTokenStats } from './present.ts'
import { readTokenStats, type TokenFigures } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const MEANING =
  'A window of n minutes is the n whole minutes that end with the newest indexed swap, never later than ' +
  'now: a swap stamped ahead of the wall clock counts once it has come. volume_sol, trades, ' +
  'buys, sells, buyers and sellers are of all pools; change_pct, high and low of the one with the largest ' +
  'volume in the window, of those with a priced trade in it. buys, sells, buyers and sellers come from the ' +
  'ranking, which follows the swaps by about a second: meanwhile trades may be more than buys and sells. ' +
  `${LIQUIDITY_MEANING} USD figures are null while no rate is known.`

const AS_OF_ERRORS = ['AS_OF_UNSUPPORTED', 'AS_OF_TOO_COSTLY', 'UNAVAILABLE'] as const

const one = route({
  path: '/stats/token/{mint}',
  operationId: 'getTokenStats',
  isOnPages: true,
  graphqlField: 'tokenStats',
  tool: { listedAt: 60 },
  family,
  summary: 'Price and statistics of a token over 5 minutes, 1, 6 and 24 hours',
  description: MEANING,
  parameters: schema.ofToken,
  answer: schema.ofOne,
  errors: ['INVALID_PARAM', 'NOT_FOUND', ...AS_OF_ERRORS, 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: ({ mint }) => ({ mint }),
  read: async ({ mint }, db) => presentOne(mint, await readTokenStats(db, [mint])),
  readAsOf: async ({ mint }, past) => presentOne(mint, await readPastTokenStats(past, [mint])),
})

function presentOne(mint: string, [found]: readonly TokenFigures[]) {
  if (found === undefined) throw new ApiError('NOT_FOUND', `no indexed token "${mint}"`)
  return { success: true as const, data: presentTokenStats(found) }
}

const many = route({
  path: '/stats/tokens',
  operationId: 'getTokensStats',
  isOnPages: true,
  graphqlField: 'tokensStats',
  family,
  summary: `The statistics of up to ${schema.STATS_MINTS_MAX} tokens, by mint`,
  description: `${MEANING} Unknown mints are absent.`,
  parameters: schema.ofTokens,
  answer: schema.ofMany,
  errors: ['INVALID_PARAM', 'MISSING_PARAM', ...AS_OF_ERRORS, 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: ({ mint }) => ({ mints: mint }),
  read: async ({ mints }, db) => presentManyStats(await readTokenStats(db, mints)),
  readAsOf: async ({ mints }, past) => presentManyStats(await readPastTokenStats(past, mints)),
})

export const tokenStatsRoutes: readonly Route[] = [one, many]
