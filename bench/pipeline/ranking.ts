/**
 * Rankings over many active tokens: durations of the ranking's start, of a refresh when tokens were touched and when a
 * minute has passed, and GET /trending and /api/v1/top-movers of stored snapshots. A ranking is as fresh as a refresh
 * and the pause between two (REFRESH_EVERY_MS).
 */
import { MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { MOVER_TIMEFRAMES, WINDOW_NAMES } from '../../domain/time/trade-window.ts'
import { VENUE_NAMES } from '../../domain/venue.ts'
import type { Db } from '../../sql/db.ts'
import { RankingIndex } from '../../workers/ranking/ranked/ranking-index.ts'
import { StoredSnapshots } from '../../workers/ranking/snapshot/snapshot-store.ts'
import { fillRanked, NEWEST_MS } from '../market/ranked-tokens.ts'
import { expectEqual, quantile, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { type RestClient, startRest } from '../rest-client.ts'
import { writePages } from '../test-support.ts'

const REQUESTS = 300
const WARM_UP_REQUESTS = 30
const TOUCHED = 2_000

export function rankingOf(tokens: number): Measurement {
  const of = `ranking, ${tokens.toLocaleString('en-US')} active tokens`
  const begun = `${of}: read and rolled first`
  const touched = `${of}: roll, ${TOUCHED.toLocaleString('en-US')} of them touched`
  const minute = `${of}: roll, a minute has passed`
  const trending = `${of}: GET /trending, p99`
  const movers = `${of}: GET /api/v1/top-movers, p99`
  return {
    name: 'ranking',
    figures: [
      { figure: begun, unit: 's', digits: 1 },
      { figure: touched, unit: 'ms', goal: '<= 1,300' },
      { figure: minute, unit: 'ms', goal: '<= 1,300' },
      { figure: trending, unit: 'ms', digits: 1, goal: '<= 40' },
      { figure: movers, unit: 'ms', digits: 1, goal: '<= 40' },
    ],
    round: (context) =>
      context.stages.use(async (stage) => {
        await fillRanked(stage.db, tokens)
        const { begunMs, touchedMs, minuteMs } = await refreshes(stage.db, tokens)
        const rest = await startRest(stage, context.workerFlags)
        try {
          const ofTrending = await times(rest, trendingPath)
          const ofMovers = await times(rest, moversPath)
          return [
            { figure: begun, value: begunMs / 1000 },
            { figure: touched, value: touchedMs },
            { figure: minute, value: minuteMs },
            { figure: trending, value: quantile(ofTrending, 0.99) },
            { figure: movers, value: quantile(ofMovers, 0.99) },
          ]
        } finally {
          await rest.stop()
        }
      }),
  }
}

/** The ranking index is freed before requests are timed: its collection is no part of them. */
async function refreshes(db: Db, tokens: number) {
  const rankingIndex = new RankingIndex(db, async () => [])
  const written = new StoredSnapshots()
  const refresh = async (): Promise<number> => {
    const fromMs = sharedClockMs()
    const pages = await rankingIndex.refresh()
    if (pages === undefined) throw new WrongResult('a refresh reported nothing')
    await writePages(db, written, pages)
    return sharedClockMs() - fromMs
  }
  const begunMs = await refresh()
  expectEqual('tokens on the board', rankingIndex.tokenCount, tokens)
  for (let id = 1; id <= TOUCHED; id++) rankingIndex.note(id * 7, NEWEST_MS, id, 0)
  const touchedMs = await refresh()
  await db.query('update slot_span set last_ms = last_ms + $1', [MINUTE_MS])
  return { begunMs, touchedMs, minuteMs: await refresh() }
}

function trendingPath(count: number): string {
  const window = WINDOW_NAMES[count % WINDOW_NAMES.length]
  const limit = count % 4 === 0 ? 200 : 50
  const extra = count % 3 === 0 ? '&extra_windows=5m,1h,24h' : ''
  return `/trending?window=${window}&limit=${limit}&offset=${count % 200}&include_score=1${extra}`
}

function moversPath(count: number): string {
  const timeframe = MOVER_TIMEFRAMES[count % MOVER_TIMEFRAMES.length]
  const protocol = count % 3 === 0 ? `&protocol=${VENUE_NAMES[count % VENUE_NAMES.length]}` : ''
  const limit = count % 4 === 0 ? 500 : 50
  return `/api/v1/top-movers?timeframe=${timeframe}&limit=${limit}${protocol}`
}

/** Milliseconds of each request, those that warm up aside. */
async function times(rest: RestClient, pathOf: (count: number) => string): Promise<number[]> {
  const took: number[] = []
  for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
    const fromMs = sharedClockMs()
    const answer = await rest.read(pathOf(count))
    if (count >= WARM_UP_REQUESTS) took.push(sharedClockMs() - fromMs)
    expectEqual('status of a ranking', answer.status, 200)
  }
  return took
}
