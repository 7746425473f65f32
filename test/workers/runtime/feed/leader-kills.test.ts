/**
 * FEED on three nodes whose leader is killed under load, again and again: no kill is taken for a lost end, nothing is
 * lost or doubled, and a FEED that is truly cut off is still noticed.
 *
 * LEADER_KILLS: kills, of which `npm run test:long` has 6.
 */
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { ensureTopology, type Topology } from '../../../../streams/nats/topology.ts'
import { assertExact } from '../../../simulation/judge.ts'
import { type NatsCluster, natsCluster } from '../../../support/cluster/nats.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../../support/feed/stored-swaps.ts'
import { requestedKills } from '../../../support/seed.ts'
import { testServers } from '../../../support/servers/servers.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

const KILLS = requestedKills({ daily: 3, long: 6 })
const BOUND_MS = 120_000
const ACTORS = ['pool', 'ledger']
/** More than the long run writes: the model is compared with all of FEED. */
const STREAM_BYTES = 1024 ** 3
/** Publishing waits for each part, so the load is what the lanes and the cluster bear. */
const PART = 60

async function clusteredPipeline(
  t: ExecutionContext,
): Promise<{ cluster: NatsCluster; pipeline: Pipeline }> {
  const cluster = await natsCluster(t)
  const servers = { databaseUrl: testServers().databaseUrl, natsUrl: cluster.natsUrl }
  const options = { natsAnswerMs: 5_000, replicas: 3, feedMaxBytes: STREAM_BYTES }
  const pipeline = await openPipeline(t, { servers, ...options, swapMaxBytes: STREAM_BYTES })
  return { cluster, pipeline }
}

/** The streams as they are; nodes of a loaded machine may not answer within the bound of a request. */
async function now({ jetStream, prefix, topology }: Pipeline): Promise<Topology> {
  let found = topology
  await until('the streams answer', BOUND_MS, async () => {
    found = await ensureTopology(jetStream, { prefix })
    return true
  })
  return found
}

async function listening(t: ExecutionContext, pipeline: Pipeline): Promise<FeedClient> {
  const { urlFor } = await feedApi(t, { pipeline })
  const client = await welcomed(t, await urlFor('enterprise'))
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 }, int64: 'string' })
  await client.until('caught_up', BOUND_MS)
  return client
}

test.serial(
  'takes no killed leader of FEED for a lost end, and loses and doubles nothing',
  async (t) => {
    t.timeout(120_000 + KILLS * 60_000)
    const { cluster, pipeline } = await clusteredPipeline(t)
    const { jetStream, topology, db, recording } = pipeline
    const worker = await runWorker(t, pipeline, { actors: ACTORS })
    const client = await listening(t, pipeline)
    let isLoaded = true
    let published = 0
    const arrived: ReturnType<typeof smallMarket> = []
    t.teardown(() => {
      isLoaded = false
    })
    const load = (async () => {
      for (let seed = 7_000; isLoaded; seed++) {
        const part = smallMarket(seed, PART)
        await publishAll(pipeline, part, { eventsMax: 3 })
        arrived.push(...part)
        published++
        await pause(20)
      }
    })()
    for (let kill = 0; kill < KILLS; kill++) {
      const before = published
      const leader = await cluster.leaderOf(jetStream, topology.feed.stream)
      await cluster.kill(leader)
      await until('the load goes on', BOUND_MS, () => published > before + 1)
      await cluster.start(leader)
      await cluster.untilComplete(jetStream, topology.feed.stream)
      await cluster.untilComplete(jetStream, topology.swap.stream)
    }
    isLoaded = false
    await load
    await untilLedgerCaughtUp(pipeline, BOUND_MS)
    const expected = identities(await storedSwaps(db, 0))
    await client.untilEvents('a', expected.length, BOUND_MS)
    t.deepEqual(identities(client.events('a')), expected)
    t.deepEqual([client.of('error'), client.of('gap'), client.errors], [[], [], []])
    const { feed, swap } = await now(pipeline)
    t.deepEqual([feed, swap], [topology.feed, topology.swap], 'the epochs are those of the start')
    t.deepEqual(
      recording.lines.filter((line) =>
        /lost its end|end that the stream lost|new epoch/.test(line),
      ),
      [],
    )
    await assertExact(t, pipeline, { arrived })
    t.is(worker.failure()?.stack, undefined)
    t.log(`${KILLS} kills, ${expected.length} swaps`)
  },
)

test.serial('notices that a FEED on three nodes was cut off', async (t) => {
  const { pipeline } = await clusteredPipeline(t)
  const { jetStream, topology, recording } = pipeline
  const { stream } = topology.feed
  await runWorker(t, pipeline, { actors: ACTORS })
  const client = await listening(t, pipeline)
  await publishAll(pipeline, smallMarket(7_900, 200), { eventsMax: 3 })
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  const { config } = await jetStream.manager.streams.info(stream)
  await jetStream.manager.streams.delete(stream)
  await jetStream.manager.streams.add(config)
  const error = await client.until('error', BOUND_MS)
  t.like(error, { code: 'CURSOR_EPOCH_CHANGED', sub: 'a' })
  const { feed } = await now(pipeline)
  t.is(feed.before[0]?.epoch, topology.feed.epoch)
  t.not(feed.epoch, topology.feed.epoch)
  await publishAll(pipeline, smallMarket(7_901, 200), { eventsMax: 3 })
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  const again = await listening(t, pipeline)
  const expected = identities(await storedSwaps(pipeline.db, 0))
  await again.untilEvents('a', expected.length, BOUND_MS)
  t.deepEqual(identities(again.events('a')), expected)
  t.deepEqual(again.errors, [])
  t.deepEqual(
    recording.lines.filter((line) => /unreadable/.test(line)),
    [],
    'the message that confirmed the end is no unreadable one',
  )
})
