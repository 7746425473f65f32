/**
 * A FEED whose store is rolled back under workers, the API and its clients, as after a crash of its machine: every
 * client with an older cursor is refused, at any position, and reads everything by a slot.
 */

import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { renewEpoch } from '../../../../streams/nats/topology.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { assertExact } from '../../../simulation/judge.ts'
import { type FeedApi, feedApi } from '../../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../../support/feed/feed-client.ts'
import { identities, storedSwaps } from '../../../support/feed/stored-swaps.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { openClient, type Subscribed, subscribe } from '../../../support/programs/swap-stream.ts'
import { assertTraders, untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { ownStack, temporaryFolder } from '../../../support/servers/servers.ts'
import { assertLedger, untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishInSteps,
  until,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

const run = promisify(execFile)
const FEED = { grpc: { host: '127.0.0.1', port: 0 } }
const BOUND_MS = 60_000

/** Separate servers, and FEED's files of an earlier moment, which replace the present ones. */
async function crashable(t: ExecutionContext) {
  const home = await temporaryFolder(t)
  const copy = join(await temporaryFolder(t), 'feed')
  const stack = await ownStack(t, { home })
  const pipeline = await openPipeline(t, { servers: stack, natsAnswerMs: 5_000 })
  const { nats } = stack.servers
  const { stream } = pipeline.topology.feed
  const stored = join(home, 'nats', 'jetstream', '$G', 'streams', stream)
  return {
    pipeline,
    async remember(): Promise<void> {
      await rm(copy, { recursive: true, force: true })
      await run('cp', ['-a', stored, copy])
    },
    /** `meanwhile`: while there is no NATS. */
    async restore(meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
      nats.kill('SIGKILL')
      await until('NATS is gone', BOUND_MS, () => nats.pid === undefined)
      await meanwhile()
      await rm(stored, { recursive: true })
      await run('cp', ['-a', copy, stored])
      await nats.start()
      await until('NATS is there', BOUND_MS, () => pipeline.jetStream.isReachable())
    },
  }
}

/** In steps: a slow worker would make one message of a lane of all events, and so one cursor. */
function publish(pipeline: Pipeline, seed: number, count: number): Promise<void> {
  return publishInSteps(pipeline, smallMarket(seed, count), { boundMs: BOUND_MS, stepEvents: 40 })
}

/** Up to where all is stored, a client that follows from a cursor or slot on. */
async function follow(
  t: ExecutionContext,
  { urlFor }: FeedApi,
  from: unknown,
): Promise<FeedClient> {
  const client = await welcomed(t, await urlFor('enterprise'))
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from, int64: 'string' })
  return client
}

async function assertAllOnce(t: ExecutionContext, { db }: Pipeline, client: FeedClient) {
  const expected = identities(await storedSwaps(db, 0))
  await client.untilEvents('a', expected.length, BOUND_MS)
  t.deepEqual(identities(client.events('a')), expected)
  t.deepEqual(client.errors, [])
}

/** A client that listens from now on. */
async function listen(t: ExecutionContext, feed: FeedApi): Promise<FeedClient> {
  const client = await follow(t, feed, 'live')
  await client.until('subscribed', BOUND_MS)
  return client
}

/** Identities of all events published from now on, received by a client. */
async function cursorsOf(
  { db }: Pipeline,
  client: FeedClient,
  publishing: () => Promise<unknown>,
): Promise<string[]> {
  const [known, had] = [(await storedSwaps(db, 0)).length, client.events('a').length]
  const frames = client.of('data', 'a').length
  await publishing()
  await client.untilEvents('a', had + (await storedSwaps(db, 0)).length - known, BOUND_MS)
  const cursors = client.of('data', 'a').slice(frames)
  return [...new Set(cursors.map(({ cursor }) => cursor as string))]
}

const epochOf = (cursor: string | undefined): string => cursor?.split('-')[0] ?? ''

/** Each is refused: at once, or as soon as the process knows. None that is not. */
async function assertRefused(
  t: ExecutionContext,
  feed: FeedApi,
  cursors: readonly string[],
): Promise<void> {
  const { key } = await feed.keyFor('enterprise')
  const stream = openClient(`127.0.0.1:${feed.api.grpcPort}`)
  for (const cursor of cursors) {
    const client = await follow(t, feed, { cursor })
    const error = await client.until('error', BOUND_MS)
    t.like(error, { code: 'CURSOR_EPOCH_CHANGED', sub: 'a' }, cursor)
    t.deepEqual(client.events('a'), [], cursor)
    client.socket.terminate()
    t.is((await subscribe(stream, key, { cursor }).ended).code, status.OUT_OF_RANGE, cursor)
  }
  stream.close()
}

const isRenewed =
  ({ api, keyFor }: FeedApi, epoch: string) =>
  async (): Promise<boolean> => {
    const { key } = await keyFor('enterprise')
    const headers = { 'X-API-Key': key }
    const list = await fetch(`${api.url}/swaps?limit=1`, { headers })
    const { feed_cursor: cursor } = (await list.json()) as { feed_cursor: string | null }
    return cursor !== null && !cursor.startsWith(`${epoch}-`)
  }

