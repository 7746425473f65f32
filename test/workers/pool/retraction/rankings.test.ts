/**
 * Retracted trades leave nothing in the rankings of a worker that runs on: first swaps, creators and venues of tokens,
 * windows that end earlier, and the traders of the market are as of a history that never had them.
 */

import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { verify } from '../../../../workers/verify/verify.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { readPages } from '../../../support/ranking/ranking-pages.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const BOUND_MS = 60_000
/** A figure of a trending token: after score and volume, in the order of the parts. */
const ACCELERATION = 2 + 2
const BUYER_ACCELERATION = 2 + 3
const DEV_SELL = 2 + 4
const FAST_RISER = 2.5
const FORKED = poolOf(900_001)

type Sold = Partial<Swap> & { n: number; atMs: number }

const swapOf = ({ n, atMs, ...changes }: Sold): Event => ({
  kind: 'swap',
  swap: sampleSwap({
    ...{ signature: signatureOf(n), slot: 1_000 + n, timestamp: atMs },
    ...{ tokenAddress: mint(1), pairAddress: pair(1), user: trader(n) },
    ...{ solAmount: 1_000_000_000, tokenAmount: 1_000_000 },
    ...changes,
  }),
})

const retraction = (slot: number): Event => ({
  kind: 'retract',
  retraction: { slot, blockhash: FORKED },
})

async function publish(pipeline: Pipeline, events: readonly Event[]): Promise<void> {
  await publishAll(pipeline, events)
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await untilRankingCaughtUp(pipeline, BOUND_MS)
}

/** The token of a window, as the ranking serves it. */
async function rankedOf({ db }: Pipeline, minutes = 60, of = mint(1)) {
  const { trending } = await readPages(db)
  const page = trending.find(
    (row) => row.window_minutes === minutes && row.has_rugged && row.sector === '',
  )
  return page?.tokens.find((token) => token.mint === of)
}

async function untilFigures(
  pipeline: Pipeline,
  expected: Record<number, number>,
  minutes = 60,
): Promise<void> {
  const wanted = JSON.stringify(expected)
  let found = ''
  await until(`the figures ${wanted}`, BOUND_MS, async () => {
    const figures = (await rankedOf(pipeline, minutes))?.figures
    found = JSON.stringify(
      Object.fromEntries(Object.keys(expected).map((at) => [at, figures?.[Number(at)]])),
    )
    return found === wanted
  }).catch((cause: Error) => {
    throw new Error(`${cause.message}; found ${found}`, { cause })
  })
}

async function assertClean(t: ExecutionContext, { db, recording }: Pipeline): Promise<void> {
  const { tables, rankings } = await verify(db, { log: recording.log })
  const differing = tables.flatMap(({ name, differences }) =>
    differences.map((each) => `${name}: ${each}`),
  )
  t.deepEqual([...differing, ...rankings.differences], [])
  t.true(rankings.tokens > 0)
}

async function open(t: ExecutionContext): Promise<Pipeline> {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  return pipeline
}

const old = swapOf({ n: 1, atMs: FROM_MS - 10 * HOUR_MS, slot: 1, blockhash: FORKED })
const recent = [2, 3, 4].map((n) => swapOf({ n, atMs: FROM_MS - MINUTE_MS + n }))

test.serial('a token is new again when its first swap is retracted', async (t) => {
  const pipeline = await open(t)
  await publish(pipeline, [old, ...recent])
  await untilFigures(pipeline, { [ACCELERATION]: 3, [BUYER_ACCELERATION]: 3 })
  await publish(pipeline, [retraction(1)])
  await untilFigures(pipeline, { [ACCELERATION]: FAST_RISER, [BUYER_ACCELERATION]: FAST_RISER })
  await assertClean(t, pipeline)
})

test.serial('a token whose swaps were all retracted is new when it trades again', async (t) => {
  const pipeline = await open(t)
  const other = { tokenAddress: mint(2), pairAddress: pair(2) }
  await publish(pipeline, [
    old,
    swapOf({ n: 5, atMs: FROM_MS - 2 * HOUR_MS, ...other }),
    swapOf({ n: 6, atMs: FROM_MS - 2 * MINUTE_MS, ...other }),
  ])
  await until(
    'the ranking has it',
    BOUND_MS,
    async () => (await rankedOf(pipeline, 1_440)) !== undefined,
  )
  await publish(pipeline, [retraction(1)])
  await until('it is gone', BOUND_MS, async () => (await rankedOf(pipeline, 1_440)) === undefined)
  await publish(pipeline, recent)
  await untilFigures(pipeline, { [ACCELERATION]: FAST_RISER, [BUYER_ACCELERATION]: FAST_RISER })
  await assertClean(t, pipeline)
})

