/**
 * A FEED that lost messages to a damaged file, and its subscribers: each gets a notice of the gap, the swaps of the
 * tables that fill it, and continues; every swap of the tables arrives once, for any start and any disconnect.
 */
import test, { type ExecutionContext } from 'ava'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { subjectIn } from '../../../streams/nats/subject.ts'
import { sampleOf } from '../../support/api/metric-value.ts'
import { type FeedApi, feedApi } from '../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../support/feed/stored-swaps.ts'
import { openClient, subscribe } from '../../support/programs/swap-stream.ts'
import { damageablePipeline } from '../../support/servers/damaged-stream.ts'
import { tcpProxy } from '../../support/servers/tcp-proxy.ts'
import {
  type FeedMessage,
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  publishInSteps,
  readFeed,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const ADMIN_KEY = 'a-long-key-of-the-operators'
const BOUND_MS = 60_000
const FEED = { grpc: { host: '127.0.0.1', port: 0 } }

/** Messages that hold swaps and have another of their subject after them, spread over FEED. */
function losable(feed: readonly FeedMessage[], count: number): FeedMessage[] {
  const newest = new Map(feed.map(({ subject, sequence }) => [subject, sequence]))
  const found = feed.filter(
    ({ subject, sequence, events }) =>
      newest.get(subject)! > sequence && events.some(({ kind }) => kind === 'swap'),
  )
  if (found.length < count)
    throw new Error(`${found.length} messages of FEED can be lost, ${count} are wanted`)
  return Array.from(
    { length: count },
    (_, n) => found[Math.floor(((n + 0.5) * found.length) / count)]!,
  )
}

async function follow(
  t: ExecutionContext,
  { urlFor }: FeedApi,
  from: unknown,
): Promise<FeedClient> {
  const client = await welcomed(t, await urlFor('enterprise'))
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from, int64: 'string' })
  return client
}

/** All of the tables once, with a gap and its filling for each lost message. */
async function assertWhole(
  t: ExecutionContext,
  { db }: Pipeline,
  client: FeedClient,
  lost: readonly FeedMessage[],
): Promise<void> {
  const expected = identities(await storedSwaps(db, 0))
  await client.untilEvents('a', expected.length, BOUND_MS)
  t.deepEqual(identities(client.events('a')), expected)
  t.deepEqual(client.errors, [])
  const gaps = client.of('gap', 'a')
  t.deepEqual(
    gaps.map(({ to }) => Number(String(to).split('-')[1])).sort((a, b) => a - b),
    lost.map(({ sequence }) => sequence).sort((a, b) => a - b),
  )
  for (const gap of gaps) {
    t.true(gap.filled)
    const message = lost.find(({ sequence }) => `${gap.to}`.endsWith(`-${sequence}`))!
    const filling = client.frames.slice(client.frames.indexOf(gap) + 1)
    const end = filling.findIndex(({ type }) => type === 'caught_up')
    const events = filling.slice(0, end).flatMap((frame) => frame.data as Record<string, unknown>[])
    const swaps = message.events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
    t.deepEqual(
      events.map(({ signature }) => signature).sort(),
      swaps.map(({ signature }) => signature).sort(),
    )
    const [first, last] = gap.slots as [number, number]
    t.true(swaps.every(({ slot }) => slot >= first && slot <= last))
  }
}

async function assertWholeCall(
  t: ExecutionContext,
  { pipeline, api, keyFor }: FeedApi,
  cursor: string,
  lost: readonly FeedMessage[],
): Promise<void> {
  const { key } = await keyFor('enterprise')
  const stream = openClient(`127.0.0.1:${api.grpcPort}`)
  const call = subscribe(stream, key, { cursor })
  const expected = identities(await storedSwaps(pipeline.db, 0))
  await until('the call has all', BOUND_MS, () => call.swaps.length >= expected.length)
  t.deepEqual(identities(call.swaps), expected)
  const reported = call.answers.flatMap((answer) => {
    const { event } = answer as { event: string }
    return event === 'gap'
      ? [(answer as unknown as { gap: { to: string; filled: boolean } }).gap]
      : []
  })
  t.deepEqual(
    reported.map(({ to, filled }) => `${to} ${filled}`).sort(),
    lost.map(({ sequence }) => `${cursor.split('-')[0]}-${sequence} true`).sort(),
  )
  call.call.cancel()
  stream.close()
}

