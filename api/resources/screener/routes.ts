/** REST of the screener. */

import { type Route, route } from '../../routing/route.ts'
import { LIQUIDITY_MEANING } from '../pairs/liquidity.ts'
import { presentScreen } from './present.ts'
import { readScreen, type ScreenerDeps } from './read.ts'
import * as schema from './schema.ts'

/** Seconds that a screen is cached: computing it takes up to 100 ms, and many clients request the same one. */
const CACHE_SECONDS = 2

/** The example names no more volume: tokens of most sectors have that much, and a request may add a sector. */
const VOLUME_USD = 10_000

export function screenerRoutes(deps: ScreenerDeps): readonly Route[] {
  return [
    route({
      path: '/screener',
      operationId: 'screenTokens',
      isOnPages: true,
      topic: { listedAt: 100, description: 'Tokens by any of their figures' },
      tool: { listedAt: 50 },
      family: 'filters',
      summary: 'Tokens by their statistics of a trailing window',
      description:
        'Every token that traded in the window and fits all filters, bounds included; with mint or mints[] ' +
        'these only, whether they traded or not. volume, trades and buyers are of all pools; change_pct of ' +
        'the one with the largest volume in the window; protocol selects tokens with a pool on that venue ' +
        'that traded in the window. A token without a figure fits no bound of it. buys, sells, buyers and ' +
        `sellers come from the ranking, which lags by about a second. ${LIQUIDITY_MEANING} An answer is at most ` +
        `${CACHE_SECONDS} s old, where there are many pools a minute. ` +
        'A refused parameter is reported as a text in `error`; ' +
        'unsupported ones are warned of.',
      parameters: schema.ofScreener,
      answer: schema.results,
      errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
      example: ({ screened }) => ({
        window: '1h',
        min_volume_usd: Math.min(VOLUME_USD, screened.min_volume_usd ?? VOLUME_USD),
        sort: 'change_pct',
        limit: 20,
      }),
      cacheSeconds: CACHE_SECONDS,
      respond: async (request, reading) =>
        presentScreen(request, await readScreen(request, reading, deps)),
    }),
  ]
}
