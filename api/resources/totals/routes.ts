/** REST of totals since the first indexed swap. */
import { readTotals } from '../../../history/swaps/newest.ts'
import { type Route, route } from '../../routing/route.ts'
import { walletCacheSeconds } from '../wallets/cache-lifetime.ts'
import { presentGlobal, presentTrader } from './present.ts'
import { readPastTrader, readTrader } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const
/** All pools and wallets are counted once in this time for all clients. */
const GLOBAL_CACHE_SECONDS = 60

export function totalRoutes({ now }: { now: () => number }): readonly Route[] {
  const ofTrader = route({
    path: '/stats/trader/{wallet}',
    operationId: 'getTraderStats',
    isOfHistory: true,
    graphqlField: 'traderTotals',
    family,
    summary: 'Totals of a trader since the first indexed swap',
    description:
      'Sums of all its positions. `/wallets/{w}/stats` has those of a trailing window, ' +
      '`/v2/pnl/wallets/{wallet}` includes the open positions. An unknown wallet has zeros.',
    parameters: schema.traderRequest,
    answer: schema.ofTrader,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ wallet }) => ({ wallet }),
    cacheSeconds: walletCacheSeconds(now),
    read: async ({ wallet }, db) => ({
      success: true as const,
      data: presentTrader(wallet, await readTrader(db, wallet)),
    }),
    readAsOf: async ({ wallet }, past) => ({
      success: true as const,
      data: presentTrader(wallet, await readPastTrader(past, wallet)),
    }),
  })
  const ofAll = route({
    path: '/stats/global',
    operationId: 'getGlobalStats',
    isOfHistory: true,
    graphqlField: 'globalTotals',
    family,
    summary: 'Totals of everything that is indexed',
    description:
      'Swaps, their SOL, wallets, mints and pools since the first indexed swap; `/api/v1/stats` has those of the ' +
      'last hour and day. A wallet whose only swaps were retracted stays in trader_count.',
    parameters: schema.globalRequest,
    answer: schema.ofGlobal,
    errors,
    example: {},
    cacheSeconds: GLOBAL_CACHE_SECONDS,
    read: async (_, db) => ({ success: true as const, data: presentGlobal(await readTotals(db)) }),
  })
  return [ofTrader, ofAll]
}
