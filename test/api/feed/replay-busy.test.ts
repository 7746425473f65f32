/**
 * More readers of what only the tables hold than may wait for it: those beyond the line are told to come again,
 * on WebSocket by REPLAY_BUSY and on SwapStream by UNAVAILABLE; those in the line, and those that come again,
 * get all of it.
 */
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { trimStream } from '../../../streams/topology.ts'
import { feedEnd, publishAll, until, untilCaughtUp } from '../../support/pipeline.ts'
import { runWorker } from '../../support/running-worker.ts'
import { openClient, subscribe } from '../../support/swap-stream.ts'
import { smallMarket } from '../../workers/small-market.ts'
import { feedApi } from './feed-api.ts'
import { type FeedClient, welcomed } from './feed-client.ts'
import { identities, storedSwaps } from './stored-swaps.ts'

/** So many read the tables at once, and so many wait (api/feed/stored.ts). */
const IN_LINE = 2 + 500
const CONNECTIONS = 6
/** Fewer than what a connection may ask for at once. */
const SUBSCRIPTIONS = 90

test('who finds the line of the past full is told to come again, and then gets all', async (t) => {
  t.timeout(170_000)
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
  const { key, url } = await keyFor('pro')
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => welcomed(t, url)))
  const ask = { op: 'subscribe', channel: 'swaps', int64: 'string', from: { slot } }

  // Nobody gets a page until the lock is gone.
  const holder = await db.connect()
  t.teardown(() => holder.release(true))
  await holder.query('begin')
  await holder.query('lock table swap in access exclusive mode')
  for (const client of clients) {
    for (let sub = 0; sub < SUBSCRIPTIONS; sub++) client.send({ ...ask, sub: `${sub}` })
  }
  const count = (type: string) => clients.reduce((sum, client) => sum + client.of(type).length, 0)
  const beyond = CONNECTIONS * SUBSCRIPTIONS - IN_LINE
  await until('all have begun', 60_000, () => count('subscribed') === CONNECTIONS * SUBSCRIPTIONS)
  await until('those beyond the line are told', 60_000, () => count('error') >= beyond)
  t.is(count('error'), beyond)
  const refused = clients.flatMap((client) => client.of('error').map((told) => ({ client, told })))
  for (const { told } of refused) {
    t.like(told, { code: 'REPLAY_BUSY', fatal: false })
    t.true((told.retry_after_ms as number) > 0)
  }
  const called = openClient(`127.0.0.1:${running.grpcPort}`)
  t.teardown(() => called.close())
  t.is((await subscribe(called, key, { slot }).ended).code, status.UNAVAILABLE)
  await holder.query('rollback')

  const isRefused = (client: FeedClient, sub: string): boolean => client.of('error', sub).length > 0
  for (const client of clients) {
    for (let number = 0; number < SUBSCRIPTIONS; number++) {
      const sub = `${number}`
      if (isRefused(client, sub)) t.deepEqual(client.events(sub), [])
      else await client.untilEvents(sub, expected.length, 60_000)
    }
  }
  const { client, told } = refused[0]!
  client.send({ ...ask, sub: told.sub })
  await client.untilEvents(told.sub as string, expected.length, 60_000)
  const again = subscribe(called, key, { slot })
  await until('the call gets all', 60_000, () => again.swaps.length >= expected.length)
  t.deepEqual(identities(again.swaps), expected)
  for (const client of clients) {
    t.deepEqual(client.faults, [])
    const sub = client.of('data')[0]?.sub as string
    t.deepEqual(identities(client.events(sub)), expected)
  }
})
