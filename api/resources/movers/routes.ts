/** REST of top movers. */
import { MOVER_TIMEFRAMES } from '../../../domain/time/trade-window.ts'
import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentMovers } from './present.ts'
import { readMovers } from './read.ts'
import { movers, moversRequest } from './schema.ts'

const listed = route({
  path: '/api/v1/top-movers',
  operationId: 'getTopMovers',
  isOnPages: true,
  topic: { listedAt: 90, description: 'Tokens by change of price' },
  graphqlField: 'topMovers',
  tool: { listedAt: 40 },
  family: 'enveloped',
  summary: 'Tokens whose price rose and fell most in a trailing window',
  description:
    'Ranks tokens with at least two trades in the window, dust included. Prices are those of the pool with the largest ' +
    'volume in it that has a priced trade, volume and trades those of all counted pools. A token that did not ' +
    'move is on neither side; ties by mint. Rankings roll within two seconds while swaps flow.',
  parameters: moversRequest,
  answer: movers,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: ({ protocol }) => ({ timeframe: '1h', protocol, limit: 20 }),
  read: async (request, db) => {
    const { timeframe, protocol, limit } = request
    return presentMovers(request, await readMovers(db, { timeframe, protocol, limit }))
  },
})

/** The one required parameter whose absence the interface calls invalid. */
const withTimeframe: Route = {
  ...listed,
  parse(given) {
    if (given.timeframe === undefined) {
      const choices = MOVER_TIMEFRAMES.join(' ')
      throw new ApiError('INVALID_PARAM', `timeframe is required: use one of ${choices}`)
    }
    return listed.parse(given)
  },
}

export const moverRoutes: readonly Route[] = [withTimeframe]
