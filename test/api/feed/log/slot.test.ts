/**
 * From a slot, on WebSocket and on SwapStream: all stored events from it on, at any position of FEED, and then new
 * events of any slot.
 */
import test, { type ExecutionContext } from 'ava'
import type { Timing } from '../../../../api/feed/websocket/protocol/timing.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { encodeFeedBatch } from '../../../../streams/codec/event-codec.ts'
import { feedSubject } from '../../../../streams/nats/subject.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { openClient, subscribe } from '../../../support/programs/swap-stream.ts'
import { until } from '../../../support/workers/pipeline.ts'

/** After all slots of `writeFeed`. */
const FAR_SLOT = 900_000
const farSwaps = (): Swap[] =>
  Array.from({ length: 5 }, (_, n) =>
    sampleSwap({ slot: FAR_SLOT + n, signature: signatureOf(n), solAmount: 1_000 + n }),
  )

async function bothFeeds(t: ExecutionContext, timing: Partial<Timing> = {}) {
  const grpc = { host: '127.0.0.1', port: 0 }
  const feed = await feedApi(t, { feed: { grpc, ringBytesMax: 20_000 }, timing })
  const { pipeline, api, keyFor } = feed
  const { jetStream, prefix } = pipeline
  const { key, url } = await keyFor('pro')
  const stream = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => stream.close())
  const publish = async (swaps: readonly Swap[], commitNumber: number): Promise<void> => {
    const stamped = { bytes: undefined, poolPrice: 0.5, priceImpactBps: null, walletTags: 0 }
    const events = swaps.map((swap) => ({ kind: 'swap' as const, swap, ...stamped }))
    const payload = encodeFeedBatch({ poolLane: 1, commitNumber, part: 0 }, events)
    await jetStream.publish(feedSubject(prefix, 1, 0, 1), payload)
  }
  return {
    ...feed,
    client: await welcomed(t, url),
    call: (request: object) => subscribe(stream, key, request),
    publish,
    /** Stored, and published by a message of FEED. */
    async commit(swaps: readonly Swap[], commitNumber: number): Promise<void> {
      await insertSwaps(pipeline.db, swaps)
      await publish(swaps, commitNumber)
    },
  }
}

const slotsOf = (events: readonly { slot?: unknown }[]): number[] =>
  events.map(({ slot }) => Number(slot))

test('delivers swaps from the requested slot that FEED holds long before lower slots', async (t) => {
  const { pipeline, client, call, commit, untilRead } = await bothFeeds(t)
  const far = farSwaps()
  await commit(far, 1)
  // The market continued with lower slots for long.
  for (let part = 0; part < 10; part++) await writeFeed(pipeline, 500 * part, 500, 1)
  await untilRead()
  const called = call({ slot: FAR_SLOT + 1 })
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: FAR_SLOT + 1 } })
  await client.until('caught_up')
  await until('the call has caught up', 60_000, () =>
    called.answers.some(({ event }) => event === 'notice'),
  )
  const expected = slotsOf(far.slice(1))
  t.deepEqual(slotsOf(client.events('a')), expected)
  t.deepEqual(slotsOf(called.swaps), expected)
  t.is((await client.until('subscribed')).mode, 'replay')
  t.true(client.of('data', 'a').every(({ replay }) => replay === true))
  t.true(called.answers[0]?.subscribed?.replay)
  t.is(called.answers.find(({ notice }) => notice)?.notice?.code, 'CAUGHT_UP')
  // After them events of FEED arrive, of any slot.
  await writeFeed(pipeline, 5_000, 1, 1)
  await client.untilEvents('a', 5)
  await until('the next swap', 60_000, () => called.swaps.length === 5)
  t.deepEqual(slotsOf(client.events('a')), [...expected, 6_000])
  t.deepEqual(slotsOf(called.swaps), [...expected, 6_000])
  t.deepEqual(client.errors, [])
})

test('a slot ahead of the stored ones is live at once on both feeds, and can be resumed', async (t) => {
  const { pipeline, client, call, commit, untilRead } = await bothFeeds(t)
  await writeFeed(pipeline, 0, 20)
  await untilRead()
  const cursor = `${pipeline.topology.feed.epoch}-20`
  const called = call({ slot: FAR_SLOT, heartbeat_seconds: 1 })
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: FAR_SLOT } })
  t.is((await client.until('caught_up')).cursor, cursor)
  await until('the call has caught up', 60_000, () =>
    called.answers.some(({ event }) => event === 'notice'),
  )
  t.is(called.answers.find(({ notice }) => notice)?.cursor, cursor)
  t.is((await client.until('subscribed')).mode, 'replay')
  t.true(called.answers[0]?.subscribed?.replay)
  t.deepEqual(client.events('a'), [])
  await writeFeed(pipeline, 80, 1, 1)
  await commit(farSwaps(), 1)
  const expected = [1_080, ...slotsOf(farSwaps())]
  await client.untilEvents('a', expected.length)
  await until('all of it', 60_000, () => called.swaps.length === expected.length)
  t.deepEqual(slotsOf(client.events('a')), expected)
  t.deepEqual(slotsOf(called.swaps), expected)
  t.false(client.of('data', 'a').some(({ replay }) => replay === true))
  t.is(client.of('data', 'a').at(-1)?.cursor, `${pipeline.topology.feed.epoch}-22`)
  t.deepEqual(client.errors, [])
})

test('delivers a commit once when it is published long after it was stored', async (t) => {
  const { pipeline, client, call, publish } = await bothFeeds(t, { heartbeatMs: 100 })
  const far = farSwaps()
  await insertSwaps(pipeline.db, far)
  // The owner died before FEED had the batch.
  await pipeline.db.query(
    `insert into checkpoint (actor, lane, sequence, commit_number, published_commit, published_parts,
       first_slots, last_slots, committed_at)
     values ('pool', 1, 1, 5, 5, 1, $1, $1, now() - interval '1 minute')`,
    [[FAR_SLOT]],
  )
  const called = call({ slot: FAR_SLOT, heartbeat_seconds: 1 })
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: FAR_SLOT } })
  t.is((await client.until('caught_up')).cursor, null)
  // An event of another lane.
  await writeFeed(pipeline, 0, 1, 1)
  await client.untilEvents('a', 6)
  const beats = client.of('heartbeat').length
  await until('it is looked again', 60_000, () => client.of('heartbeat').length > beats + 15)
  const reported = client.of('heartbeat').at(-1)?.subs as Record<string, { cursor: string | null }>
  t.is(reported.a?.cursor, null, 'a cursor would bring it again')
  await writeFeed(pipeline, 1, 1, 1)
  await publish(far, 5)
  await writeFeed(pipeline, 2, 1, 1)
  const expected = [...slotsOf(far), 1_000, 1_001, 1_002]
  await client.untilEvents('a', expected.length)
  await until('the call has all', 60_000, () => called.swaps.length >= expected.length)
  t.deepEqual(slotsOf(client.events('a')), expected)
  t.deepEqual(slotsOf(called.swaps), expected)
  // The message has been read: from here on there is a position to resume from.
  const cursor = `${pipeline.topology.feed.epoch}-4`
  await until('cursors are reported', 60_000, () => {
    const subs = client.of('heartbeat').at(-1)?.subs as Record<string, { cursor: string | null }>
    return subs.a?.cursor === cursor && called.cursor() === cursor
  })
  t.deepEqual(client.errors, [])
})
