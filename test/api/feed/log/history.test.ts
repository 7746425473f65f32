/**
 * From a slot that FEED no longer holds: the tables first, then FEED, with the pool actor at work all the
 * while. Every stored event comes once.
 */
import test from 'ava'
import { History } from '../../../../streams/feed/table-history.ts'
import { trimStream } from '../../../../streams/nats/topology.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../../support/feed/stored-swaps.ts'
import {
  feedEnd,
  publishAll,
  publishInSteps,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

test('an event was in the tables where the page of its slot held its commit', (t) => {
  const history = new History(100)
  history.add(200, new Map([[0, 5]]))
  history.add(300, new Map([[0, 5]]))
  history.add(Number.POSITIVE_INFINITY, new Map([[0, 7]]))
  const has = (slot: number, commitNumber: number, poolLane = 0): boolean =>
    history.has(slot, { poolLane, commitNumber, part: 0 })
  // Before the requested slot: not in the tables' part, with any commit.
  t.false(has(99, 1))
  t.true(has(100, 5))
  t.false(has(100, 6))
  t.true(has(299, 5))
  t.false(has(299, 6))
  t.true(has(300, 7))
  t.true(has(900_000, 6))
  t.false(has(900_000, 8))
  // A lane without a commit.
  t.false(has(150, 1, 3))
})

/** The cursor of the subscription, when there is one again. */
async function settledCursor(of: FeedClient): Promise<string> {
  const reported = (): unknown =>
    (of.of('subscriptions').at(-1)?.subs as { sub: string; cursor: unknown }[] | undefined)?.find(
      ({ sub }) => sub === 'a',
    )?.cursor
  await until('the cursor is told again', 60_000, () => {
    of.send({ op: 'list' })
    return typeof reported() === 'string'
  })
  return reported() as string
}

test('from a slot before the start of FEED: each stored swap once, then live, and resumable again', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  const { db, jetStream, topology } = pipeline
  await runWorker(t, pipeline)
  const market = smallMarket(900, 400)
  const late = market.filter((_, index) => index % 3 === 0)
  const early = market.filter((_, index) => index % 3 === 1)
  await publishInSteps(pipeline, early, { boundMs: 60_000 })
  const { stream } = topology.feed
  await trimStream(jetStream, stream, Math.floor((await feedEnd(pipeline)) / 2))
  const { rows } = await db.query('select min(slot)::integer + 5 as slot from swap')
  const { slot } = rows[0]
  const url = await urlFor('pro')
  const client = await welcomed(t, url)
  // Committed during the reads: slots before, within and after the pages.
  const publishing = publishAll(pipeline, late, { eventsMax: 4 })
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot }, int64: 'string' })
  client.send({ op: 'subscribe', sub: 'p', channel: 'pool_events', from: { slot: 0 } })
  await publishing
  await untilCaughtUp(pipeline)
  await until('both have caught up', 60_000, () => client.of('caught_up').length === 2)
  await until('all came', 60_000, async () => (await lacking(client.events('a'))).length === 0)
  t.true(client.of('data', 'a').some((frame) => frame.cursor === null))
  const [first] = client.of('subscribed', 'a')
  t.is(first?.mode, 'replay')
  t.is(first?.cursor, null)
  const inTables = await db.query('select count(*)::integer as count from pool_event')
  t.is(client.events('p').length, inTables.rows[0].count)
  const cursor = await settledCursor(client)
  client.socket.terminate()
  await publishAll(
    pipeline,
    market.filter((_, index) => index % 3 === 2),
    { eventsMax: 4 },
  )
  await untilCaughtUp(pipeline)
  const next = await welcomed(t, url)
  next.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { cursor }, int64: 'string' })
  const all = () => [...client.events('a'), ...next.events('a')]
  await until('the rest came', 60_000, async () => (await lacking(all())).length === 0)
  const got = identities(all())
  t.is(new Set(got).size, got.length, 'an event came twice')
  t.deepEqual([...client.errors, ...next.errors], [])

  /** Stored swaps from the slot on that did not arrive. */
  async function lacking(came: readonly Record<string, unknown>[]): Promise<string[]> {
    const got = new Set(identities(came))
    return identities(await storedSwaps(db, slot)).filter((name) => !got.has(name))
  }
})

test('sends a cursor as soon as the pages were sent, without later events', async (t) => {
  const { pipeline, urlFor, untilRead } = await feedApi(t, { timing: { heartbeatMs: 500 } })
  const { db, topology } = pipeline
  await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(903, 60), { eventsMax: 8 })
  await untilCaughtUp(pipeline)
  await untilRead()
  // No elapsed time guarantees that all of it was published.
  await db.query(`update checkpoint set committed_at = now() + interval '1 hour'`)
  const client = await welcomed(t, await urlFor('pro'))
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 }, int64: 'string' })
  t.is(await settledCursor(client), `${topology.feed.epoch}-${await feedEnd(pipeline)}`)
  t.deepEqual(identities(client.events('a')), identities(await storedSwaps(db, 0)))
  t.deepEqual(client.errors, [])
})
