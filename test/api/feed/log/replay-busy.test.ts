/**
 * More readers of stored history than the queue admits: those beyond it must retry, on WebSocket by REPLAY_BUSY and on
 * SwapStream by UNAVAILABLE; queued readers, and those that retry, get all of it.
 */
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { trimStream } from '../../../../streams/nats/topology.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../../support/feed/stored-swaps.ts'
import { openClient, subscribe } from '../../../support/programs/swap-stream.ts'
import { feedEnd, publishAll, until, untilCaughtUp } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

/** So many read the tables at once, and so many wait (api/feed/log/stored.ts). */
const IN_LINE = 2 + 500
const CONNECTIONS = 6
/** Fewer than a connection may request at once; they share one queue slot. */
const SUBSCRIPTIONS = 20

test('refuses replays beyond the queue until later, and serves them in full on a retry', async (t) => {
  const grpc = { host: '127.0.0.1', port: 0 }
  const api = { deadlineMs: 160_000 }
  const { pipeline, api: running, keyFor } = await feedApi(t, { feed: { grpc }, api })
  const { db, jetStream, topology } = pipeline
  await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(905, 40), { eventsMax: 8 })
  await untilCaughtUp(pipeline)
  await trimStream(jetStream, topology.feed.stream, (await feedEnd(pipeline)) + 1)
  const slot = 0
  const expected = identities(await storedSwaps(db, slot))
  const { key, url } = await keyFor('enterprise')
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => welcomed(t, url)))
  const request = { op: 'subscribe', channel: 'swaps', int64: 'string', from: { slot } }

  // No reader gets a page until the lock is released.
  const holder = await db.connect()
  t.teardown(() => holder.release(true))
  await holder.query('begin')
  await holder.query('lock table swap in access exclusive mode')
  const called = openClient(`127.0.0.1:${running.grpcPort}`)
  t.teardown(() => called.close())
  const calls = Array.from({ length: IN_LINE }, () => subscribe(called, key, { slot }))
  await until('the line is full', 60_000, () => calls.every(({ answers }) => answers.length > 0))
  const subs = Array.from({ length: SUBSCRIPTIONS }, (_, sub) => `${sub}`)
  const requestAll = (): void => {
    for (const client of clients) for (const sub of subs) client.send({ ...request, sub })
  }
  requestAll()
  const refused = () => clients.flatMap((client) => client.of('error'))
  await until('all others are told', 60_000, () => {
    return refused().length >= CONNECTIONS * SUBSCRIPTIONS
  })
  for (const reported of refused()) {
    t.like(reported, { code: 'REPLAY_BUSY', fatal: false })
    t.true((reported.retry_after_ms as number) > 0)
  }
  t.is((await subscribe(called, key, { slot }).ended).code, status.UNAVAILABLE)
  await holder.query('rollback')

  for (const call of calls) {
    await until('who is in the line gets all', 60_000, () => call.swaps.length >= expected.length)
    t.is(call.swaps.length, expected.length)
    t.is(call.end(), undefined)
  }
  t.deepEqual(identities(calls[0]?.swaps ?? []), expected)
  requestAll()
  for (const client of clients) {
    for (const sub of subs) await client.untilEvents(sub, expected.length, 60_000)
  }
  const again = subscribe(called, key, { slot })
  await until('the call gets all', 60_000, () => again.swaps.length >= expected.length)
  t.deepEqual(identities(again.swaps), expected)
  for (const client of clients) {
    t.deepEqual(client.errors, [])
    const sub = client.of('data')[0]?.sub as string
    t.deepEqual(identities(client.events(sub)), expected)
  }
})