test.serial(
  'refuses cursors before, within and after lost messages of FEED, and serves all by a slot',
  async (t) => {
    const { pipeline, remember, restore } = await crashable(t)
    const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
    const feed = await feedApi(t, { pipeline, feed: FEED })
    const old: string[] = []
    // After the loss fewer messages follow than were lost, or more, or none.
    for (const [round, count] of [20, 200, 0].entries()) {
      const seed = 4_000 + 10 * round
      const live = await listen(t, feed)
      const before = await cursorsOf(pipeline, live, () => publish(pipeline, seed, 150))
      await remember()
      const lost = await cursorsOf(pipeline, live, () => publish(pipeline, seed + 1, 100))
      t.true(before.length > 2 && lost.length > 2)
      await restore()
      if (count > 0) await publish(pipeline, seed + 2, count)
      const reported = await live.until('error', BOUND_MS)
      t.like(reported, { code: 'CURSOR_EPOCH_CHANGED', sub: 'a' })
      await until('lists are of the new epoch', BOUND_MS, isRenewed(feed, epochOf(lost[0])))
      const middle = lost[lost.length >> 1]
      const chosen = [before[0], before.at(-1), lost[0], middle, lost.at(-1)].map(String)
      await assertRefused(t, feed, chosen)
      old.push(String(middle))
      const slow = await follow(t, feed, { slot: 0 })
      await slow.until('caught_up', BOUND_MS)
      await publish(pipeline, seed + 3, 50)
      await assertAllOnce(t, pipeline, slow)
      for (const client of [live, slow]) client.socket.terminate()
    }
    await assertRefused(t, feed, old)
    await untilLedgerCaughtUp(pipeline, BOUND_MS)
    await untilRankingCaughtUp(pipeline, BOUND_MS)
    await assertLedger(t, pipeline)
    await assertTraders(t, pipeline)
    await assertExact(t, pipeline, { hasFeed: false })
    t.is(worker.failure()?.stack, undefined)
  },
)

test.serial('finds a loss of FEED from before the workers started', async (t) => {
  const { pipeline, remember, restore } = await crashable(t)
  const first = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  const feed = await feedApi(t, { pipeline, feed: FEED })
  const live = await listen(t, feed)
  const before = await cursorsOf(pipeline, live, () => publish(pipeline, 5_000, 150))
  await remember()
  const lost = await cursorsOf(pipeline, live, () => publish(pipeline, 5_001, 150))
  await first.stop()
  await feed.api.stop()
  await restore()
  const again = await feedApi(t, { pipeline, feed: FEED })
  await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  await until('lists are of the new epoch', BOUND_MS, isRenewed(again, epochOf(lost[0])))
  await assertRefused(t, again, [before[0], lost[0], lost.at(-1)].map(String))
  await publish(pipeline, 5_002, 150)
  await assertAllOnce(t, pipeline, await follow(t, again, { slot: 0 }))
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await assertLedger(t, pipeline)
  await assertExact(t, pipeline, { hasFeed: false })
})

test.serial('clients do not notice a killed NATS that lost no message', async (t) => {
  const { pipeline, remember, restore } = await crashable(t)
  await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  const feed = await feedApi(t, { pipeline, feed: FEED })
  const live = await listen(t, feed)
  const [cursor] = await cursorsOf(pipeline, live, () => publish(pipeline, 6_000, 200))
  await restore(remember)
  await cursorsOf(pipeline, live, () => publish(pipeline, 6_001, 200))
  t.deepEqual(identities(live.events('a')), identities(await storedSwaps(pipeline.db, 0)))
  const resumed = await follow(t, feed, { cursor })
  const { length } = (live.of('data', 'a')[0]?.data ?? []) as unknown[]
  t.true(length > 0)
  await resumed.untilEvents('a', live.events('a').length - length, BOUND_MS)
  t.deepEqual(resumed.events('a'), live.events('a').slice(length))
  for (const client of [live, resumed]) t.deepEqual([client.of('error'), client.errors], [[], []])
})

test.serial(
  'sends no event of the old epoch to a client that subscribes live while the epoch changes',
  async (t) => {
    const feed = await feedApi(t, { feed: FEED })
    const { pipeline, api, keyFor } = feed
    const { jetStream, topology } = pipeline
    const { stream, epoch } = topology.feed
    await writeFeed(pipeline, 0, 300)
    await feed.untilRead()
    const { key } = await keyFor('enterprise')
    const client = await follow(t, feed, 'live')
    const grpc = openClient(`127.0.0.1:${api.grpcPort}`)
    t.teardown(() => grpc.close())
    await client.until('subscribed', BOUND_MS)
    const again = new Promise<Subscribed>((resolve) => {
      client.socket.on('message', (bytes) => {
        if (JSON.parse(String(bytes)).type !== 'error') return
        for (const [sub, from] of Object.entries({ live: 'live', slot: { slot: 900_000 } })) {
          client.send({ op: 'subscribe', sub, channel: 'swaps', from })
        }
        resolve(subscribe(grpc, key))
      })
    })
    await renewEpoch(jetStream, stream, epoch, 300)
    const called = await again
    await until('all have begun', BOUND_MS, () => {
      return client.of('subscribed').length === 3 && called.answers.length > 0
    })
    await client.until('caught_up', BOUND_MS)
    await writeFeed(pipeline, 2_000, 1, 1)
    const slotsOf = (events: readonly { slot?: unknown }[]) =>
      events.map(({ slot }) => Number(slot))
    for (const sub of ['live', 'slot']) {
      await client.untilEvents(sub, 1)
      t.deepEqual(slotsOf(client.events(sub)), [3_000], sub)
    }
    await until('the call has it', BOUND_MS, () => called.swaps.length > 0)
    t.deepEqual(slotsOf(called.swaps), [3_000])
    t.deepEqual(client.errors, [])
  },
)
