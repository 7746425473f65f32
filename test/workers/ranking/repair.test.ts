/** The report of verify on the ranking's tables, and their state after a rebuild and a lost FEED. */
import test, { type ExecutionContext } from 'ava'
import { rebuildRanking } from '../../../workers/rebuild/ranking.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { assertTraders, untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const BOTH = ['pool', 'ranking']

const differencesOf = async ({ db, recording }: Pipeline): Promise<string[]> => {
  const { tables } = await verify(db, { log: recording.log })
  return tables.flatMap(({ name, differences }) => differences.map((each) => `${name} ${each}`))
}

async function ranked(t: ExecutionContext, seed: number): Promise<Pipeline> {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, smallMarket(seed, 800), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  await worker.stop()
  return pipeline
}

test.serial(
  'verify finds a lost minute, a changed count, another wallet, a wrong start, and traders of the market',
  async (t) => {
    const pipeline = await ranked(t, 601)
    const { db } = pipeline
    t.deepEqual(await differencesOf(pipeline), [])
    for (const [change, found] of [
      [
        `delete from trader_minute where (token_id, bucket_ms) =
         (select token_id, bucket_ms from trader_minute order by 1, 2 limit 1)`,
        /^trader_minute .*: stored absent/,
      ],
      [
        'update trader_hour set buy_count = buy_count + 1, sell_count = sell_count - 1',
        /^trader_hour .* buys by/,
      ],
      [
        'update trader_minute set sellers = array[0] where cardinality(sellers) = 1',
        /sellers are others$/,
      ],
      ['update token_start set first_ms = first_ms - 1', /^token_start /],
      ['delete from market_trader where is_hour', /^market_trader hour .*: stored absent/],
      [
        `update market_trader set wallet = wallet # 1
         where not is_hour and wallet = (select min(wallet) from market_trader where not is_hour)`,
        /^market_trader minute .*: the traders are others$/,
      ],
    ] as const) {
      await db.query(change)
      const differences = await differencesOf(pipeline)
      t.true(
        differences.some((each) => found.test(each)),
        `${found}: ${differences.join('; ')}`,
      )
      await rebuildRanking(db, { log: pipeline.recording.log })
      t.deepEqual(await differencesOf(pipeline), [])
    }
  },
)

test.serial(
  'a rebuild alongside live workers neither loses a swap nor counts one twice',
  async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline, { actors: BOTH })
    const events = smallMarket(602, 2_000)
    for (let from = 0; from < events.length; from += 500) {
      await publishAll(pipeline, events.slice(from, from + 500), { eventsMax: 10 })
      const report = await rebuildRanking(pipeline.db, { log: pipeline.recording.log })
      t.true(report.tokens >= 0)
    }
    await untilRankingCaughtUp(pipeline)
    await assertTraders(t, pipeline)
  },
)

test.serial('loses no swap of a FEED that was recreated before the ranking read it', async (t) => {
  const pipeline = await openPipeline(t)
  const events = smallMarket(603, 1_200)
  const workers = await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, events.slice(0, 400), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  await workers.stop()
  const pools = await runWorker(t, pipeline)
  await publishAll(pipeline, events.slice(400, 800), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  await pools.stop()
  await pipeline.jetStream.manager.streams.delete(pipeline.topology.feed.stream)
  await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, events.slice(800), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  await assertTraders(t, pipeline)
})
