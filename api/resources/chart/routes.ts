/** REST of a wallet's portfolio chart. */
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dayStartMs } from '../../../domain/time/utc-day.ts'
import { WINDOW_DAYS } from '../../../domain/time/wallet-window.ts'
import { type Route, route } from '../../routing/route.ts'
import { gapsUntil } from '../as-of/present.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { type ChartDeps, readDayValues } from './day-values.ts'
import { readPastDayValues } from './past.ts'
import { presentChart } from './present.ts'
import { ofChart, walletChart } from './schema.ts'

export function chartRoutes(deps: ChartDeps & { gaps: CoverageGaps }): readonly Route[] {
  const chart = route({
    path: '/wallets/{w}/chart',
    operationId: 'getWalletChart',
    isOfHistory: true,
    graphqlField: 'walletChart',
    rows: 'series',
    family: 'enveloped',
    summary: 'Value of a wallet, day by day',
    description:
      'The value of a day is the sum over mints of the balance at its end times the close of the ' +
      "token's top pool: of the 24 hours before, else of the pool traded last. Closed days are " +
      'stored when they are first requested and never change; where they are not ready in time, ' +
      'the answer is 504 rather than a hole. Today and days that are not closed yet are computed ' +
      'live and provisional. An unknown wallet has an empty series.',
    parameters: ofChart,
    answer: walletChart,
    errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL', 'AS_OF_TOO_COSTLY'],
    example: ({ wallet }) => ({ w: wallet, window: '90d' }),
    respond: async (wanted, reading) => {
      const nowMs = deps.now()
      const todayMs = dayStartMs(nowMs)
      const span = { fromMs: todayMs - WINDOW_DAYS[wanted.window] * DAY_MS, toMs: todayMs }
      // One moment for all of it: a day that ends meanwhile is today still, and not closed.
      const at = { ...deps, now: () => nowMs }
      const wallet = { wallet: wanted.w, ...span }
      const values = await readDayValues(reading, wallet, at, (db) => deps.gaps.read(db))
      return presentChart(wanted, values, values.beside, { todayMs, nowMs })
    },
    readAsOf: async (wanted, past) => {
      const nowMs = (await past.latestMs()) ?? deps.now()
      const todayMs = dayStartMs(nowMs)
      const span = { fromMs: todayMs - WINDOW_DAYS[wanted.window] * DAY_MS, toMs: todayMs }
      const values = await readPastDayValues(past, { wallet: wanted.w, ...span }, deps)
      const gaps = await deps.gaps.read(past.db)
      const own = gaps && gapsUntil(past.slot, gaps)
      return presentChart(wanted, values, own, { todayMs, nowMs })
    },
  })
  return [chart]
}
