/**
 * List, then subscribe from the list's `feed_cursor`, repeatedly while thousands of swaps a second arrive over several
 * lanes, and a worker is killed in the middle of it: by the final log, every event of the list's kind is in the answer
 * or follows on the feed, never both and never twice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { startApi } from '../../../../api/main.ts'
import { compareSwaps } from '../../../../domain/events/swap.ts'
import { venueOf } from '../../../../domain/venue.ts'
import type { FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { readCursor } from '../../../../streams/feed/feed-cursor.ts'
import { publishEvents } from '../../../../streams/ingest/batcher.ts'
import { createPublisher } from '../../../../streams/ingest/publisher.ts'
import { dueByRate, paced } from '../../../../streams/sources/pace.ts'
import { postgresCluster } from '../../../support/cluster/postgres.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { openClient, type StreamedSwap, subscribe } from '../../../support/programs/swap-stream.ts'
import { testServers } from '../../../support/servers/servers.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  readFeed,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'
import { spawnWorker } from '../../../support/workers/spawned-worker.ts'

type Row = Record<string, unknown>
type List = Record<'data', Row[]> & { next_cursor: string | null; feed_cursor: string }
type Wanted = (event: FeedEvent) => boolean
/** A list, and the subscription to the same. */
type Kind = {
  name: string
  path: (seen: Row) => string
  filter: (seen: Row) => object
  wants: (seen: Row) => Wanted
}
type Round = {
  name: string
  listed: Row[]
  isWhole: boolean
  came: string[]
  end: number
  wants: Wanted
}

/** The load ends before, once there were so many rounds, and of these so many with something ahead of FEED. */
const SWAPS = 100_000
const ROUNDS = 60
const ROUNDS_AHEAD = 10
const SWAPS_PER_SECOND = 2_500
const ROWS = 200
const isSwap: Wanted = ({ kind }) => kind === 'swap'

const KINDS: Kind[] = [
  {
    name: 'all',
    path: () => `/swaps?limit=${ROWS}`,
    filter: () => ({}),
    wants: () => isSwap,
  },
  {
    name: 'range',
    path: () => `/swaps/range?from=0&to=4000000000000&limit=${ROWS}&dex=1`,
    filter: () => ({ venues: ['venue_1'] }),
    wants: () => (event) => event.kind === 'swap' && event.swap.dex === 1,
  },
  {
    name: 'whales',
    path: () => `/swaps/whale?min_sol=1&limit=${ROWS}`,
    filter: () => ({ min_sol: 1 }),
    wants: () => (event) => event.kind === 'swap' && event.swap.solAmount >= 1_000_000_000,
  },
  {
    name: 'trader',
    path: ({ user }) => `/swaps/trader/${user}?limit=${ROWS}`,
    filter: ({ user }) => ({ wallets: [user] }),
    wants: (seen) => (event) => event.kind === 'swap' && event.swap.user === seen.user,
  },
  {
    name: 'token',
    path: ({ token_address: mint }) => `/swaps/token/${mint}?limit=${ROWS}`,
    filter: ({ token_address: mint }) => ({ tokens: [mint] }),
    wants: (seen) => (event) =>
      event.kind === 'swap' && event.swap.tokenAddress === seen.token_address,
  },
  {
    name: 'pool events',
    path: () => '/pool-events?limit=1000',
    filter: () => ({}),
    wants: () => (event) => event.kind === 'pool_event',
  },
]

/** A pipeline on a server with a standby that the API reads. */
async function replicatedPipeline(t: ExecutionContext) {
  const { primary, standbys, inDatabase } = await postgresCluster(t, { connectionsMax: 120 })
  const [standby] = standbys
  if (standby === undefined) throw new Error('the cluster has no standby')
  const { natsUrl } = testServers()
  const pipeline = await openPipeline(t, { servers: { databaseUrl: primary.url, natsUrl } })
  const readUrls = [inDatabase(standby, new URL(pipeline.databaseUrl).pathname.slice(1))]
  return { pipeline, api: { standbys: { readUrls, ageMsMax: 2_000 } } }
}

test.serial(
  'a list of a standby and the subscription from its feed_cursor have every event once',
  async (t) => {
    const ages = await listAndSubscribe(t, await replicatedPipeline(t))
    t.true(
      ages.some((age) => age > 0),
      'a standby was read',
    )
  },
)

test.serial(
  'a list and the subscription from its feed_cursor have every event once, while swaps pour in',
  async (t) => {
    await listAndSubscribe(t)
  },
)

