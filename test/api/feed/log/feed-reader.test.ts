/**
 * The hub over a real FEED: it yields the stream, from disk, from memory or live; a trimmed or recreated FEED is
 * reported, never ignored.
 */
import test, { type ExecutionContext } from 'ava'
import type { FeedBatch } from '../../../../api/feed/log/batch.ts'
import { type FeedHub, openHub } from '../../../../api/feed/log/feed-reader.ts'
import { FeedExpired, FeedReplaced } from '../../../../api/feed/log/hub-interface.ts'
import { ensureTopology, trimStream } from '../../../../streams/nats/topology.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { openPipeline, type Pipeline, readFeed, until } from '../../../support/workers/pipeline.ts'

async function hubOf(
  t: ExecutionContext,
  { jetStream, prefix, topology, recording }: Pipeline,
  ringBytesMax = 4_000,
): Promise<FeedHub> {
  const { stream } = topology.feed
  const { log } = recording
  const hub = await openHub({ jetStream, prefix, stream, log, ringBytesMax, watchEveryMs: 100 })
  t.teardown(() => hub.close())
  return hub
}

const saidBy = ({ sequence, events, mark }: Pick<FeedBatch, 'sequence' | 'events' | 'mark'>) => ({
  sequence,
  mark,
  events: events.map(({ bytes, ...said }) => said),
})

/** Reads on until the sequence, both included. */
async function readTo(hub: FeedHub, from: number, to: number): Promise<FeedBatch[]> {
  const batches: FeedBatch[] = []
  for await (const batch of hub.readFrom(from, AbortSignal.timeout(60_000))) {
    batches.push(batch)
    if (batch.sequence >= to) return batches
  }
  throw new Error(`not within 60 s: sequence ${to}; had ${batches.at(-1)?.sequence}`)
}

test('FEED is read once and in order: from the stream, from memory, and as it comes', async (t) => {
  const pipeline = await openPipeline(t)
  await writeFeed(pipeline, 0, 500)
  const hub = await hubOf(t, pipeline)
  t.is(hub.head(), 500)
  const received: number[] = []
  const end = hub.subscribe({ onBatch: ({ sequence }) => received.push(sequence) })
  const reading = Promise.all([1, 250, 498, 501].map((from) => readTo(hub, from, 800)))
  await writeFeed(pipeline, 2_000, 300)
  const feed = await readFeed(pipeline)
  for (const batches of await reading) {
    const expected = feed.slice(-batches.length)
    t.deepEqual(batches.map(saidBy), expected.map(saidBy))
  }
  t.deepEqual(
    (await reading).map((batches) => batches[0]?.sequence),
    [1, 250, 498, 501],
  )
  t.deepEqual(
    received,
    Array.from({ length: 300 }, (_, index) => 501 + index),
  )
  end()
})

test('reports a position before the start of FEED as expired', async (t) => {
  const pipeline = await openPipeline(t)
  await writeFeed(pipeline, 0, 300)
  const hub = await hubOf(t, pipeline)
  await trimStream(pipeline.jetStream, pipeline.topology.feed.stream, 100)
  await until('the hub sees it', 60_000, () => hub.first() === 100)
  await t.throwsAsync(readTo(hub, 50, 300), { instanceOf: FeedExpired })
  t.is((await readTo(hub, 100, 300)).length, 201)
})

test('a FEED that is emptied under a reader ends it as expired: no message counts as deleted', async (t) => {
  const pipeline = await openPipeline(t)
  await writeFeed(pipeline, 0, 300)
  const hub = await hubOf(t, pipeline, 1)
  const read: number[] = []
  const reading = async () => {
    for await (const { sequence } of hub.readFrom(1, AbortSignal.timeout(60_000))) {
      read.push(sequence)
      if (sequence === 10) {
        await pipeline.jetStream.manager.streams.purge(pipeline.topology.feed.stream)
      }
      if (sequence >= 300) return
    }
  }
  await t.throwsAsync(reading, { instanceOf: FeedExpired })
  t.true(read.length < 290)
  t.deepEqual(
    read,
    read.map((_, index) => 1 + index),
  )
})

test('reports a recreated FEED to readers and subscribers, and it can be read from its start', async (t) => {
  const pipeline = await openPipeline(t)
  await writeFeed(pipeline, 0, 20)
  const hub = await hubOf(t, pipeline)
  const before = hub.epoch
  let replaced = 0
  const received: FeedBatch[] = []
  hub.subscribe({ onBatch: (batch) => received.push(batch), onReplaced: () => replaced++ })
  const reading = readTo(hub, 21, 30)
  const judged = t.throwsAsync(reading, { instanceOf: FeedReplaced })
  const { jetStream, topology } = pipeline
  await jetStream.manager.streams.delete(topology.feed.stream)
  await ensureTopology(jetStream, topology)
  // More than the old one held: continued sequences would look right.
  await writeFeed(pipeline, 400, 40)
  await judged
  await until('the new FEED is read', 60_000, () => hub.head() === 40)
  t.is(replaced, 1)
  t.not(hub.epoch, before)
  // Messages that it had before it noticed do not count as new.
  const known = 40 - received.length
  const sequencesOf = (batches: readonly FeedBatch[]) => batches.map(({ sequence }) => sequence)
  t.deepEqual(
    sequencesOf(received),
    Array.from({ length: received.length }, (_, index) => known + 1 + index),
  )
  t.deepEqual(
    sequencesOf(await readTo(hub, 1, 40)),
    Array.from({ length: 40 }, (_, index) => 1 + index),
  )
})
