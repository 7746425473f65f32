/** How the feed ends connections that it cannot continue: the close code, and the report to the client. */
import test, { type ExecutionContext } from 'ava'
import type { Timing } from '../../../../api/feed/websocket/protocol/timing.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { until } from '../../../support/workers/pipeline.ts'

const PARTS = 24
const EVENTS = PARTS * 720

/** Two have subscribed to swaps: the quick one has all of them, the other has stopped reading. */
async function besideOneThatStopped(t: ExecutionContext, timing: Partial<Timing>) {
  const { pipeline, urlFor } = await feedApi(t, { timing: { stallMs: 150_000, ...timing } })
  const url = await urlFor('enterprise')
  const [slow, quick] = [await welcomed(t, url), await welcomed(t, url)]
  for (const client of [slow, quick]) client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  for (const client of [slow, quick]) await client.until('subscribed')
  slow.socket.pause()
  // 20 MB of frames: more than the kernel holds for both ends, and the megabyte that the server does.
  for (let part = 0; part < PARTS; part++) await writeFeed(pipeline, 800 * part, 4, 200)
  await quick.untilEvents('a', EVENTS, 90_000)
  return { slow, quick }
}

test('8 MiB that a client has not read are the end: goodbye with its cursors, and 4410', async (t) => {
  // A client on a loaded machine reads 8 MB in more than the second that it has.
  const { pipeline, urlFor } = await feedApi(t, { timing: { cutMs: 60_000 } })
  const client = await welcomed(t, await urlFor('pro'))
  // 45 KB each, in every answer to `list`.
  const tokens = Array.from({ length: 950 }, (_, index) => poolOf(10_000 + index))
  const subs = Array.from({ length: 40 }, (_, index) => `sub ${index}`)
  for (const sub of subs)
    client.send({ op: 'subscribe', sub, channel: 'swaps', filter: { tokens } })
  await until('all have subscribed', 60_000, () => client.of('subscribed').length === subs.length)
  client.send({ op: 'list', id: 'all' })
  await until('the list', 60_000, () => client.of('subscriptions').at(-1)?.final === true)
  const listed = client.of('subscriptions')
  t.true(listed.length > 20)
  t.true(listed.every(({ id }) => id === 'all'))
  t.deepEqual(
    listed.flatMap((frame) => (frame.subs as { sub: string }[]).map(({ sub }) => sub)),
    subs,
  )
  // Half a second of requests at once, 18 MB of answers: more than is buffered for any client.
  for (let count = 0; count < 10; count++) client.send({ op: 'list' })
  t.is(await client.untilClosed(60_000), 4410)
  const goodbye = await client.until('goodbye')
  const cursor = `${pipeline.topology.feed.epoch}-0`
  t.deepEqual(goodbye.cursors, Object.fromEntries(subs.map((sub) => [sub, cursor])))
  t.is(goodbye.code, 4410)
  t.true((goodbye.reconnect_after_ms as number) > 0)
  t.deepEqual(client.errors, [])
})

test('reports unreadable tables to the client, which reconnects later: 1013', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  await writeFeed(pipeline, 0, 2)
  const client = await welcomed(t, await urlFor('pro'))
  client.send({ op: 'subscribe', sub: 'live', channel: 'swaps' })
  await client.until('subscribed')
  await pipeline.db.query('alter table swap rename to not_there')
  client.send({ op: 'subscribe', sub: 'stored', channel: 'swaps', from: { slot: 1 } })
  t.is(await client.untilClosed(60_000), 1013)
  const error = await client.until('error')
  t.deepEqual([error.code, error.sub, error.fatal], ['UNAVAILABLE', 'stored', true])
  const goodbye = await client.until('goodbye')
  t.is(goodbye.code, 1013)
  t.true((goodbye.reconnect_after_ms as number) > 0)
  t.deepEqual(Object.keys(goodbye.cursors as object), ['live', 'stored'])
  t.deepEqual(client.errors, [])
  t.false(JSON.stringify(client.frames).includes('not_there'))
})

test('warns a slow reader once, lets it lag, and loses no event', async (t) => {
  const { slow, quick } = await besideOneThatStopped(t, {})
  slow.socket.resume()
  await slow.untilEvents('a', EVENTS, 90_000)
  t.deepEqual(slow.events('a'), quick.events('a'))
  const warnings = slow.of('warning')
  t.deepEqual(
    warnings.map(({ code, fatal }) => [code, fatal]),
    [['SLOW_CONSUMER', false]],
  )
  t.deepEqual([...slow.errors, ...quick.errors], [])
})

test('does not close a slow reader whose pings wait after unread frames', async (t) => {
  const { slow, quick } = await besideOneThatStopped(t, { pingMs: 8_000, heartbeatMs: 1_000 })
  // Two pings and more.
  const received = quick.of('heartbeat').length
  await until('18 heartbeats', 60_000, () => quick.of('heartbeat').length >= received + 18)
  slow.socket.resume()
  await slow.untilEvents('a', EVENTS, 90_000)
  t.deepEqual([slow.closeCode, quick.closeCode], [undefined, undefined])
  t.deepEqual([...slow.errors, ...quick.errors], [])
})

test('does not close clients as silent after the server itself was blocked', async (t) => {
  const { urlFor } = await feedApi(t, { timing: { pingMs: 2_000 } })
  const client = await welcomed(t, await urlFor('pro'), { autoPong: false })
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  await client.until('subscribed')
  let pings = 0
  client.socket.on('ping', () => {
    // Client and server are one process: neither does anything meanwhile.
    if (pings === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000)
    pings += 1
    client.socket.pong()
  })
  await until('it is asked again', 60_000, () => pings > 1 || client.closeCode !== undefined)
  t.is(client.closeCode, undefined)
})

test('refuses requests beyond the rate of a connection with the delay of a retry', async (t) => {
  const { urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('pro'))
  client.socket.send('{')
  for (let count = 0; count < 290; count++) client.send({ op: 'ping', id: count })
  await until('all are answered', 60_000, () => client.frames.length >= 292)
  const errors = client.of('error')
  t.is(errors[0]?.code, 'BAD_JSON')
  const refused = errors.slice(1)
  t.true(refused.length > 0)
  for (const { code, fatal, retry_after_ms } of refused) {
    t.deepEqual([code, fatal, retry_after_ms], ['RATE_LIMITED', false, 50])
  }
  // At a hundred at once and twenty a second it stays open.
  await until('it is let in again', 60_000, () => {
    client.send({ op: 'ping', id: 'again' })
    return client.frames.some(({ type, id }) => type === 'pong' && id === 'again')
  })
  t.deepEqual(client.errors, [])
})
