/**
 * Messages of FEED that cannot be decoded, in whole or in part: they are skipped, reported once, and end no stream.
 */
import test, { type ExecutionContext } from 'ava'
import type { DexId } from '../../../../domain/venue.ts'
import { encodeFeedBatch, type FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { feedSubject } from '../../../../streams/nats/subject.ts'
import { sampleOf } from '../../../support/api/metric-value.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { feedEvent, writeFeed } from '../../../support/feed/written-feed.ts'
import { openClient, subscribe, withKey } from '../../../support/programs/swap-stream.ts'
import { type Pipeline, until } from '../../../support/workers/pipeline.ts'

const ADMIN_KEY = 'a-long-key-of-the-operators'
/** Ends within a number; names its commit, and ends within an event. */
const GARBAGE = Buffer.from([0xff, 0xff, 0xff])
const HALF_GARBAGE = Buffer.from([0x20, 0, 0x28, 9, 0x30, 0, 0x0a, 2, 0xff, 0xff])

type FeedSwap = FeedEvent & { kind: 'swap' }
const swapWith = (n: number, wrong: Partial<FeedSwap['swap']>): FeedEvent => {
  const event = feedEvent(n) as FeedSwap
  return { ...event, swap: { ...event.swap, ...wrong } }
}

async function publish({ jetStream, prefix }: Pipeline, payload: Buffer): Promise<void> {
  await jetStream.publish(feedSubject(prefix, 1, 0, 0), payload)
}

/** Two good messages, and between them all bad ones; the good part of the latter is swap 203. */
async function writeSpoilt(pipeline: Pipeline): Promise<void> {
  await writeFeed(pipeline, 100, 1)
  for (const payload of [GARBAGE, HALF_GARBAGE]) await publish(pipeline, payload)
  const wrong = [
    swapWith(200, { dex: 77 as DexId }),
    swapWith(201, { tokenAmount: 0 }),
    swapWith(202, { signature: '\u00e9'.repeat(88) }),
  ]
  const mark = { poolLane: 0, commitNumber: 30, part: 0 }
  await publish(pipeline, encodeFeedBatch(mark, [...wrong, feedEvent(203)]))
  await writeFeed(pipeline, 300, 1)
}
const SLOTS = [1_100, 1_101, 1_102, 1_103, 1_203, 1_300, 1_301, 1_302, 1_303]

async function bothFeeds(t: ExecutionContext, ringBytesMax: number) {
  const grpc = { host: '127.0.0.1', port: 0 }
  const feed = await feedApi(t, { feed: { grpc, ringBytesMax }, api: { adminKey: ADMIN_KEY } })
  const { key, url } = await feed.keyFor('pro')
  const stream = openClient(`127.0.0.1:${feed.api.grpcPort}`)
  t.teardown(() => stream.close())
  const call = (request: object) => subscribe(stream, key, request)
  return { ...feed, key, stream, client: await welcomed(t, url), call }
}

const slotsOf = (events: readonly { slot?: unknown }[]): number[] =>
  events.map(({ slot }) => Number(slot))

test('delivers the messages after an unreadable one to live clients', async (t) => {
  const { pipeline, api, key, stream, client, call } = await bothFeeds(t, 1_000_000)
  client.send({ op: 'subscribe', sub: 'live', channel: 'swaps' })
  client.send({ op: 'subscribe', sub: 'gathered', channel: 'swaps', batch_ms: 50 })
  const called = call({})
  await until('all have begun', 60_000, () => {
    return client.of('subscribed').length === 2 && called.answers.length > 0
  })
  await writeSpoilt(pipeline)
  for (const sub of ['live', 'gathered']) {
    await client.untilEvents(sub, SLOTS.length)
    t.deepEqual(slotsOf(client.events(sub)), SLOTS, sub)
  }
  await until('the call has all', 60_000, () => called.swaps.length >= SLOTS.length)
  t.deepEqual(slotsOf(called.swaps), SLOTS)
  await publish(pipeline, GARBAGE)
  const reported = (): string[] =>
    pipeline.recording.lines.filter((line) =>
      line.includes('skipped an unreadable message of FEED'),
    )
  await until('the newest is read', 60_000, () => reported().length > 3)
  t.deepEqual(
    reported().map((line) => /"sequence":(\d+)/.exec(line)?.[1]),
    ['2', '3', '4', '6'],
    'each once, whoever came to it',
  )
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
  const metrics = await (await fetch(`${api.url}/metrics`, { headers })).text()
  t.is(sampleOf(metrics, 'swaptide_feed_unreadable_messages'), 4)
  const described = await new Promise((resolve, reject) => {
    stream.GetStreamInfo({}, withKey(key), (failure, answer) =>
      failure === null ? resolve(answer) : reject(failure),
    )
  })
  t.like(described, { head: '6', head_slot: '0' })
  t.is(called.end(), undefined)
  t.deepEqual([client.of('error'), client.errors, client.closeCode], [[], [], undefined])
})

for (const [from, ringBytesMax] of [
  ['memory', 1_000_000],
  ['the stream', 1],
] as const) {
  test(`a message that cannot be read is passed over on the way from a cursor, out of ${from}`, async (t) => {
    const { pipeline, client, call, untilRead } = await bothFeeds(t, ringBytesMax)
    await writeSpoilt(pipeline)
    await untilRead()
    const { epoch } = pipeline.topology.feed
    for (const sequence of [0, 2, 3]) {
      const cursor = `${epoch}-${sequence}`
      const sub = `from ${sequence}`
      const called = call({ cursor })
      client.send({ op: 'subscribe', sub, channel: 'swaps', from: { cursor } })
      const expected = sequence === 0 ? SLOTS : SLOTS.slice(4)
      await client.untilEvents(sub, expected.length)
      t.deepEqual(slotsOf(client.events(sub)), expected, sub)
      await until('the call has all', 60_000, () => called.swaps.length >= expected.length)
      t.deepEqual(slotsOf(called.swaps), expected, sub)
      t.is(called.answers.at(-1)?.cursor, `${epoch}-5`)
      t.is(called.end(), undefined)
    }
    t.deepEqual([client.of('error'), client.errors, client.closeCode], [[], [], undefined])
  })
}
