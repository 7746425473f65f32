/** Ranking snapshots, with real servers, at random instants of a market equal a recomputation. */
import { isDeepStrictEqual } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import {
  MOVERS_STORED,
  TREND_WINDOWS,
  TRENDING_STORED,
  venueNames,
} from '../../../../domain/ranking.ts'
import { MOVER_TIMEFRAMES, WINDOW_MINUTES } from '../../../../domain/time/trade-window.ts'
import { VENUES } from '../../../../domain/venue.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { simulate } from '../../../../streams/simulator/simulate.ts'
import { modelOf } from '../../../simulation/model.ts'
import { naiveMovers, naiveTrending } from '../../../simulation/models/ranking-model.ts'
import { readPages } from '../../../support/ranking/ranking-pages.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  until,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
const BOUND_MS = 60_000
const MINUTE_MS = 60_000
/** How far swaps are ahead at least: a machine that is too slow for the first attempt has another. */
const LEADS_MS = [20_000, 60_000, 180_000]
const ALL = ['pool', 'ledger', 'ranking']

/** Slots hours apart: two days of a market in some hundred slots. */
function longMarket(seed: number, swaps: number, stretch: number, fromMs = FROM_MS): Event[] {
  return [...simulate({ seed, swaps, fromMs, swapsPerSlot: 6 })].map((event) => {
    const later = (timestamp: number) => fromMs + (timestamp - fromMs) * stretch
    switch (event.kind) {
      case 'swap':
        return { ...event, swap: { ...event.swap, timestamp: later(event.swap.timestamp) } }
      case 'pool_event': {
        const { poolEvent } = event
        return { ...event, poolEvent: { ...poolEvent, timestamp: later(poolEvent.timestamp) } }
      }
      default:
        return event
    }
  })
}

function shuffledWithin(seed: number, events: readonly Event[], reach: number): Event[] {
  const prng = new Prng([seed, 9])
  return events
    .map((event, index) => ({ event, place: index + prng.below(reach) }))
    .sort((a, b) => a.place - b.place)
    .map(({ event }) => event)
}

test.serial('snapshots at random instants of two days equal a recomputation', async (t) => {
  const pipeline = await openPipeline(t)
  let worker = await runWorker(t, pipeline, { actors: ALL })
  const events = shuffledWithin(501, longMarket(501, 1_800, 1_500), 40)
  const prng = new Prng([501, 3])
  for (let from = 0; from < events.length; ) {
    const to = Math.min(events.length, from + 100 + prng.below(700))
    await publishAll(pipeline, events.slice(from, to), { eventsMax: 20 })
    from = to
    await assertPages(t, pipeline, events.slice(0, to))
  }
  // A restarted one has the same snapshots as the one before.
  const before = await readPages(pipeline.db)
  await worker.stop()
  await pipeline.db.query('truncate trending_page, mover_page, trending_token, mover_token')
  await pipeline.db.query('delete from ranking_roll')
  worker = await runWorker(t, pipeline, { actors: ALL })
  await assertPages(t, pipeline, events)
  t.deepEqual(await readPages(pipeline.db), before)
  // No event arrived since, and yet they include all events of FEED.
  const { rows } = await pipeline.db.query('select feed_sequence from ranking_roll')
  t.is(rows[0].feed_sequence, await feedEnd(pipeline))
})

test.serial('rebuilds pages that a crash emptied, also without new trades', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ALL })
  const events = longMarket(502, 300, 1_500)
  await publishAll(pipeline, events, { eventsMax: 50 })
  await assertPages(t, pipeline, events)
  // The effect of recovery on unlogged tables; it fails no statement of the worker.
  await pipeline.db.query(
    'truncate trending_page, mover_page, trending_token, mover_token, ranking_roll',
  )
  await assertPages(t, pipeline, events)
})

test.serial(
  'swaps ahead of the wall clock enter the pages when it reaches their minute',
  async (t) => {
    let isMadeBefore = false
    for (const leadMs of LEADS_MS) {
      isMadeBefore = await enterAtTheirMinute(t, leadMs)
      if (isMadeBefore) break
    }
    t.true(isMadeBefore, 'pages are made before the minute that lies ahead')
  },
)