/** Result: the ages of the lists that were read. */
async function listAndSubscribe(
  t: ExecutionContext,
  given: Parameters<typeof feedApi>[1] = {},
): Promise<number[]> {
  const { pipeline, api, keyFor } = await feedApi(t, {
    ...given,
    timing: { heartbeatMs: 100 },
    feed: { grpc: { port: 0, host: '127.0.0.1' } },
  })
  const { key, url } = await keyFor('enterprise')
  const stream = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => stream.close())
  const ages: number[] = []
  const list = listsOf(api.url, key, ages)
  // Workers delayed by a loaded machine do not count each other as dead.
  const lease = { leaseMs: 8_000 }
  const workers = [await spawnWorker(t, pipeline, lease), await spawnWorker(t, pipeline, lease)]
  const load = startLoad(pipeline)
  t.teardown(() => load.end())
  await until('something is stored', 60_000, async () => (await list('/swaps')).data.length > 0)

  const rounds: Round[] = []
  let number = 0
  let aheadCount = 0
  const isEnough = () => load.isOver() || (rounds.length >= ROUNDS && aheadCount >= ROUNDS_AHEAD)
  const goRound = async (): Promise<void> => {
    const client = await welcomed(t, url)
    while (!isEnough()) {
      const ordinal = number++
      const kind = KINDS[ordinal % KINDS.length] as Kind
      const seen = (await list('/swaps?limit=1')).data[0] as Row
      const listed = await list(kind.path(seen))
      if (listed.feed_cursor.includes('~')) aheadCount++
      const isOfGrpc = kind.name !== 'pool events' && Math.floor(ordinal / KINDS.length) % 3 === 2
      const name = `${kind.name} ${ordinal}${isOfGrpc ? ' by gRPC' : ''}`
      const received = isOfGrpc
        ? await overGrpc({ stream, key }, kind.filter(seen), listed.feed_cursor)
        : await overSocket(client, name, kind, seen, listed.feed_cursor)
      const isWhole = listed.next_cursor === null
      rounds.push({ name, listed: listed.data, isWhole, wants: kind.wants(seen), ...received })
      if (rounds.length === ROUNDS / 2) workers[0]?.signal('SIGKILL')
    }
    t.deepEqual(client.errors, [])
  }
  await Promise.all([goRound(), goRound(), goRound()])
  await load.end()
  await untilCaughtUp(pipeline, 120_000)

  const log = await readFeed(pipeline)
  for (const round of rounds) judge(t, round, log)
  t.log(`${rounds.length} rounds, ${aheadCount} lists ahead of the feed`)
  t.true(rounds.length >= KINDS.length)
  t.true(rounds.some(({ came }) => came.length > 0))
  t.true(aheadCount > 0, 'some list held what was yet to be announced')

  // All is published and read: the cursor has only the sequence.
  const rest = await list('/swaps')
  await until('the cursor is plain', 60_000, async () => {
    const { feed_cursor: cursor } = await list('/swaps')
    return cursor === `${pipeline.topology.feed.epoch}-${await feedEnd(pipeline)}`
  })
  t.is(rest.data.length, 100)
  return ages
}

/** Reads lists, and notes how old each was. */
function listsOf(url: string, key: string, ages: number[]) {
  return async (path: string): Promise<List> => {
    const headers = { 'X-API-Key': key }
    const request = () => fetch(`${url}${path}`, { headers }).catch(() => undefined)
    let answer = await request()
    // A machine that is busy elsewhere has no connection or no time now and then, and ends one that had rest.
    for (let left = 20; (answer === undefined || answer.status >= 503) && left > 0; left--) {
      await answer?.text()
      answer = await request()
    }
    if (answer?.status !== 200)
      throw new Error(`${path}: ${answer?.status} ${await answer?.text()}`)
    ages.push(Number(answer.headers.get('X-Data-Age-Ms')))
    return (await answer.json()) as List
  }
}

/** By the log: each event of the list's kind arrived once; one after the round's end at most once. */
function judge(
  t: ExecutionContext,
  { name, listed, isWhole, came, end, wants }: Round,
  log: Awaited<ReturnType<typeof readFeed>>,
): void {
  const had = [...listed.map(identityOfRow), ...came]
  const counts = new Map<string, number>()
  for (const identity of had) counts.set(identity, (counts.get(identity) ?? 0) + 1)
  t.is(counts.size, had.length, `${name}: something came twice`)
  // A list that continues after its last row contains no older events.
  const last = isWhole ? undefined : (listed.at(-1) as never)
  for (const { sequence, events } of log) {
    for (const event of events) {
      if (!wants(event)) continue
      const identity = identityOf(event)
      const isOfPage =
        last === undefined || (event.kind === 'swap' && compareSwaps(event.swap, keyOf(last)) >= 0)
      if (sequence <= end && isOfPage && !counts.delete(identity))
        t.fail(`${name}: lacks ${identity}`)
      else counts.delete(identity)
    }
  }
  t.deepEqual([...counts.keys()], [], `${name}: has what is nowhere`)
}

