/** REST of a wallet's PnL: positions and risk. */
import { type Route, route } from '../route.ts'
import { cacheSecondsBy } from './hot.ts'
import type { AskForPass } from './passes.ts'
import { presentPositions, presentRisk } from './present.ts'
import { readExposure, readPositions } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const
const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'

/** `now` is the wall clock: it tells who is hot; `askForPass` is told of each wallet that is looked at. */
export function pnlRoutes(now: () => number, askForPass: AskForPass): readonly Route[] {
  return [positionsRoute(askForPass), riskRoute(now)]
}

function positionsRoute(askForPass: AskForPass): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/positions',
    family,
    summary: 'Positions of a wallet, priced now',
    description:
      'One position a mint, the fold of its swaps. strict matches sells with the oldest lots, adjusted ' +
      'takes a running average, raw is cash flow. What was sold without a buy of ours has no cost: it ' +
      'stands in uncovered_sell_qty and uncovered_sell_sol and counts in raw alone. An unknown wallet ' +
      'has no positions.',
    parameters: schema.positionsAsked,
    answer: schema.positionList,
    errors,
    example: { wallet: WALLET, status: 'open', sort: 'value' },
    read: async (asked, db) => {
      const { wallet, pnl_mode, ...filter } = asked
      return presentPositions(asked, await readPositions(db, wallet, pnl_mode, filter, askForPass))
    },
  })
}

function riskRoute(now: () => number): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/risk',
    family,
    summary: 'Concentration and exposure of a wallet',
    description:
      'Shares are of the value of open positions with a price; all null without value. Independent of ' +
      'pnl_mode. An unknown wallet has zeros.',
    parameters: schema.riskAsked,
    answer: schema.risk,
    errors,
    example: { wallet: WALLET },
    cacheSeconds: cacheSecondsBy(now),
    read: async ({ wallet }, db) => presentRisk(wallet, await readExposure(db, wallet)),
  })
}