/** False: the machine made the pages only once the minute that lay ahead had come. */
async function enterAtTheirMinute(t: ExecutionContext, leadMs: number): Promise<boolean> {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: ALL })
  const nowMs = Date.now()
  const aheadMs = Math.ceil((nowMs + leadMs) / MINUTE_MS) * MINUTE_MS
  const isOver = () => Date.now() >= aheadMs
  // The last of the chain's order are ahead: models go by that order, minutes by the time.
  const market = longMarket(503, 400, 1, nowMs - 10 * MINUTE_MS)
  const events = market.map((event, index) =>
    event.kind === 'swap' && index > market.length / 2
      ? { ...event, swap: { ...event.swap, timestamp: aheadMs + 1 + index } }
      : event,
  )
  await publishAll(pipeline, events, { eventsMax: 50 })
  const arePages = async (): Promise<boolean> =>
    isDeepStrictEqual(shownPages(await readPages(pipeline.db)), expectedPages(events))
  const boundMs = BOUND_MS + leadMs
  await until('pages without what lies ahead', boundMs, async () => (await arePages()) || isOver())
  const before = await readPages(pipeline.db)
  if (isOver()) {
    await worker.stop()
    return false
  }
  await until('the minute that lay ahead', boundMs, isOver)
  await assertPages(t, pipeline, events)
  t.notDeepEqual(await readPages(pipeline.db), before)
  return true
}

/** Waits until the snapshots are those of the events, and reports the difference if that lasts long. */
async function assertPages(
  t: ExecutionContext,
  pipeline: Pipeline,
  events: readonly Event[],
): Promise<void> {
  const expected = expectedPages(events)
  let found: Figures = {}
  await until('pages of all events', BOUND_MS, async () => {
    found = shownPages(await readPages(pipeline.db))
    return isDeepStrictEqual(found, expected)
  }).catch(() => t.deepEqual(found, expected, `after ${events.length} events`))
  t.true(Object.keys(expected).length > 14, 'there is something to rank')
}

type Figures = Record<string, unknown>

function expectedPages(events: readonly Event[]): Figures {
  const model = modelOf(events)
  const figures: Figures = {}
  const trends = TREND_WINDOWS.map((window) => naiveTrending(model, WINDOW_MINUTES[window]))
  const changes = trends.map((all) => new Map(all.map((of) => [of.mint, of.changePct])))
  for (const [index, all] of trends.entries()) {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[index]!]
    for (const sector of new Set(['', ...all.flatMap((of) => of.sector ?? [])])) {
      for (const hasRugged of [false, true]) {
        const ranked = all
          .filter((of) => hasRugged || !of.isRugged)
          .filter((of) => sector === '' || of.sector === sector)
        if (ranked.length === 0 && sector !== '') continue
        figures[`${minutes} ${hasRugged} ${sector}`] = [
          ranked.length,
          ...ranked.slice(0, TRENDING_STORED).map(({ mint, score, volumeSol, parts }) => {
            const moved = changes.map((of) => near(of.get(mint) ?? null))
            return [mint, near(score), volumeSol, moved, parts.map(near)]
          }),
        ]
      }
    }
  }
  for (const timeframe of MOVER_TIMEFRAMES) {
    for (const { dex, name } of [{ dex: 0, name: undefined }, ...VENUES]) {
      const { gainers, losers } = naiveMovers(model, WINDOW_MINUTES[timeframe], name)
      const key = `${WINDOW_MINUTES[timeframe]} ${dex}`
      figures[`${key} true`] = gainers.slice(0, MOVERS_STORED)
      figures[`${key} false`] = losers.slice(0, MOVERS_STORED)
    }
  }
  return figures
}

function shownPages({ trending, movers }: Awaited<ReturnType<typeof readPages>>): Figures {
  const figures: Figures = {}
  for (const row of trending) {
    figures[`${row.window_minutes} ${row.has_rugged} ${row.sector}`] = [
      row.total,
      ...row.tokens.map(({ mint, changes, figures: [score, volume, ...parts] }) => [
        mint,
        near(score),
        volume,
        changes.map(near),
        parts.map(near),
      ]),
    ]
  }
  for (const row of movers) {
    figures[`${row.window_minutes} ${row.dex} ${row.is_gainer}`] = row.tokens.map(
      ({ mint, figures: [venues, change, open, close, high, low, volume, trades] }) => ({
        mint,
        protocols: venueNames(venues!),
        price_change_pct: change,
        open_price: open,
        close_price: close,
        high,
        low,
        volume_sol: volume,
        trade_count: trades,
      }),
    )
  }
  return figures
}

/** Sums of doubles may differ in the last digits by the order of their terms. */
function near(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value.toPrecision(12)) + 0
}
