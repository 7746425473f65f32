/** REST of trending tokens. */
import { type Route, route } from '../../routing/route.ts'
import { presentTrending } from './present.ts'
import { readTrending } from './read.ts'
import { trending, trendingRequest } from './schema.ts'

const listed = route({
  path: '/trending',
  operationId: 'listTrendingTokens',
  isOnPages: true,
  topic: { listedAt: 80, description: 'Tokens by trending score' },
  tool: { listedAt: 30 },
  family: 'enveloped',
  summary: 'Tokens by how much goes on in them, in a trailing window',
  description:
    'Every token with a trade in the window, by trending_score, then by mint. The score is 0.9 ' +
    'vol_velocity + 1.1 unique_buyers + 0.6 vol_acceleration + 0.6 buyer_acceleration + 0.5 ' +
    'holder_growth - dev_sell_penalty - top10_penalty. Buyers are distinct wallets: exact to 1,024 in ' +
    'a minute or an hour, then estimated with a standard error of 3.1 %. Rankings roll within two seconds while ' +
    'swaps flow. USD by the rate of now, null without one.',
  parameters: trendingRequest,
  answer: trending,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: { window: '1h', limit: 20, include_score: true, extra_windows: '5m,24h' },
  read: async (request, db) => {
    const {
      window,
      include_rugged: hasRugged,
      sector,
      limit,
      offset,
      extra_windows: windows,
    } = request
    const wanted = { window, hasRugged, sector, limit, offset, windows }
    return presentTrending(request, await readTrending(db, wanted))
  },
})

export const trendingRoutes: readonly Route[] = [listed]