for (const [where, ringBytesMax] of [
  ['memory', 16 * 1024 * 1024],
  ['the stream', 1],
] as const) {
  test.serial(
    `reports and fills the gap that a damaged block left in FEED, out of ${where}`,
    async (t) => {
      const { pipeline, damage } = await damageablePipeline(t)
      const { topology, recording } = pipeline
      const worker = await runWorker(t, pipeline)
      await publishInSteps(pipeline, smallMarket(2_710, 700), { boundMs: BOUND_MS })
      await worker.stop()
      const lost = losable(await readFeed(pipeline), 3)
      await damage(
        topology.feed.stream,
        lost.map(({ sequence }) => sequence),
      )
      const api = { adminKey: ADMIN_KEY }
      const feed = await feedApi(t, { pipeline, feed: { ...FEED, ringBytesMax }, api })
      const start = `${topology.feed.epoch}-0`
      const client = await follow(t, feed, { cursor: start })
      await assertWhole(t, pipeline, client, lost)
      await assertWholeCall(t, feed, start, lost)
      const errors = recording.lines.filter((line) => line.includes('lost a message of FEED'))
      t.is(errors.length, lost.length)
      const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
      const metrics = await (await fetch(`${feed.api.url}/metrics`, { headers })).text()
      t.is(sampleOf(metrics, 'swaptide_feed_lost_messages'), lost.length)
      // Cut anywhere, within a gap as well, a client resumes with the rest, without duplicates.
      const frames = client.frames.filter(({ type, cursor }) => type === 'data' && cursor !== null)
      const gapAt = client.frames.indexOf(client.of('gap', 'a')[0]!)
      const near = client.frames.slice(gapAt - 3, gapAt + 4).filter(({ type }) => type === 'data')
      for (const cut of [...near, frames[frames.length >> 1]!, frames.at(-2)!]) {
        const before = client.frames
          .slice(0, client.frames.indexOf(cut) + 1)
          .flatMap((frame) =>
            frame.type === 'data' ? (frame.data as Record<string, unknown>[]) : [],
          )
        const again = await follow(t, feed, { cursor: cut.cursor })
        const expected = identities(await storedSwaps(pipeline.db, 0))
        await again.untilEvents('a', expected.length - before.length, BOUND_MS)
        t.deepEqual(identities([...before, ...again.events('a')]), expected, `${cut.cursor}`)
        t.deepEqual(again.errors, [])
        again.socket.terminate()
      }
    },
  )
}

