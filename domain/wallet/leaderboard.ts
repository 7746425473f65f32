/**
 * Leaderboards: their periods, the hours that each ranks, and how long a ranking may be served. Pure.
 *
 * Law: an answer is never older than AGE_MAX_MS, counted from before its figures were read. Rankings are recomputed
 * even without requests (streams/jobs/job.ts), early enough that the next is stored when this one is too old.
 */
import { DAY_MS, HOUR_MS } from '../time/time-bucket.ts'
export const LEADERBOARD_PERIODS = ['1d', '7d', '30d', '90d'] as const
export type LeaderboardPeriod = (typeof LEADERBOARD_PERIODS)[number]

const PERIOD_DAYS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 } as const

/** The days that determine whether a wallet is an arbitrageur, for every period. */
export const ARBITRAGE_DAYS = 30

export const AGE_MAX_MS = 300_000
/** A job that finds a ranking younger than this does not make it again. */
export const REMAKE_AFTER_MS = 60_000
/**
 * Rows of hours up to which a ranking is computed by the request itself (some 50 ms): no ranking is stored then, and
 * jobs need not run.
 */
export const DIRECT_ROWS_MAX = 20_000

/** First and last hour, Unix ms with which they begin. */
type Hours = { fromMs: number; toMs: number }
type RankedHours = { ranked: Hours; judged: Hours; all: Hours }

/**
 * The hours of a period, the hours that determine arbitrageurs, and both together: from the one that holds newest -
 * days to the newest.
 */
export function rankedHours(period: LeaderboardPeriod, newestMs: number): RankedHours {
  const ranked = hoursOf(PERIOD_DAYS[period], newestMs)
  const judged = hoursOf(ARBITRAGE_DAYS, newestMs)
  return { ranked, judged, all: ranked.fromMs < judged.fromMs ? ranked : judged }
}

function hoursOf(days: number, newestMs: number): Hours {
  const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS
  return { fromMs: Math.max(0, hourOf(newestMs - days * DAY_MS)), toMs: hourOf(newestMs) }
}

/** Unix ms of the last moment of these hours. */
export function lastMsOf({ toMs }: Hours): number {
  return toMs + HOUR_MS - 1
}
