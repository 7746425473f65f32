/** A FEED out of which an operator deleted messages: readers continue after them, and do not wait for them. */
import test, { type ExecutionContext } from 'ava'
import type { FeedBatch } from '../../../../api/feed/log/batch.ts'
import { openHub } from '../../../../api/feed/log/feed-reader.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { openClient, subscribe } from '../../../support/programs/swap-stream.ts'
import { openPipeline, type Pipeline, until } from '../../../support/workers/pipeline.ts'

async function deleteMessages({ jetStream, topology }: Pipeline, sequences: number[]) {
  for (const sequence of sequences) {
    await jetStream.manager.streams.deleteMessage(topology.feed.stream, sequence)
  }
}

async function bothFeeds(t: ExecutionContext, pipeline: Pipeline, ringBytesMax: number) {
  const grpc = { host: '127.0.0.1', port: 0 }
  const { api, keyFor } = await feedApi(t, { pipeline, feed: { grpc, ringBytesMax } })
  const { key, url } = await keyFor('pro')
  const stream = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => stream.close())
  const call = (request: object) => subscribe(stream, key, request)
  return { client: await welcomed(t, url), call }
}

const slotsOf = (events: readonly { slot?: unknown }[]): number[] =>
  events.map(({ slot }) => Number(slot))

test('a hub opens and continues where the newest messages of FEED were deleted', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, prefix, topology, recording } = pipeline
  await writeFeed(pipeline, 0, 20)
  await deleteMessages(pipeline, [19, 20])
  const hub = await openHub({
    ...{ jetStream, prefix, stream: topology.feed.stream, log: recording.log },
    ...{ ringBytesMax: 4_000, watchEveryMs: 100 },
  })
  t.teardown(() => hub.close())
  t.is(hub.head(), 20)
  const received: number[] = []
  hub.subscribe({ onBatch: ({ sequence }) => received.push(sequence) })
  await writeFeed(pipeline, 80, 3)
  await until('they are read', 60_000, () => hub.head() === 23)
  // Now while it runs: it has read them, or has not; in either case it has all that there is.
  await deleteMessages(pipeline, [22, 23])
  await until('it has all', 60_000, () => hub.tailLagMs() < 90)
  await writeFeed(pipeline, 92, 2)
  await until('all are heard', 60_000, () => received.length === 5)
  t.deepEqual(received, [21, 22, 23, 24, 25])
  const batches: FeedBatch[] = []
  for await (const batch of hub.readFrom(18, AbortSignal.timeout(60_000))) {
    if (batch.events.length > 0) batches.push(batch)
    if (batch.sequence === 25) break
  }
  const read = batches.map(({ sequence }) => sequence)
  t.deepEqual([read.at(0), read.at(-1)], [18, 25])
  t.false(read.includes(19) || read.includes(20))
})

for (const [from, ringBytesMax] of [
  ['memory', 1_000_000],
  ['the stream', 1],
] as const) {
  test(`a client continues after deleted messages, out of ${from}`, async (t) => {
    const pipeline = await openPipeline(t)
    await writeFeed(pipeline, 0, 8, 1)
    await deleteMessages(pipeline, [6, 7, 8])
    const { client, call } = await bothFeeds(t, pipeline, ringBytesMax)
    const { epoch } = pipeline.topology.feed
    const positions = [4, 5, 6, 7, 8]
    const calls = positions.map((sequence) => call({ cursor: `${epoch}-${sequence}` }))
    for (const sequence of positions) {
      const from = { cursor: `${epoch}-${sequence}` }
      client.send({ op: 'subscribe', sub: `${sequence}`, channel: 'swaps', from })
    }
    // A client at the end is live at once.
    await until('all have caught up', 60_000, () => client.of('caught_up').length === 4)
    await writeFeed(pipeline, 20, 1, 1)
    for (const [index, sequence] of positions.entries()) {
      const expected = sequence === 4 ? [1_004, 1_020] : [1_020]
      await client.untilEvents(`${sequence}`, expected.length)
      t.deepEqual(slotsOf(client.events(`${sequence}`)), expected, `${sequence}`)
      const { swaps } = calls[index] as (typeof calls)[number]
      await until('the call has all', 60_000, () => swaps.length >= expected.length)
      t.deepEqual(slotsOf(swaps), expected, `${sequence}`)
    }
    t.deepEqual([client.of('error'), client.errors], [[], []])
  })

  test(`a cursor within a deleted message resumes with the whole next one, out of ${from}`, async (t) => {
    const pipeline = await openPipeline(t)
    await writeFeed(pipeline, 0, 5)
    await deleteMessages(pipeline, [2])
    const { client, call } = await bothFeeds(t, pipeline, ringBytesMax)
    const cursor = `${pipeline.topology.feed.epoch}-1.3`
    const called = call({ cursor })
    client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { cursor } })
    // Events 8 to 19; two of them are pool events.
    const expected = Array.from({ length: 12 }, (_, n) => 1_008 + n).filter((n) => n % 10 !== 9)
    await client.untilEvents('a', expected.length)
    t.deepEqual(slotsOf(client.events('a')), expected)
    await until('the call has all', 60_000, () => called.swaps.length >= expected.length)
    t.deepEqual(slotsOf(called.swaps), expected)
    t.deepEqual([client.of('error'), client.errors], [[], []])
  })
}
