/** REST of a wallet's summary: PnL and open value, all its mints together. */
import { type Route, route } from '../../routing/route.ts'
import { walletCacheSeconds } from '../wallets/cache-lifetime.ts'
import { readPastHighlights, readPastSummaries } from './past.ts'
import { presentHighlights, presentSummary } from './present.ts'
import { readHighlights, readSummaries } from './read.ts'
import { highlights, highlightsRequest, summaryRequest, walletPnl } from './schema.ts'

const errors = [
  ...(['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const),
  'AS_OF_TOO_COSTLY',
] as const

export const SUMMARY_MEANING =
  'Figures of all positions since the first indexed trade: realized, cost basis and unrealized in the ' +
  'three modes, the value of open positions, counts and win rate. They are the sums of the positions of ' +
  '`/v2/pnl/wallets/{wallet}/positions`. Dollars are SOL by sol_usd, whose time and source are given. '

export function summaryRoutes({ now }: { now: () => number }): readonly Route[] {
  const summary = route({
    path: '/v2/pnl/wallets/{wallet}',
    operationId: 'getWalletSummary',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'walletPnl',
    tool: { listedAt: 210 },
    family: 'enveloped',
    summary: 'PnL and open value of a wallet, in all three modes',
    description: `${SUMMARY_MEANING}An unknown wallet has zeros.`,
    parameters: summaryRequest,
    answer: walletPnl,
    errors,
    example: ({ wallet }) => ({ wallet }),
    cacheSeconds: walletCacheSeconds(now),
    read: async ({ wallet }, db) => {
      const [found] = await readSummaries(db, [wallet])
      return presentSummary(wallet, found!)
    },
    readAsOf: async ({ wallet }, past) => {
      const [found] = await readPastSummaries(past, [wallet])
      return presentSummary(wallet, found!)
    },
  })
  const standOuts = route({
    path: '/v2/pnl/wallets/{wallet}/highlights',
    operationId: 'getWalletHighlights',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'walletHighlights',
    tool: { listedAt: 260 },
    family: 'enveloped',
    summary: "A wallet's biggest win, loss and bag, fastest flip and longest hold",
    description:
      'Each is a position, priced now, or null where none qualifies: the one that realized most, above 0; ' +
      'least, below 0; the open one that is worth most; the one with the least fastest_flip_seconds; the one ' +
      'with the greatest longest_hold_seconds. Of equals the lowest mint. An unknown wallet has none.',
    parameters: highlightsRequest,
    answer: highlights,
    errors,
    example: ({ wallet }) => ({ wallet, pnl_mode: 'strict' }),
    cacheSeconds: walletCacheSeconds(now),
    read: async (request, db) =>
      presentHighlights(request, await readHighlights(db, request.wallet, request.pnl_mode)),
    readAsOf: async (request, past) =>
      presentHighlights(request, await readPastHighlights(past, request.wallet, request.pnl_mode)),
  })
  return [summary, standOuts]
}
