/** How the feed ends connections that it cannot go on with: by which close, and with what the client is told. */
import test from 'ava'
import { poolOf } from '../../streams/sample-event.ts'
import { until } from '../../support/pipeline.ts'
import { feedApi } from './feed-api.ts'
import { welcomed } from './feed-client.ts'
import { writeFeed } from './written-feed.ts'

test('8 MiB that a client has not read are the end: goodbye with its cursors, and 4410', async (t) => {
  // A client on a loaded machine reads 8 MB in more than the second that it has.
  const { pipeline, urlFor } = await feedApi(t, { timing: { cutMs: 60_000 } })
  const client = await welcomed(t, await urlFor('pro'))
  // 45 KB each, in every answer to `list`.
  const tokens = Array.from({ length: 950 }, (_, index) => poolOf(10_000 + index))
  const subs = Array.from({ length: 40 }, (_, index) => `sub ${index}`)
  for (const sub of subs)
    client.send({ op: 'subscribe', sub, channel: 'swaps', filter: { tokens } })
  await until('all have subscribed', 20_000, () => client.of('subscribed').length === subs.length)
  client.send({ op: 'list', id: 'all' })
  await until('the list', 20_000, () => client.of('subscriptions').at(-1)?.final === true)
  const listed = client.of('subscriptions')
  t.true(listed.length > 20)
  t.true(listed.every(({ id }) => id === 'all'))
  t.deepEqual(
    listed.flatMap((frame) => (frame.subs as { sub: string }[]).map(({ sub }) => sub)),
    subs,
  )
  // Half a second of requests at once, 18 MB of answers: more than is held for anybody.
  for (let count = 0; count < 10; count++) client.send({ op: 'list' })
  t.is(await client.untilClosed(60_000), 4410)
  const goodbye = await client.until('goodbye')
  const place = `${pipeline.topology.feed.epoch}-0`
  t.deepEqual(goodbye.cursors, Object.fromEntries(subs.map((sub) => [sub, place])))
  t.is(goodbye.code, 4410)
  t.true((goodbye.reconnect_after_ms as number) > 0)
  t.deepEqual(client.faults, [])
})

test('where what is stored cannot be read the client is told, and comes back later: 1013', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  await writeFeed(pipeline, 0, 2)
  const client = await welcomed(t, await urlFor('pro'))
  client.send({ op: 'subscribe', sub: 'live', channel: 'swaps' })
  await client.until('subscribed')
  await pipeline.db.query('alter table swap rename to not_there')
  client.send({ op: 'subscribe', sub: 'stored', channel: 'swaps', from: { slot: 1 } })
  t.is(await client.untilClosed(30_000), 1013)
  const error = await client.until('error')
  t.deepEqual([error.code, error.sub, error.fatal], ['UNAVAILABLE', 'stored', true])
  const goodbye = await client.until('goodbye')
  t.is(goodbye.code, 1013)
  t.true((goodbye.reconnect_after_ms as number) > 0)
  t.deepEqual(Object.keys(goodbye.cursors as object), ['live', 'stored'])
  t.deepEqual(client.faults, [])
  t.false(JSON.stringify(client.frames).includes('not_there'))
})
