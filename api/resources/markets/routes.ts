/** REST of the market as a whole. */
import { VENUES } from '../../../domain/venue.ts'
import { type Route, route } from '../../routing/route.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { presentProtocols, presentStats } from './present.ts'
import { readMarket, readVenues } from './read.ts'
import * as schema from './schema.ts'

const errors = ['GATEWAY_TIMEOUT', 'INTERNAL'] as const
/** Seconds that totals are cached. */
const CACHE_SECONDS = 5

type MarketDeps = { now: () => number; gaps: CoverageGaps }

const protocols = route({
  path: '/api/v1/protocols',
  operationId: 'listProtocols',
  topic: { listedAt: 140, description: 'Venues that are indexed' },
  family: 'enveloped',
  summary: `The ${VENUES.length} venues, with their statistics of 24 hours`,
  description:
    'All of them in the order of DexId. 24 hours are the 1,440 whole minutes that end with the newest ' +
    'indexed swap, never later than now. Swaps count for the venue that they name, a pool for that of its newest swap. An ' +
    `answer is at most ${CACHE_SECONDS} s old.`,
  parameters: schema.ofNothing,
  answer: schema.protocols,
  errors,
  example: {},
  cacheSeconds: CACHE_SECONDS,
  read: async (_, db) => presentProtocols(await readVenues(db)),
})

function statsRoute({ now, gaps }: MarketDeps): Route {
  return route({
    path: '/api/v1/stats',
    operationId: 'getMarketStats',
    isOnPages: true,
    topic: { listedAt: 70, description: 'Totals of the service, of tokens and of traders' },
    graphqlField: 'serviceStats',
    tool: { listedAt: 20 },
    family: 'enveloped',
    summary: 'Statistics of all indexed swaps in 1 and in 24 hours',
    description:
      'Windows are the 60 and the 1,440 whole minutes that end with the newest indexed swap, never ' +
      'later than now. Traders come from ' +
      'the ranking, which follows the swaps by about a second; they are exact to 1,024 a minute or hour, ' +
      'then estimated with a standard error of 3.1 %. indexing_lag_ms is by the wall clock: it also grows ' +
      `while there are no trades. An answer is at most ${CACHE_SECONDS} s old.`,
    parameters: schema.ofNothing,
    answer: schema.stats,
    errors,
    example: {},
    cacheSeconds: CACHE_SECONDS,
    read: async (_, db) => {
      const [market, known] = await Promise.all([readMarket(db), gaps.read(db)])
      return presentStats(market, known, now())
    },
  })
}

export function marketRoutes(deps: MarketDeps): readonly Route[] {
  return [protocols, statsRoute(deps)]
}
