/** Subscriptions that leave, or change their filter, while the next events are read for them. */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { untilBlocked } from '../../../support/api/blocked.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { type FeedClient, type Received, welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { until } from '../../../support/workers/pipeline.ts'

/** A swap a slot; every tenth is of another token. */
function storedSwap(n: number): Swap {
  const token = n % 10 === 9 ? 1 : 0
  const position = { slot: 1_000 + n, pairAddress: pair(2 * token), tokenAddress: mint(token) }
  return sampleSwap({ ...position, signature: signatureOf(n) })
}

const storedSwaps = (count: number): Swap[] =>
  Array.from({ length: count }, (_, n) => storedSwap(n))

/** Frames after the answer of this id. */
async function framesAfter(client: FeedClient, id: string): Promise<Received[]> {
  client.send({ op: 'ping', id: `${id} ping` })
  const isOf = (wanted: string) => (frame: Received) => frame.id === wanted
  await until('the pong', 60_000, () => client.frames.some(isOf(`${id} ping`)))
  return client.frames.slice(client.frames.findIndex(isOf(id)) + 1)
}

test('sends no event of a page of the tables that is read while its client unsubscribes', async (t) => {
  const { pipeline, urlFor } = await feedApi(t, { api: { deadlineMs: 60_000 } })
  const { db } = pipeline
  await insertSwaps(db, storedSwaps(20))
  const client = await welcomed(t, await urlFor('pro'))
  const holder = await db.connect()
  t.teardown(() => holder.release(true))
  await holder.query('begin')
  await holder.query('lock table swap in access exclusive mode')
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 } })
  await client.until('subscribed')
  await untilBlocked(db)
  client.send({ op: 'unsubscribe', sub: 'a', id: 'left' })
  await client.until('unsubscribed')
  await holder.query('rollback')
  // A later subscription is served by the same queue of readers: the page of the first was read before.
  client.send({ op: 'subscribe', sub: 'b', channel: 'swaps', from: { slot: 0 } })
  await client.untilEvents('b', 20)
  t.deepEqual(client.of('data', 'a'), [])
  t.deepEqual(client.errors, [])
})

test('sends no event after the answer to an unsubscribe while the stream is read', async (t) => {
  const { pipeline, urlFor } = await feedApi(t, { feed: { ringBytesMax: 4_000 } })
  await writeFeed(pipeline, 0, 3_000)
  const client = await welcomed(t, await urlFor('pro'))
  const cursor = `${pipeline.topology.feed.epoch}-0`
  for (let round = 0; round < 25; round++) {
    const sub = `sub ${round}`
    const left = `left ${round}`
    client.send({ op: 'subscribe', sub, channel: 'swaps', from: { cursor } })
    await until('its first events', 60_000, () => client.of('data', sub).length > 0)
    client.send({ op: 'unsubscribe', sub, id: left })
    await until('the answer', 60_000, () => client.of('unsubscribed').at(-1)?.id === left)
    const late = (await framesAfter(client, left)).filter((frame) => frame.sub === sub)
    t.deepEqual(
      late.map(({ type, n }) => ({ type, n })),
      [],
      `round ${round}`,
    )
  }
  t.deepEqual(client.errors, [])
})

test('a filter that is changed while the client does not read holds from the answer on, within a page of the tables too', async (t) => {
  const count = 30_000
  const { pipeline, urlFor } = await feedApi(t, { timing: { stallMs: 150_000 } })
  const { db } = pipeline
  await insertSwaps(db, storedSwaps(count))
  const client = await welcomed(t, await urlFor('pro'))
  const request = { op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 } }
  client.socket.pause()
  client.send({ ...request, filter: { tokens: [mint(0)] } })
  // 30 MB: more than the kernel and the server hold for it, so pages are read no further.
  const requested = `select max(query_start)::text as newest, bool_or(state <> 'idle') as is_busy
    from pg_stat_activity
    where application_name like 'swaptide api/%' and datname = current_database()`
  // By polls, not by time: between two of them the server, which is this process, runs as well.
  let newest = ''
  let looks = 0
  await until('no page is read any more', 60_000, async () => {
    const [row] = (await db.query(requested)).rows
    looks = row.newest === newest && !row.is_busy ? looks + 1 : 0
    newest = row.newest
    return looks >= 60
  })
  client.send({ op: 'update', sub: 'a', id: 'changed', filter: { tokens: [mint(1)] } })
  client.socket.resume()
  await client.until('updated', 60_000)
  await client.until('caught_up', 60_000)
  const changed = client.frames.findIndex(({ id }) => id === 'changed')
  const slotsOf = (frames: readonly Received[]): number[] =>
    frames
      .filter(({ type }) => type === 'data')
      .flatMap(({ data }) => (data as { slot: number }[]).map(({ slot }) => slot))
  const before = slotsOf(client.frames.slice(0, changed))
  const after = slotsOf(client.frames.slice(changed))
  t.true(before.length > 100 && before.length < count / 2, `${before.length}`)
  const last = before.at(-1) ?? 0
  const [first = 0] = after
  // Every tenth swap, all of them from the position of the answer on.
  t.true(first > last && first <= last + 20, `${first} behind ${last}`)
  const expected = storedSwaps(count).filter(({ slot }) => slot % 10 === 9 && slot >= first)
  t.is(after.length, expected.length)
  t.true(after.every((slot, at) => slot === expected[at]?.slot))
  t.deepEqual(client.errors, [])
})
