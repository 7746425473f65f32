/** REST of who did best, and when. */

import { AGE_MAX_MS } from '../../../domain/wallet/leaderboard.ts'
import type { JobRequests } from '../../../streams/jobs/job.ts'
import { dateRangeOf } from '../../routing/reading/date-range.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentCalendar, presentLeaderboard } from './present.ts'
import { readKolDays, readRanks } from './read.ts'
import {
  calendar,
  calendarRequest,
  KOL_CALENDAR_DAYS_MAX,
  type LeaderboardAnswer,
  leaderboard,
  leaderboardRequest,
} from './schema.ts'

const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const
const AGE_TEXT = `An answer is at most ${AGE_MAX_MS / 1000} s old.`

type LeaderboardDeps = {
  /** Unix ms of the wall clock. */
  now: () => number
  /** Absent: a window that is too large for a request answers 503 until its ranking is made. */
  jobs?: JobRequests | undefined
  /** Rows of hours that a request may read by itself. */
  directRowsMax?: number | undefined
}

export function leaderboardRoutes(deps: LeaderboardDeps): readonly Route[] {
  return [topRoute(deps), calendarRoute(deps)]
}

function topRoute({ jobs, directRowsMax }: LeaderboardDeps): Route {
  /** How long ago the figures of an answer were read, before the answer was. */
  const ages = new WeakMap<LeaderboardAnswer, number>()
  return route({
    path: '/v2/pnl/leaderboard/top',
    operationId: 'getLeaderboard',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'leaderboard',
    tool: { listedAt: 280 },
    family: 'enveloped',
    summary: 'Wallets by realized PnL in a trailing window',
    description:
      'Every wallet with a trade in the hours of the window (from the one that holds newest - period ' +
      'to the newest, newest being the newest indexed swap of all, never later than now), by ' +
      'realized in pnl_mode, then by ' +
      'wallet; those that realized nothing are listed too. ' +
      AGE_TEXT,
    parameters: leaderboardRequest,
    answer: leaderboard,
    errors,
    example: { period: '7d', limit: 10 },
    cacheSeconds: { ofAnswer: (answer) => (AGE_MAX_MS - (ages.get(answer) ?? 0)) / 1000 },
    respond: async (request, reading) => {
      const { period, exclude_arbitrage: isHonest, pnl_mode: mode, limit, offset } = request
      const wanted = { period, mode, isHonest, limit, offset }
      const { rows, ageMs } = await readRanks(wanted, reading, jobs, directRowsMax)
      const answer = presentLeaderboard(request, rows)
      ages.set(answer, ageMs)
      return answer
    },
  })
}

function calendarRoute({ now }: LeaderboardDeps): Route {
  return route({
    path: '/v2/pnl/leaderboard/kols/calendar',
    operationId: 'getKolCalendar',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'kolCalendar',
    family: 'enveloped',
    summary: 'Realized PnL of the top KOLs, day by day',
    description:
      'The KOLs with an indexed swap that realized most of all time in pnl_mode, ties by wallet; for ' +
      `each a cell for every UTC day of from..to, at most ${KOL_CALENDAR_DAYS_MAX} days. Days are sums of hours; in raw they ` +
      `are cash flows. ${AGE_TEXT}`,
    parameters: calendarRequest,
    answer: calendar,
    errors,
    example: ({ dayBefore, lastDay }) => ({ from: dayBefore, to: lastDay, top_n: 5 }),
    cacheSeconds: AGE_MAX_MS / 1000,
    respond: async (request, { reader, signal }) => {
      const range = dateRangeOf(request, { nowMs: now(), daysMax: KOL_CALENDAR_DAYS_MAX })
      const { pnl_mode: mode, top_n: topN } = request
      const { fromMs, toMs } = range
      const rows = await reader.run(signal, (db) => readKolDays(db, { mode, topN, fromMs, toMs }))
      return presentCalendar(request, range, rows)
    },
  })
}
