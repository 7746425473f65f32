/**
 * The feed of the client while the API is killed, refuses it or is away: each event once, no retry where the same would
 * come again, and otherwise reconnects less and less often, until its signal.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { createClient } from '../../../clients/typescript/client.ts'
import type { FeedEvent } from '../../../streams/codec/event-codec.ts'
import { eventsOf, feedApi } from '../../support/feed/feed-api.ts'
import { writeFeed } from '../../support/feed/written-feed.ts'
import { startFeedServer } from '../../support/programs/feed-server.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'

const KILLS = 4
/** Numbers of events that are written for each life of the server: FEED holds all of them in the end. */
const WRITTEN_A_LIFE = 18_000

test('the feed brings each event once while the API is killed again and again', async (t) => {
  const pipeline = await openPipeline(t)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(pipeline.db, wanted)
  // A port that no outgoing connection uses while no server listens on it.
  const port = await ownPort()
  let server = await startFeedServer(t, pipeline, { port })
  const filter = { venues: ['venue_1', 'venue_4', 'venue_7'] }
  const { epoch } = pipeline.topology.feed
  const from = { cursor: `${epoch}-0` }
  const client = createClient({ url: `http://127.0.0.1:${port}`, key })
  const feed = client.feed({ channel: 'swaps', filter, from })
  const seen: [signature: string, slot: bigint, lamports: bigint][] = []
  const reading = (async () => {
    for await (const swap of feed) seen.push([swap.signature, swap.slot, swap.sol_amount])
  })()
  let written = 0
  let allowed = 0
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      if (written < allowed) {
        await writeFeed(pipeline, written, 3, written % 1_000 === 0 ? 200 : 10)
        written += 600
      }
      await pause(20)
    }
  })()
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const had = seen.length
      allowed += WRITTEN_A_LIFE
      await until('events come', 60_000, () => seen.length > had + 200)
      // The last time it is signalled, and sends a goodbye.
      server.child.kill(kill === KILLS - 1 ? 'SIGTERM' : 'SIGKILL')
      await once(server.child, 'exit')
      server = await startFeedServer(t, pipeline, { port })
    }
  } finally {
    isWriting = false
    await writing
  }
  const passes = (event: FeedEvent) =>
    event.kind === 'swap' && filter.venues.includes(`venue_${event.swap.dex}`)
  const expected = (await eventsOf(pipeline, passes)).map((event) => {
    const { swap } = event as Extract<FeedEvent, { kind: 'swap' }>
    return [swap.signature, BigInt(swap.slot), BigInt(swap.solAmount)] as const
  })
  await until('all have come', 60_000, () => seen.length >= expected.length)
  t.deepEqual(seen, expected as typeof seen)
  t.true(feed.cursor?.startsWith(epoch), feed.cursor)
  await feed.return?.()
  await reading
})

test('the feed throws where the same would come again', async (t) => {
  const { api, keyFor } = await feedApi(t)
  const { key } = await keyFor('enterprise')
  const client = createClient({ url: api.url, key })
  const cases = [
    [{ filter: { venues: ['raydium'] } }, 'INVALID_FILTER', /^venues "raydium": /],
    [{ from: { cursor: 'nonsense' } }, 'CURSOR_INVALID', /./],
    [{ from: { cursor: 'another-5' } }, 'CURSOR_EPOCH_CHANGED', /./],
    [{ filter: { tokens: new Array<string>(1_001).fill('a') } }, 'FILTER_TOO_LARGE', /./],
  ] as const
  for (const [{ ...options }, code, message] of cases) {
    const feed = client.feed({ channel: 'swaps', ...options } as never)
    t.like(await t.throwsAsync(feed.next(), { message }), { code })
  }
})

test('the feed reconnects less and less often while it is refused, and ends with its signal', async (t) => {
  const cameAt: number[] = []
  const refusal = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n'
  const server = createServer((_, response) => response.writeHead(503).end())
  server.on('upgrade', (_, socket) => {
    cameAt.push(performance.now())
    // The client may have gone before it has read the answer.
    socket.on('error', () => {})
    socket.end(refusal)
  })
  server.listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ended = new AbortController()
  const client = createClient({ url: `http://127.0.0.1:${port}`, key: 'key' })
  const from = { cursor: 'epoch-5' }
  const feed = client.feed({ channel: 'swaps', from, signal: ended.signal })
  const next = feed.next()
  await until('it came six times', 60_000, () => cameAt.length >= 6)
  const [first = 0, , , , , sixth = 0] = cameAt
  // The least back-off before each of five attempts, each twice that of the one before.
  t.true(sixth - first >= 1_500, `${sixth - first} ms`)
  ended.abort()
  t.true((await next).done)
  t.is(feed.cursor, 'epoch-5')
})

test('the feed of an address at which nothing listens ends with its signal at the cursor that it was given', async (t) => {
  const url = `http://127.0.0.1:${await ownPort()}`
  const ended = new AbortController()
  const attempts = { count: 0 }
  class Counted extends WebSocket {
    constructor(given: string) {
      super(given)
      attempts.count++
    }
  }
  const client = createClient({ url, key: 'key', WebSocket: Counted })
  const feed = client.feed({
    channel: 'swaps',
    from: { cursor: 'epoch-5' },
    signal: ended.signal,
  })
  const next = feed.next()
  await until('it has failed some times', 60_000, () => attempts.count >= 4)
  ended.abort()
  t.true((await next).done)
  t.is(feed.cursor, 'epoch-5')
})
