/** REST of a wallet's PnL: positions, performance and risk. */

import { dateRangeOf } from '../../routing/reading/date-range.ts'
import { type Route, route } from '../../routing/route.ts'
import { type ChartDeps, readDayValues } from '../chart/day-values.ts'
import { readPastDayValuesWith } from '../chart/past.ts'
import { walletCacheSeconds } from '../wallets/cache-lifetime.ts'
import { readPastDays, readPastExposure, readPastPositions } from './past.ts'
import { presentPositions, presentRisk } from './present.ts'
import { presentPerformance } from './present-performance.ts'
import { readDays, readExposure, readPositions } from './read.ts'
import type { RequestReconciliation } from './request-reconciliation.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const

/** Calls `askForPass` for each wallet whose positions are read. */
export function pnlRoutes(
  deps: ChartDeps,
  requestReconciliation: RequestReconciliation,
): readonly Route[] {
  return [positionsRoute(requestReconciliation), performanceRoute(deps), riskRoute(deps.now)]
}

function positionsRoute(requestReconciliation: RequestReconciliation): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/positions',
    operationId: 'getWalletPositions',
    isOnPages: true,
    isOfHistory: true,
    topic: {
      listedAt: 130,
      description: 'Profit and loss of wallets, with its proof, and leaderboards',
    },
    graphqlField: 'positions',
    tool: { listedAt: 220 },
    family,
    summary: 'Positions of a wallet, priced now',
    description:
      'One position a mint, the fold of its swaps. strict matches sells with the oldest lots, adjusted ' +
      'takes a running average, raw is cash flow. Amounts sold without an indexed buy have no cost: ' +
      'they are reported in uncovered_sell_qty and uncovered_sell_sol and count in raw only. An unknown wallet ' +
      'has no positions.',
    parameters: schema.positionsRequest,
    answer: schema.positionList,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ wallet }) => ({ wallet, status: 'open', sort: 'value', breakdown: true }),
    read: async (request, db) => {
      const { wallet, pnl_mode, ...filter } = request
      return presentPositions(
        request,
        await readPositions(db, wallet, pnl_mode, filter, requestReconciliation),
      )
    },
    readAsOf: async (request, past) => {
      const { wallet, pnl_mode, ...filter } = request
      return presentPositions(request, await readPastPositions(past, wallet, pnl_mode, filter))
    },
  })
}

function performanceRoute(deps: ChartDeps): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/performance',
    operationId: 'getWalletPerformance',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'performance',
    family,
    summary: 'Days, streaks, best and worst day and drawdowns of a wallet in a range of days',
    description:
      'A day wins with realized > 0 and loses with < 0; others neither break nor extend a streak. ' +
      'The drawdown of realized is the largest fall of its running sum below the running peak, both ' +
      '0 at `from`. The drawdown of value goes by close-based equity: net cash flow since the first ' +
      "trade plus the chart's value, each calendar day from the first trade on, today as of now. An " +
      'unknown wallet has zeros.',
    parameters: schema.performanceRequest,
    answer: schema.performance,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ wallet, firstDay, lastDay }) => ({
      wallet,
      from: firstDay,
      to: lastDay,
      pnl_mode: 'strict',
    }),
    cacheSeconds: walletCacheSeconds(deps.now),
    respond: async ({ wallet, pnl_mode: mode, ...request }, reading) => {
      const range = dateRangeOf(request, { nowMs: deps.now() })
      // One snapshot for both: the cost of a buy never appears without the tokens that it bought.
      const { days: values, beside: flows } = await readDayValues(
        reading,
        { wallet, ...range },
        deps,
        (db) => readDays(db, wallet, mode),
      )
      return presentPerformance({ wallet, mode, range }, flows, values)
    },
    readAsOf: async ({ wallet, pnl_mode: mode, ...request }, past) => {
      const range = dateRangeOf(request, { nowMs: (await past.latestMs()) ?? deps.now() })
      const { days, beside: flows } = await readPastDayValuesWith(
        past,
        { wallet, ...range },
        deps,
        () => readPastDays(past, wallet, mode),
      )
      return presentPerformance({ wallet, mode, range }, flows, days)
    },
  })
}

function riskRoute(now: () => number): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/risk',
    operationId: 'getWalletRisk',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'walletRisk',
    family,
    summary: 'Concentration and exposure of a wallet',
    description:
      'Shares are of the value of open positions with a price; all null without value. Independent of ' +
      'pnl_mode. An unknown wallet has zeros.',
    parameters: schema.riskRequest,
    answer: schema.risk,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ wallet }) => ({ wallet }),
    cacheSeconds: walletCacheSeconds(now),
    read: async ({ wallet }, db) => presentRisk(wallet, await readExposure(db, wallet)),
    readAsOf: async ({ wallet }, past) => presentRisk(wallet, await readPastExposure(past, wallet)),
  })
}
