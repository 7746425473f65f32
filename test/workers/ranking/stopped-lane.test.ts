/**
 * Holders in rankings while the ledger is stopped, whole or in one lane, with real servers: changes of its other lanes
 * are shown, and the rest once it resumes, even without further trades.
 */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { readPages } from '../../support/ranking/ranking-pages.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  until,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
/** So long before the others the first holders came: before the window that is looked at. */
const AGO_MS = 2 * 3_600_000
const WINDOW_MINUTES = 60
const HOLDERS = 60
const STOPPED = 2
const BOUND_MS = 60_000
/** After score and volume. */
const HOLDER_GROWTH = 2 + 5

/** The n-th wallet buys the token. */
const buyOf = (n: number): Swap =>
  sampleSwap({
    ...{ signature: signatureOf(n), slot: 1_000 + n, user: trader(n), isBuy: true },
    timestamp: n < HOLDERS ? FROM_MS - AGO_MS + n : FROM_MS + n,
    ...{ tokenAddress: mint(1), pairAddress: pair(1) },
    ...{ solAmount: 1_000_000_000, tokenAmount: 1_000_000 },
  })

async function buy(pipeline: Pipeline, wallets: readonly number[]): Promise<void> {
  const events = wallets.map((n) => ({ kind: 'swap' as const, swap: buyOf(n) }))
  await publishAll(pipeline, events)
}

const first = Array.from({ length: HOLDERS }, (_, n) => n)

/** Wallets without a position yet, of the stopped lane and of another. */
function newcomers(laneCount: number) {
  const others = Array.from({ length: 100 }, (_, n) => HOLDERS + n)
  const isOfStopped = (n: number) => laneOf(trader(n), laneCount) === STOPPED
  const going = others.filter((n) => !isOfStopped(n))
  return { stopped: others.find(isOfStopped)!, going: [going[0]!, going[1]!, going[2]!] as const }
}

/** Growth of holders in the last hour, as the ranking shows it; undefined: not ranked, null: no holder. */
async function growthOf({ db }: Pipeline): Promise<number | null | undefined> {
  const { trending } = await readPages(db)
  const page = trending.find(
    (row) => row.window_minutes === WINDOW_MINUTES && row.has_rugged && row.sector === '',
  )
  return page?.tokens.find((token) => token.mint === mint(1))?.figures[HOLDER_GROWTH]
}

/** Until the ranking shows so many holders more than those of before. */
async function untilGrown(pipeline: Pipeline, count: number): Promise<void> {
  let growth: number | null | undefined
  await until(`${count} more holders`, BOUND_MS, async () => {
    growth = await growthOf(pipeline)
    return growth === count / HOLDERS
  }).catch((cause: Error) => {
    throw new Error(`${cause.message}; ${growth} instead of ${count / HOLDERS}`, { cause })
  })
}

test.serial('waits for a ledger that begins after the last trade', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { db } = pipeline
  await runWorker(t, pipeline, { actors: ['pool', 'ranking'] })
  await buy(pipeline, [...first, HOLDERS])
  await untilRankingCaughtUp(pipeline)
  const end = await feedEnd(pipeline)
  await until('a refresh of all of the feed', BOUND_MS, async () => {
    const { rows } = await db.query('select from ranking_roll where feed_sequence = $1', [end])
    return rows.length === 1
  })
  t.is(await growthOf(pipeline), null)
  await runWorker(t, pipeline, { actors: ['ledger'] })
  await untilGrown(pipeline, 1)
  t.pass()
})

test.serial('a stopped lane of the ledger does not delay holders of other lanes', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { stopped, going } = newcomers(pipeline.laneCount)
  const latch = Promise.withResolvers<void>()
  let isShut = false
  await runWorker(t, pipeline, {
    actors: ['ledger'],
    onStep: async (step, lane) => {
      if (isShut && lane === STOPPED && step === 'pulled') await latch.promise
    },
  })
  // Before workers are stopped, of which one would wait for it.
  t.teardown(() => latch.resolve())
  await runWorker(t, pipeline, { actors: ['pool', 'ranking'] })
  await buy(pipeline, first)
  await buy(pipeline, [going[0]])
  await untilGrown(pipeline, 1)
  // Earlier sums are cached with this one, wallet by wallet.
  await buy(pipeline, [going[1]])
  await untilGrown(pipeline, 2)
  isShut = true
  await buy(pipeline, [stopped, going[2]])
  await untilGrown(pipeline, 3)
  isShut = false
  latch.resolve()
  await untilGrown(pipeline, 4)
  t.pass()
})
