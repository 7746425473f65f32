/** SWAP -> pools -> FEED -> ranking, with real servers: for any arrivals the buckets equal the count. */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { assertTraders, rankingLagOf, untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { acceptedSwaps } from '../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'
import { publishApart, spawnWorker } from '../../support/workers/spawned-worker.ts'

const BOTH = ['pool', 'ranking']

function shuffled<Value>(seed: number, values: readonly Value[]): Value[] {
  const prng = new Prng([seed, 7])
  return values
    .map((value) => ({ value, place: prng.below(1_000_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

test.serial('a market in any order ends in the buckets of a naive count', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, shuffled(401, smallMarket(401, 2_000)), { eventsMax: 10 })
  await untilRankingCaughtUp(pipeline)
  await assertTraders(t, pipeline)
  await assertWindows(t, pipeline)
})

type Windows = { is: (actual: unknown, expected: unknown, message?: string) => boolean }

/** token_traders() at every width that is served, against the swaps of the window. */
async function assertWindows(t: Windows, pipeline: Pipeline): Promise<void> {
  const swaps = await acceptedSwaps(pipeline)
  const newest = Math.max(...swaps.map((swap) => swap.timestamp))
  const endMs = newest - (newest % 60_000) + 60_000
  const widths = [1, 2, 5, 15, 60, 61, 240, 360, 1_440]
  const { rows } = await pipeline.db.query<Record<string, number> & { mint: string }>(
    `select token.address as mint, traders.*
     from token_traders((select array_agg(id) from token), $1) as traders
     join token on token.id = token_id`,
    [widths],
  )
  const found = new Map(
    rows.map((row) => [
      `${row.mint} ${row.window_minutes}`,
      [row.buy_count, row.sell_count, row.buyer_count, row.seller_count].join(),
    ]),
  )
  let expected = 0
  for (const width of widths) {
    const inWindow = swaps.filter((swap) => swap.timestamp >= endMs - width * 60_000)
    for (const [mint, own] of Map.groupBy(inWindow, (swap) => swap.tokenAddress)) {
      expected += 1
      t.is(found.get(`${mint} ${width}`), tradersOf(own).join(), `${mint} ${width}`)
    }
  }
  t.is(rows.length, expected)
}

function tradersOf(swaps: readonly Swap[]): number[] {
  const buys = swaps.filter((swap) => swap.isBuy)
  const sells = swaps.filter((swap) => !swap.isBuy)
  const distinct = (some: Swap[]) => new Set(some.map((swap) => swap.user)).size
  return [buys.length, sells.length, distinct(buys), distinct(sells)]
}

test.serial(
  'a ranking that begins late counts the stored swaps, and skips them in FEED',
  async (t) => {
    const pipeline = await openPipeline(t)
    const pools = await runWorker(t, pipeline)
    const events = shuffled(402, smallMarket(402, 1_500))
    await publishAll(pipeline, events.slice(0, 900), { eventsMax: 25 })
    await untilCaughtUp(pipeline)
    await pools.stop()
    await runWorker(t, pipeline, { actors: BOTH })
    await publishAll(pipeline, events.slice(900), { eventsMax: 25 })
    await untilRankingCaughtUp(pipeline)
    await assertTraders(t, pipeline)
  },
)

test.serial('a recount amid live swaps counts each once', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: BOTH })
  const events = smallMarket(403, 2_000)
  for (let from = 0; from < events.length; from += 400) {
    await publishAll(pipeline, events.slice(from, from + 400), { eventsMax: 10 })
    await pipeline.db.query(
      `insert into ranking_recount (next_token_id) values (0)
       on conflict (is_only) do update set next_token_id = 0`,
    )
    const restarted = await runWorker(t, pipeline, { actors: BOTH })
    await restarted.stop()
  }
  await runWorker(t, pipeline, { actors: BOTH })
  await untilRankingCaughtUp(pipeline)
  await assertTraders(t, pipeline)
})

for (const [index, step] of (['pulled', 'folded', 'written', 'committed'] as const).entries()) {
  test.serial(
    `a worker of the ranking killed at "${step}" is followed by another, exactly`,
    async (t) => {
      const pipeline = await openPipeline(t)
      const events = shuffled(410 + index, smallMarket(410 + index, 600))
      await runWorker(t, pipeline)
      const doomed = await spawnWorker(t, pipeline, {
        actors: ['ranking'],
        fault: { step, after: 5, signal: 'SIGKILL' },
      })
      const given = { worker: doomed, eventsMax: 10, lag: rankingLagOf }
      await publishApart(pipeline, events.slice(0, 300), given)
      t.is(await doomed.ended, 'SIGKILL')
      await spawnWorker(t, pipeline, { actors: ['ranking'] })
      await publishAll(pipeline, events.slice(300), { eventsMax: 10 })
      await untilRankingCaughtUp(pipeline)
      await assertTraders(t, pipeline)
    },
  )
}