test.serial('a creator whose pool was retracted is none', async (t) => {
  const pipeline = await open(t)
  const created: Event = {
    kind: 'pool_event',
    poolEvent: {
      ...{ event: 'created', signature: signatureOf(8), slot: 1, blockTxIndex: 0, ixIndex: 0 },
      ...{ timestamp: FROM_MS - HOUR_MS, dex: 1, pairAddress: pair(1), tokenAddress: mint(1) },
      ...{ creator: trader(9), blockhash: FORKED },
    },
  }
  await publish(pipeline, [
    created,
    ...recent,
    swapOf({ n: 9, atMs: FROM_MS - MINUTE_MS, isBuy: false }),
  ])
  await untilFigures(pipeline, { [DEV_SELL]: 1 })
  await publish(pipeline, [retraction(1)])
  await untilFigures(pipeline, { [DEV_SELL]: 0 })
  await assertClean(t, pipeline)
})

test.serial('a pool has its former venue when its newest swap is retracted', async (t) => {
  const pipeline = await open(t)
  const newest = { n: 10, slot: 9_000, atMs: FROM_MS, dex: 3, blockhash: FORKED } as const
  await publish(pipeline, [
    ...recent,
    swapOf({ n: 7, atMs: FROM_MS - 3 * MINUTE_MS, solAmount: 2_000_000_000 }),
    swapOf({ ...newest }),
    swapOf({ n: 11, atMs: FROM_MS + MINUTE_MS, tokenAddress: mint(2), pairAddress: pair(2) }),
  ])
  const venuesOf = async (): Promise<number[]> => {
    const { movers } = await readPages(pipeline.db)
    const own = movers.filter(
      ({ window_minutes, tokens }) => window_minutes === 60 && tokens.length > 0,
    )
    return [...new Set(own.map(({ dex }) => dex))].sort((a, b) => a - b)
  }
  await until('it moved on venue 3', BOUND_MS, async () => (await venuesOf()).join() === '0,3')
  await publish(pipeline, [retraction(9_000)])
  await until('it moved on venue 1', BOUND_MS, async () => (await venuesOf()).join() === '0,1')
  await assertClean(t, pipeline)
})

test.serial('windows end earlier when the newest block is retracted', async (t) => {
  const pipeline = await open(t)
  const early = swapOf({
    n: 20,
    atMs: FROM_MS - 23 * HOUR_MS,
    tokenAddress: mint(2),
    pairAddress: pair(2),
  })
  await publish(pipeline, [early, ...recent])
  await until(
    'both are ranked',
    BOUND_MS,
    async () => (await rankedOf(pipeline, 1_440, mint(2))) !== undefined,
  )
  const before = await readPages(pipeline.db)
  const traders = async () =>
    (await pipeline.db.query('select * from market_trader order by 1, 2, 3')).rows as object[]
  const tradersBefore = await traders()
  const ahead = { n: 30, slot: 9_000, atMs: FROM_MS + 20 * HOUR_MS, blockhash: FORKED }
  await publish(pipeline, [swapOf(ahead)])
  await until(
    'one is too old',
    BOUND_MS,
    async () => (await rankedOf(pipeline, 1_440, mint(2))) === undefined,
  )
  const left = await pipeline.db.query('select from market_trader where bucket_ms < $1', [
    FROM_MS - 6 * HOUR_MS,
  ])
  t.is(left.rowCount, 0)
  await publish(pipeline, [retraction(9_000)])
  await until(
    'both are ranked again',
    BOUND_MS,
    async () => (await rankedOf(pipeline, 1_440, mint(2))) !== undefined,
  )
  await assertClean(t, pipeline)
  t.deepEqual(await readPages(pipeline.db), before)
  t.deepEqual(await traders(), tradersBefore)
})

test.serial('nothing is ranked when all swaps are retracted', async (t) => {
  const pipeline = await open(t)
  await publish(pipeline, [old])
  await until('it is ranked', BOUND_MS, async () => (await rankedOf(pipeline)) !== undefined)
  await publish(pipeline, [retraction(1)])
  await until('no snapshot is left', BOUND_MS, async () => {
    const { rows } = await pipeline.db.query(
      'select from ranking_roll union all select from trending_page',
    )
    return rows.length === 0
  })
  await publish(pipeline, recent)
  await untilFigures(pipeline, { [ACCELERATION]: FAST_RISER })
  await assertClean(t, pipeline)
})
