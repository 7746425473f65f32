/** REST of the tokens that a wallet traded in a window: the parts of its realized, wins and volume. */
import { DAY_MS, HOUR_MS } from '../../../domain/time/time-bucket.ts'
import { dateRangeOf } from '../../routing/reading/date-range.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentTraded } from './present.ts'
import { readPastTraded, readTraded, type TradedWanted } from './read.ts'
import { type TradedRequest, tradedRequest, tradedTokens } from './schema.ts'

/** `now`: Unix ms of the wall clock. */
export function tradedRoutes({ now }: { now: () => number }): readonly Route[] {
  const ofWallet = route({
    path: '/v2/pnl/wallets/{wallet}/tokens',
    operationId: 'getWalletTokens',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'walletTokens',
    family: 'enveloped',
    summary: 'Tokens that a wallet traded in a window, with the realized PnL of each',
    description:
      'The parts of the sums of a wallet: realized_sol of its performance over the same days, volume, ' +
      'trades and win rate of its statistics and its rank on a leaderboard over the same window are the ' +
      'sums of these rows, to the lamport. A win is a covered sell with adjusted profit in every ' +
      'pnl_mode. An unknown wallet has zeros.',
    parameters: tradedRequest,
    answer: tradedTokens,
    errors: ['INVALID_PARAM', 'AS_OF_TOO_COSTLY', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
    example: ({ wallet }) => ({ wallet, window: '90d', sort: 'volume' }),
    read: async (request, db) => {
      const { wallet, pnl_mode: mode, sort, limit, offset } = request
      const wanted = { wallet, mode, sort, limit, offset, span: spanOf(request, now()) }
      return presentTraded(request, await readTraded(db, wanted))
    },
    readAsOf: async (request, past) => {
      const { wallet, pnl_mode: mode, sort, limit, offset } = request
      const wanted = { wallet, mode, sort, limit, offset }
      const traded = await readPastTraded(past, wanted, (latestMs) =>
        spanOf(request, latestMs ?? now()),
      )
      return presentTraded(request, traded)
    },
  })
  return [ofWallet]
}

/** Days where a date is given, else the window. Throws ApiError INVALID_PARAM for dates in the wrong order. */
function spanOf({ window, from, to }: TradedRequest, nowMs: number): TradedWanted['span'] {
  if (from === undefined && to === undefined) return window
  const dates = { ...(from && { from }), ...(to && { to }) }
  const { fromMs, toMs } = dateRangeOf(dates, { nowMs })
  return { firstMs: fromMs, lastMs: toMs + DAY_MS - HOUR_MS }
}
