/**
 * Swaps that FEED no longer holds are read from the tables, on SwapStream as on WebSocket, with the pool actor at work
 * all the while: every stored swap once, by the tags that it was stamped with.
 */
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import type { Event } from '../../../../domain/events/event.ts'
import { trimStream } from '../../../../streams/nats/topology.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { welcomed } from '../../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../../support/feed/stored-swaps.ts'
import { openClient, subscribe } from '../../../support/programs/swap-stream.ts'
import {
  feedEnd,
  publishAll,
  publishInSteps,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'
import { tagWallets } from '../../../support/workers/tag-wallets.ts'

/** Both feeds over a FEED that begins after half of the stored swaps; wallets of the market are whales. */
async function trimmedFeed(t: ExecutionContext, market: readonly Event[]) {
  const grpc = { host: '127.0.0.1', port: 0 }
  const { pipeline, api, urlFor } = await feedApi(t, { feed: { grpc, ringBytesMax: 1 } })
  const { db, jetStream, topology } = pipeline
  const users = market.flatMap((event) => (event.kind === 'swap' ? [event.swap.user] : []))
  const whales = [...new Set(users)].filter((_, index) => index % 3 === 0)
  await tagWallets(db, new Map(whales.map((wallet) => [wallet, ['whale'] as const])), 1)
  await runWorker(t, pipeline)
  await publishInSteps(pipeline, market, { boundMs: 60_000 })
  const first = Math.floor((await feedEnd(pipeline)) / 2)
  await trimStream(jetStream, topology.feed.stream, first)
  const made = await createKey(db, {
    tier: 'pro',
    environment: 'test',
    account: 'test',
    by: 'test',
  })
  const client = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => client.close())
  const { rows } = await db.query('select min(slot)::integer + 5 as slot from swap')
  return {
    pipeline,
    urlFor,
    first,
    slot: rows[0].slot as number,
    subscribeTo: (request: object) => subscribe(client, made.key, request),
  }
}

test('from a slot before the start of FEED: each stored swap once, then live, and resumable again', async (t) => {
  const market = smallMarket(901, 400)
  const thirds = [0, 1, 2].map((third) => market.filter((_, index) => index % 3 === third))
  const { pipeline, slot, subscribeTo } = await trimmedFeed(t, thirds[1]!)
  const { db } = pipeline
  let nudges = 0
  // Committed during the reads: slots before, within and after the pages.
  const publishing = publishAll(pipeline, thirds[0]!, { eventsMax: 4 })
  const all = subscribeTo({ slot })
  const filter = { wallet_tags: ['whale', 'insider'] }
  const tagged = subscribeTo({ slot, filter, max_batch: 3 })
  await publishing
  await untilCaughtUp(pipeline)
  for (const { answers } of [all, tagged]) {
    await until('it has caught up', 60_000, () => answers.some(({ event }) => event === 'notice'))
    t.is(answers[0]?.cursor, '')
    t.true(answers[0]?.subscribed?.replay)
  }
  await until('all came', 60_000, async () => (await lacking(all.swaps)).length === 0)
  await until('the cursor is told again', 60_000, async () => {
    // Every answer repeats it: the first one arrives with a swap.
    return all.answers.some(({ cursor }) => cursor !== '') || (await nudge())
  })
  const cursor = all.cursor() as string
  const seen = all.swaps.length
  all.call.cancel()
  const before = all.swaps.slice(0, seen)
  await publishAll(pipeline, market, { eventsMax: 4 })
  await untilCaughtUp(pipeline)
  const next = subscribeTo({ cursor })
  const both = () => [...before, ...next.swaps]
  await until('the rest came', 60_000, async () => (await lacking(both())).length === 0)
  const got = identities(both())
  t.is(new Set(got).size, got.length, 'a swap came twice')
  const stamped = await db.query(
    'select count(*)::integer as count from swap where slot >= $1 and wallet_tags = 4',
    [slot],
  )
  t.true(stamped.rows[0].count > 20)
  // From FEED late swaps of earlier slots arrive too.
  const ofSlots = () => identities(tagged.swaps.filter((swap) => Number(swap.slot) >= slot))
  await until('those of whales', 60_000, () => ofSlots().length >= stamped.rows[0].count)
  t.is(ofSlots().length, stamped.rows[0].count)
  t.is(new Set(ofSlots()).size, stamped.rows[0].count)
  let count = 0
  for (const { swaps } of tagged.answers) {
    if (swaps === undefined) continue
    t.is(swaps.n, `${count}`)
    count += swaps.swaps.length
  }

  /** Another of the swaps that are still to come; false. */
  async function nudge(): Promise<false> {
    const more = thirds[2]!.slice(8 * nudges, 8 * ++nudges)
    if (more.length > 0) await publishAll(pipeline, more)
    return false
  }

  /** Stored swaps from the slot on that did not arrive. */
  async function lacking(came: readonly Record<string, unknown>[]): Promise<string[]> {
    const known = new Set(identities(came))
    return identities(await storedSwaps(db, slot)).filter((name) => !known.has(name))
  }
})

test('a cursor before the start of FEED resumes from its fallback slot, on both feeds', async (t) => {
  const { pipeline, slot, first, subscribeTo, urlFor } = await trimmedFeed(t, smallMarket(902, 200))
  const { epoch } = pipeline.topology.feed
  const cursor = `${epoch}-1`
  const expected = identities(await storedSwaps(pipeline.db, slot))
  await until('both know where FEED begins', 60_000, async () => {
    const refused = await subscribeTo({ cursor }).ended
    return refused.code === status.OUT_OF_RANGE
  })
  const called = subscribeTo({ cursor, slot_if_expired: slot })
  await until('all came', 60_000, () => called.swaps.length >= expected.length)
  t.deepEqual(identities(called.swaps), expected)
  const client = await welcomed(t, await urlFor('pro'))
  const request = { op: 'subscribe', channel: 'swaps', int64: 'string' }
  client.send({ ...request, sub: 'refused', from: { cursor } })
  t.is((await client.until('error')).code, 'CURSOR_EXPIRED')
  client.send({ ...request, sub: 'a', from: { cursor, slot } })
  await client.untilEvents('a', expected.length)
  t.deepEqual(identities(client.events('a')), expected)
  t.deepEqual(client.errors, [])
  // A cursor that FEED holds is resumed, with any fallback slot.
  const held = subscribeTo({ cursor: `${epoch}-${first}`, slot_if_expired: 0 })
  await until('it is subscribed', 60_000, () => held.answers.length > 0)
  t.is(held.answers[0]?.cursor, `${epoch}-${first}`)
  const alone = await subscribeTo({ slot_if_expired: 7 }).ended
  t.is(alone.code, status.INVALID_ARGUMENT)
})
