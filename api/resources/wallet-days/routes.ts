/** REST of a wallet's days: history and calendar. */
import { dateRangeOf } from '../../routing/reading/date-range.ts'
import { type Route, route } from '../../routing/route.ts'
import { type ChartDeps, readDayValues } from '../chart/day-values.ts'
import { readPastDayValuesWith } from '../chart/past.ts'
import { walletCacheSeconds } from '../wallets/cache-lifetime.ts'
import { presentCalendar, presentHistory } from './present.ts'
import { readDayRows, readHistory, readPastDayRows, readPastHistory } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const

export function walletDayRoutes(deps: ChartDeps): readonly Route[] {
  return [historyRoute(deps), calendarRoute(deps)]
}

function historyRoute(deps: ChartDeps): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/history',
    operationId: 'getWalletHistory',
    isOfHistory: true,
    graphqlField: 'walletHistory',
    tool: { listedAt: 250 },
    family,
    summary: 'Realized, unrealized and value of a wallet, day by day',
    description:
      'realized_sol is that of the performance, value_sol that of the chart. cost_basis_sol is the cost that ' +
      'the swaps up to the end of the day leave, by their timestamps: of lots in strict, by the ' +
      'running average otherwise. Positions with sells without a buy are replayed from their swaps. A token without a close yet has value 0 and its cost. An unknown wallet ' +
      'has no days.',
    parameters: schema.daysRequest,
    answer: schema.history,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ wallet, firstDay, lastDay }) => ({
      wallet,
      from: firstDay,
      to: lastDay,
      pnl_mode: 'strict',
    }),
    cacheSeconds: walletCacheSeconds(deps.now),
    respond: async ({ wallet, pnl_mode: mode, ...dates }, reading) => {
      const range = dateRangeOf(dates, { nowMs: deps.now() })
      // One snapshot for both: the cost of a buy never appears without the tokens that it bought.
      const values = await readDayValues(reading, { wallet, ...range }, deps, (db) =>
        readHistory(db, wallet, mode, range.toMs),
      )
      return presentHistory({ wallet, mode, range }, values.beside, values)
    },
    readAsOf: async ({ wallet, pnl_mode: mode, ...dates }, past) => {
      const range = dateRangeOf(dates, { nowMs: (await past.latestMs()) ?? deps.now() })
      const values = await readPastDayValuesWith(past, { wallet, ...range }, deps, () =>
        readPastHistory(past, wallet, mode, range.toMs),
      )
      return presentHistory({ wallet, mode, range }, values.beside, values)
    },
  })
}

function calendarRoute({ now }: ChartDeps): Route {
  return route({
    path: '/v2/pnl/wallets/{wallet}/calendar',
    operationId: 'getWalletCalendar',
    isOfHistory: true,
    graphqlField: 'walletCalendar',
    family,
    summary: 'Days on which a wallet traded, by month, with counts',
    description:
      `Days of a range of at most ${schema.WALLET_CALENDAR_DAYS_MAX}. A day is the sum of its hours, as in the ` +
      'performance; days without a trade are left out. An unknown wallet has no months.',
    parameters: schema.daysRequest,
    answer: schema.calendar,
    errors: [...errors, 'AS_OF_TOO_COSTLY'],
    example: ({ wallet, firstDay, lastDay }) => ({
      wallet,
      from: firstDay,
      to: lastDay,
      pnl_mode: 'strict',
    }),
    cacheSeconds: walletCacheSeconds(now),
    read: async ({ wallet, pnl_mode: mode, ...dates }, db) => {
      const range = dateRangeOf(dates, { nowMs: now(), daysMax: schema.WALLET_CALENDAR_DAYS_MAX })
      const rows = await readDayRows(db, wallet, mode, range)
      return presentCalendar({ wallet, mode, range }, rows)
    },
    readAsOf: async ({ wallet, pnl_mode: mode, ...dates }, past) => {
      const nowMs = (await past.latestMs()) ?? now()
      const range = dateRangeOf(dates, { nowMs, daysMax: schema.WALLET_CALENDAR_DAYS_MAX })
      const rows = await readPastDayRows(past, wallet, mode, range)
      return presentCalendar({ wallet, mode, range }, rows)
    },
  })
}