/** Subscribes, resumes once from a cursor on the way, and ends after the events published meanwhile. */
async function overSocket(
  client: FeedClient,
  sub: string,
  { name, filter }: Kind,
  seen: Row,
  cursor: string,
): Promise<{ came: string[]; end: number }> {
  const channel = name === 'pool events' ? 'pool_events' : 'swaps'
  const begin = (from: string) =>
    client.send({ op: 'subscribe', sub, channel, filter: filter(seen), from: { cursor: from } })
  const leave = async (legs: number): Promise<string> => {
    client.send({ op: 'unsubscribe', sub })
    await until(`${sub} ended`, 60_000, () => client.of('unsubscribed', sub).length === legs)
    const reported = client.of('unsubscribed', sub).at(-1) as unknown as { cursors: Row }
    return reported.cursors[sub] as string
  }
  begin(cursor)
  await until(`${sub} began`, 60_000, () => client.of('subscribed', sub).length === 1)
  const middle = await leave(1)
  begin(middle)
  await until(`${sub} began again`, 60_000, () => client.of('subscribed', sub).length === 2)
  await pause(100)
  const last = await leave(2)
  const came = client.events(sub).map(identityOfRow)
  client.frames.length = 0
  return { came, end: readCursor(last)?.sequence ?? 0 }
}

async function overGrpc(
  { stream, key }: { stream: ReturnType<typeof openClient>; key: string },
  filter: object,
  cursor: string,
): Promise<{ came: string[]; end: number }> {
  const swaps: StreamedSwap[] = []
  let from = cursor
  for (let leg = 0; leg < 2; leg++) {
    const received = subscribe(stream, key, { filter, cursor: from, heartbeat_seconds: 1 })
    await until('an answer behind the first', 60_000, () => received.answers.length > 1)
    received.call.cancel()
    await received.ended
    swaps.push(...received.swaps)
    from = received.cursor() as string
  }
  return { came: swaps.map(identityOfRow), end: readCursor(from)?.sequence ?? 0 }
}

function startLoad(pipeline: Pipeline): { isOver(): boolean; end(): Promise<void> } {
  const { jetStream, topology, prefix, laneCount, recording } = pipeline
  const publisher = createPublisher(jetStream, topology, { log: recording.log })
  const enough = new AbortController()
  const runs = paced(smallMarket(4_711, SWAPS), dueByRate(SWAPS_PER_SECOND), enough.signal)
  let isOver = false
  const done = publishEvents(runs, { publish: publisher.publish, prefix, laneCount }).then(() => {
    isOver = true
    publisher.close()
  })
  const end = (): Promise<void> => {
    enough.abort()
    return done
  }
  return { isOver: () => isOver, end }
}

function identityOfRow(row: Row): string {
  const { signature, ix_index, pair_address, event, user, sol_amount } = row
  const dex = typeof row.dex === 'number' ? venueOf(row.dex as 1).name : row.dex
  const isBuy = row.is_buy ?? (row.swap_type === undefined ? undefined : row.swap_type === 'buy')
  if (event !== undefined) return [signature, ix_index, pair_address, event].join()
  return [signature, ix_index, dex, pair_address, user, isBuy, Number(sol_amount)].join()
}

function identityOf(event: FeedEvent): string {
  if (event.kind === 'pool_event') {
    const { signature, ixIndex, pairAddress, event: what } = event.poolEvent
    return [signature, ixIndex, pairAddress, what].join()
  }
  const { signature, ixIndex, dex, pairAddress, user, isBuy, solAmount } = event.swap
  const venue = venueOf(dex).name
  return [signature, ixIndex, venue, pairAddress, user, isBuy, Number(solAmount)].join()
}

function keyOf(row: Row) {
  return {
    slot: row.slot as number,
    blockTxIndex: row.block_tx_index as number,
    ixIndex: row.ix_index as number,
    dex: row.dex as 1,
    isBuy: row.is_buy as boolean,
    signature: row.signature as string,
    pairAddress: row.pair_address as string,
    user: row.user as string,
    solAmount: row.sol_amount as number,
    tokenAmount: row.token_amount as number,
  }
}

test('GraphQL returns the same cursor, and none without a feed', async (t) => {
  const { api, keyFor, pipeline } = await feedApi(t)
  await writeFeed(pipeline, 0, 3)
  const { key } = await keyFor('pro')
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const query = '{ swapsPage { feed_cursor } poolEventsPage { feed_cursor } }'
  const request = async (url: string) => {
    const requested = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    return ((await requested.json()) as Row).data
  }
  const reported = { feed_cursor: `${pipeline.topology.feed.epoch}-3` }
  await until('the three messages are read', 60_000, async () => {
    const answer = await fetch(`${api.url}/swaps`, { headers })
    return ((await answer.json()) as List).feed_cursor === reported.feed_cursor
  })
  t.deepEqual(await request(api.url), { swapsPage: reported, poolEventsPage: reported })
  const { databaseUrl, prefix, recording } = pipeline
  const lonely = await startApi({ databaseUrl, prefix, port: 0, log: recording.log })
  t.teardown(() => lonely.stop())
  const none = { feed_cursor: null }
  t.deepEqual(await request(lonely.url), { swapsPage: none, poolEventsPage: none })
})
