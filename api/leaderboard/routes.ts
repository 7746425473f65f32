/** REST of who did best. */
import type { AskJobs } from '../../streams/job.ts'
import { AGE_MAX_MS } from '../../streams/leaderboard.ts'
import { type Route, route } from '../route.ts'
import { presentLeaderboard } from './present.ts'
import { readRanks } from './read.ts'
import { type LeaderboardAnswer, leaderboard, leaderboardAsked } from './schema.ts'

const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const

export type LeaderboardDeps = {
  /** Absent: a window that is too large for a request answers 503 until its ranking is made. */
  jobs?: AskJobs | undefined
  /** Rows of hours that a request may read by itself. */
  directRowsMax?: number | undefined
}

export function leaderboardRoutes({ jobs, directRowsMax }: LeaderboardDeps): readonly Route[] {
  /** How long ago the figures of an answer were read, before the answer was. */
  const ages = new WeakMap<LeaderboardAnswer, number>()
  const top = route({
    path: '/v2/pnl/leaderboard/top',
    family: 'enveloped',
    summary: 'Wallets by what they realized in a trailing window',
    description:
      'Every wallet with a trade in the hours of the window (from the one that holds newest - period ' +
      'to the newest, newest being the newest indexed swap of all), by realized in pnl_mode, then by ' +
      'wallet; those that realized nothing are listed too. An answer is at most 300 s old.',
    parameters: leaderboardAsked,
    answer: leaderboard,
    errors,
    example: { period: '7d', limit: 10 },
    cacheSeconds: (_asked, _db, answer) => (AGE_MAX_MS - (ages.get(answer) ?? 0)) / 1000,
    respond: async (asked, reading) => {
      const { period, exclude_arbitrage: isHonest, pnl_mode: mode, limit, offset } = asked
      const wanted = { period, mode, isHonest, limit, offset }
      const { rows, ageMs } = await readRanks(wanted, reading, jobs, directRowsMax)
      const answer = presentLeaderboard(asked, rows)
      ages.set(answer, ageMs)
      return answer
    },
  })
  return [top]
}
