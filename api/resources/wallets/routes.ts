/** REST of a wallet's statistics. */

import { type Route, route } from '../../routing/route.ts'
import { presentStats } from './present.ts'
import { readPastStats, readStats } from './read.ts'
import { ofStats, walletStats } from './schema.ts'

const stats = route({
  path: '/wallets/{w}/stats',
  operationId: 'getWalletStats',
  isOnPages: true,
  isOfHistory: true,
  topic: { listedAt: 120, description: 'One wallet: statistics, chart, holdings, tags' },
  graphqlField: 'walletStats',
  graphqlAllTime: {
    field: 'traderStats',
    description: 'Trades, wins and volume of a wallet since its first indexed trade.',
  },
  family: 'enveloped',
  summary: 'Trades, wins and volume of a wallet in a trailing window',
  description:
    'The window is of whole hours: from the one that holds newest - window to the newest, newest ' +
    'being the newest indexed swap of all, never later than now. Wins, best and worst sell go by adjusted profit ' +
    '(weighted average cost); of equal sells the earlier. With dex, only the swaps of that venue ' +
    'are folded, as if the wallet had traded nowhere else. An unknown wallet has zeros.',
  parameters: ofStats,
  answer: walletStats,
  errors: ['INVALID_PARAM', 'AS_OF_TOO_COSTLY', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  cacheSeconds: 60,
  example: ({ wallet }) => ({ w: wallet, window: '90d' }),
  read: async ({ w: wallet, window, dex }, db) => {
    const venue = dex === undefined ? {} : { dex }
    return presentStats(wallet, window, await readStats(db, { wallet, window, ...venue }))
  },
  readAsOf: async ({ w: wallet, window, dex }, past) => {
    const venue = dex === undefined ? {} : { dex }
    return presentStats(wallet, window, await readPastStats(past, { wallet, window, ...venue }))
  },
})

export const walletRoutes: readonly Route[] = [stats]