test.serial(
  'reports a gap to a live client, and fills it before it sends later events',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { natsUrl, topology, recording, jetStream } = pipeline
    const proxy = await tcpProxy(t, natsUrl)
    const own = await connectJetStream(proxy.url, { name: 'swaptide-test', log: recording.log })
    t.teardown(() => own.close())
    await runWorker(t, pipeline)
    const events = smallMarket(2_711, 600)
    await publishInSteps(pipeline, events.slice(0, 200), { boundMs: BOUND_MS })
    const feed = await feedApi(t, { pipeline, feed: { ...FEED, jetStream: own } })
    const start = `${topology.feed.epoch}-0`
    const client = await follow(t, feed, { cursor: start })
    const filtered = await welcomed(t, await feed.urlFor('enterprise'))
    const filter = { swap_type: 'buy' }
    filtered.send({ op: 'subscribe', sub: 'a', channel: 'swaps', filter, batch_ms: 100 })
    await client.until('caught_up', BOUND_MS)
    await filtered.until('subscribed', BOUND_MS)
    // The client is cut off while messages arrive and one is lost; then it resumes from its position.
    proxy.cut()
    const readTo = await feedEnd(pipeline)
    await publishInSteps(pipeline, events.slice(200, 400), { boundMs: BOUND_MS })
    const unread = (await readFeed(pipeline)).filter(({ sequence }) => sequence > readTo)
    const lost = losable(unread, 1)
    await jetStream.manager.streams.deleteMessage(topology.feed.stream, lost[0]!.sequence)
    proxy.mend()
    await until('it is told', BOUND_MS, () => client.of('gap').length > 0)
    await publishAll(pipeline, events.slice(400), { eventsMax: 10 })
    await untilCaughtUp(pipeline, BOUND_MS)
    await assertWhole(t, pipeline, client, lost)
    await until('the other is told', BOUND_MS, () => filtered.of('gap').length > 0)
    const buys = new Set(filtered.events('a').map(({ signature }) => signature))
    for (const event of lost[0]!.events) {
      if (event.kind === 'swap') t.is(buys.has(event.swap.signature), event.swap.isBuy)
    }
    t.deepEqual(filtered.errors, [])
  },
)

test.serial('reports no gap for messages that were trimmed, aged out or purged', async (t) => {
  const pipeline = await openPipeline(t)
  const { topology, jetStream, recording } = pipeline
  await runWorker(t, pipeline)
  const events = smallMarket(2_712, 400)
  await publishInSteps(pipeline, events.slice(0, 200), { boundMs: BOUND_MS })
  const middle = (await feedEnd(pipeline)) >> 1
  await jetStream.manager.streams.purge(topology.feed.stream, { seq: middle })
  const feed = await feedApi(t, { pipeline })
  const client = await follow(t, feed, { cursor: `${topology.feed.epoch}-${middle - 1}` })
  await client.until('caught_up', BOUND_MS)
  await jetStream.manager.streams.purge(topology.feed.stream)
  await publishAll(pipeline, events.slice(200), { eventsMax: 10 })
  await untilCaughtUp(pipeline, BOUND_MS)
  const end = await feedEnd(pipeline)
  await until('it has all', BOUND_MS, () => {
    const cursor = client.of('data').at(-1)?.cursor
    return Number(String(cursor).split('-')[1]) >= end - 5
  })
  t.deepEqual(client.of('gap'), [])
  t.false(recording.lines.some((line) => line.includes('lost a message of FEED')))
  t.deepEqual(client.errors, [])
})

test.serial(
  'a lost swap that came late, of a slot long before its neighbours, is filled, too',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { topology, jetStream } = pipeline
    await runWorker(t, pipeline)
    const events = smallMarket(2_713, 400)
    const swaps = events.filter((event) => event.kind === 'swap')
    const subjectOf = (event: (typeof swaps)[number]) =>
      subjectIn('FEED', event, pipeline.laneCount)
    const late = swaps[5]!
    const last = swaps.findLast((event) => subjectOf(event) === subjectOf(late))!
    t.true(last.swap.slot > late.swap.slot)
    await publishAll(
      pipeline,
      events.filter((event) => event !== late && event !== last),
    )
    await untilCaughtUp(pipeline, BOUND_MS)
    for (const event of [late, last]) {
      await publishAll(pipeline, [event])
      await untilCaughtUp(pipeline, BOUND_MS)
    }
    const lost = (await readFeed(pipeline)).slice(-2, -1)
    t.is(lost[0]?.events.length, 1)
    await jetStream.manager.streams.deleteMessage(topology.feed.stream, lost[0]!.sequence)
    const feed = await feedApi(t, { pipeline })
    await assertWhole(
      t,
      pipeline,
      await follow(t, feed, { cursor: `${topology.feed.epoch}-0` }),
      lost,
    )
  },
)
