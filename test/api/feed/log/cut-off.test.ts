/** A process of the API that is cut off from NATS for a while, and the changes of FEED meanwhile. */
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { connectJetStream } from '../../../../streams/nats/jetstream.ts'
import { trimStream } from '../../../../streams/nats/topology.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../../support/feed/stored-swaps.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { openClient, subscribe } from '../../../support/programs/swap-stream.ts'
import { tcpProxy } from '../../../support/servers/tcp-proxy.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

/** A way to NATS that can be cut and mended. */
async function wayTo(t: ExecutionContext, { natsUrl, recording }: Pipeline) {
  const { url, cut, mend } = await tcpProxy(t, natsUrl)
  const jetStream = await connectJetStream(url, { name: 'swaptide-test', log: recording.log })
  t.teardown(() => jetStream.close())
  return { jetStream, cut, mend }
}

/** A subscription "a" gets 36 events; then its process is cut off, and FEED gets 60 messages more. */
async function readThenCut(
  client: Awaited<ReturnType<typeof welcomed>>,
  pipeline: Pipeline,
  way: Awaited<ReturnType<typeof wayTo>>,
): Promise<void> {
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  await client.until('subscribed')
  await writeFeed(pipeline, 0, 10)
  await client.untilEvents('a', 36)
  way.cut()
  await writeFeed(pipeline, 40, 60)
}

test('reports events that FEED trimmed before the process read them as lost, and never skips them', async (t) => {
  const pipeline = await openPipeline(t)
  const way = await wayTo(t, pipeline)
  const { urlFor } = await feedApi(t, { pipeline, feed: { jetStream: way.jetStream } })
  t.teardown(way.mend)
  const client = await welcomed(t, await urlFor('pro'))
  await readThenCut(client, pipeline, way)
  await trimStream(pipeline.jetStream, pipeline.topology.feed.stream, 51)
  way.mend()
  await writeFeed(pipeline, 280, 10)
  const error = await client.until('error', 60_000)
  t.like(error, { code: 'CURSOR_EXPIRED', sub: 'a', fatal: false })
  t.like(error.details, { epoch: pipeline.topology.feed.epoch, first: 51 })
  t.is(client.events('a').length, 36)
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 } })
  await client.until('caught_up')
  await writeFeed(pipeline, 320, 1)
  await client.untilEvents('a', 40)
  t.deepEqual(client.errors, [])
})

test('reports events that were purged before the process read them as lost, on both feeds', async (t) => {
  const pipeline = await openPipeline(t)
  const way = await wayTo(t, pipeline)
  const grpc = { host: '127.0.0.1', port: 0 }
  const { api, keyFor } = await feedApi(t, {
    pipeline,
    feed: { jetStream: way.jetStream, grpc },
  })
  t.teardown(way.mend)
  const { key, url } = await keyFor('pro')
  const stream = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => stream.close())
  const call = subscribe(stream, key)
  const client = await welcomed(t, url)
  await readThenCut(client, pipeline, way)
  await pipeline.jetStream.manager.streams.purge(pipeline.topology.feed.stream)
  way.mend()
  const error = await client.until('error', 60_000)
  t.like(error, { code: 'CURSOR_EXPIRED', sub: 'a', fatal: false })
  t.like(error.details, { epoch: pipeline.topology.feed.epoch, first: 71, head: 70 })
  t.is((await call.ended).code, status.OUT_OF_RANGE)
  t.is(client.events('a').length, 36)
  client.send({ op: 'subscribe', sub: 'b', channel: 'swaps' })
  await until('it is live', 60_000, () => client.of('subscribed', 'b').length > 0)
  await writeFeed(pipeline, 320, 1)
  await client.untilEvents('b', 4)
  t.deepEqual(client.errors, [])
})

test('a slot with a slow first page has no cursor yet, and is a subscription in time', async (t) => {
  const pipeline = await openPipeline(t)
  // Longer than a loaded machine needs to send the subscribed events, and heartbeats after them.
  const timing = { subscribeMs: 10_000, heartbeatMs: 4_000 }
  const { urlFor } = await feedApi(t, { pipeline, timing, api: { deadlineMs: 60_000 } })
  const client = await welcomed(t, await urlFor('pro'))
  const holder = await pipeline.db.connect()
  t.teardown(() => holder.release(true))
  await holder.query('begin')
  await holder.query('lock table swap in access exclusive mode')
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 1_700 } })
  await until('three heartbeats', 60_000, () => {
    return client.of('heartbeat').length >= 3 || client.closeCode !== undefined
  })
  t.not(client.closeCode, 4408)
  const received = client.of('heartbeat').flatMap(({ subs }) => Object.values(subs as object))
  t.true(received.length > 0)
  t.deepEqual(
    received.filter(({ cursor }) => cursor !== null),
    [],
  )
})

test('refuses a call beyond the cap of its tier before any read', async (t) => {
  const grpc = { host: '127.0.0.1', port: 0 }
  const { pipeline, api, keyFor } = await feedApi(t, {
    feed: { grpc },
    api: { deadlineMs: 60_000 },
  })
  const { key } = await keyFor('free')
  const client = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => client.close())
  const holder = await pipeline.db.connect()
  t.teardown(() => holder.release(true))
  await holder.query('begin')
  await holder.query('lock table swap in access exclusive mode')
  // Both must begin with a page that cannot be read.
  const calls = [subscribe(client, key, { slot: 1_700 }), subscribe(client, key, { slot: 1_700 })]
  const { code } = await Promise.race(calls.map(({ ended }) => ended))
  t.is(code, status.RESOURCE_EXHAUSTED)
})

test('sends no event from FEED that the tables already supplied, however late the process reads it', async (t) => {
  const pipeline = await openPipeline(t)
  const way = await wayTo(t, pipeline)
  const { urlFor } = await feedApi(t, {
    pipeline,
    feed: { jetStream: way.jetStream },
    timing: { heartbeatMs: 500 },
  })
  t.teardown(way.mend)
  const { db } = pipeline
  await runWorker(t, pipeline)
  const market = smallMarket(911, 900)
  const third = (part: number) => market.filter((_, index) => index % 3 === part)
  await publishAll(pipeline, third(0), { eventsMax: 4 })
  await untilCaughtUp(pipeline)
  const client = await welcomed(t, await urlFor('pro'))
  way.cut()
  await publishAll(pipeline, third(1), { eventsMax: 4 })
  await untilCaughtUp(pipeline)
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 }, int64: 'string' })
  await client.until('caught_up')
  t.deepEqual(identities(client.events('a')), identities(await storedSwaps(db, 0)))
  // Newer commits of all lanes: those of the pages are complete in FEED, which this process cannot read yet.
  await publishAll(pipeline, third(2), { eventsMax: 4 })
  await untilCaughtUp(pipeline)
  const heartbeats = client.of('heartbeat').length
  await until('some heartbeats', 60_000, () => client.of('heartbeat').length >= heartbeats + 5)
  const cursor = (): unknown => {
    const subs = client.of('heartbeat').at(-1)?.subs as Record<string, { cursor: unknown }>
    return subs.a?.cursor
  }
  t.is(cursor(), null)
  way.mend()
  const end = await feedEnd(pipeline)
  await until('FEED is read', 60_000, () => Number(client.of('heartbeat').at(-1)?.head) >= end)
  const expected = identities(await storedSwaps(db, 0))
  await until('all came', 60_000, () => client.events('a').length >= expected.length)
  t.deepEqual(identities(client.events('a')), expected)
  await until('its cursor is told', 60_000, () => cursor() !== null)
  t.deepEqual(client.errors, [])
})
