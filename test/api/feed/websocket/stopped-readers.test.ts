/**
 * Stopped readers alongside active ones: the server is a separate process, so that its memory can be distinguished from
 * the clients'. The slowdown of the others is measured by the benchmark (slow-readers), not asserted: here clients and
 * server share the machine with other programs.
 */
import test from 'ava'
import { TIMING } from '../../../../api/feed/websocket/protocol/timing.ts'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { eventsOf } from '../../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { residentBytes, startFeedServer } from '../../../support/programs/feed-server.ts'
import { openPipeline, type Pipeline, until } from '../../../support/workers/pipeline.ts'

const READING = 5
const STOPPED = 500
/** For each stopped one: 1 MiB that was written before, and the buffers of ws and the socket. */
const HELD_BYTES_MAX = 1.5 * 2 ** 30

test('stopped readers cost bounded memory, are warned, and lose no event; the others get all', async (t) => {
  const pipeline = await openPipeline(t)
  const timing = { ...TIMING, stallMs: 20_000, tickMs: 100 }
  const server = await startFeedServer(t, pipeline, { timing })
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(pipeline.db, wanted)
  const url = `ws://127.0.0.1:${server.port}/ws/v1?api_key=${key}`
  const joined = async (count: number): Promise<FeedClient[]> => {
    const clients: FeedClient[] = []
    while (clients.length < count) {
      const some = Math.min(50, count - clients.length)
      clients.push(...(await Promise.all(Array.from({ length: some }, () => welcomed(t, url)))))
    }
    for (const client of clients) client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
    await until('all have subscribed', 60_000, () =>
      clients.every((client) => client.of('subscribed').length === 1),
    )
    return clients
  }
  const reading = await joined(READING)
  const quiet = await delaysOf(pipeline, reading, 0)
  const stopped = await joined(STOPPED)
  const missed = reading[0]?.events('a').length ?? 0
  const before = residentBytes(server.child.pid)
  for (const { socket } of stopped) socket.pause()
  // 13 MB of frames for each: 500 of them would be 6 GB if they were held.
  for (let part = 0; part < 15; part++) await writeFeed(pipeline, 10_000 + part * 800, 4, 200)
  for (const client of reading) await client.untilEvents('a', missed + 10_800, 90_000)
  const grown = residentBytes(server.child.pid) - before
  const strained = await delaysOf(pipeline, reading, 50_000)
  const ratio = (strained / quiet).toFixed(1)
  t.log(
    `p99 ${quiet} ms before, ${strained} ms with ${STOPPED} stopped: ${ratio} of it; ` +
      `${Math.round(grown / 2 ** 20)} MB more`,
  )
  t.true(grown < HELD_BYTES_MAX, `${grown} bytes more`)
  const total = (await eventsOf(pipeline, ({ kind }) => kind === 'swap')).length
  for (const client of reading) {
    await client.untilEvents('a', total, 60_000)
    t.deepEqual(client.events('a'), reading[0]?.events('a'))
    t.deepEqual(client.errors, [])
  }
  await until('the stopped are given up', 90_000, () => {
    const gone = server.said.filter((line) => line.includes('feed client disconnected'))
    return gone.length >= STOPPED
  })
  // One that reads again gets the buffered rest and the goodbye, and resumes elsewhere.
  const back = stopped[0] as FeedClient
  back.socket.resume()
  t.true([4410, 1006].includes(await back.untilClosed(60_000)))
  const seen = back.events('a').length
  const cursor = (back.of('data').at(-1)?.cursor ?? `${pipeline.topology.feed.epoch}-0`) as string
  const next = await welcomed(t, url)
  next.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { cursor } })
  await next.untilEvents('a', total - missed - seen, 60_000)
  t.deepEqual([...back.events('a'), ...next.events('a')], reading[0]?.events('a').slice(missed))
  t.deepEqual(next.errors, [])
})

/** p99 from before the publication of a message to its frame at active readers, in milliseconds. */
async function delaysOf(
  pipeline: Pipeline,
  reading: readonly FeedClient[],
  from: number,
): Promise<number> {
  const delays: number[] = []
  for (let index = 0; index < 100; index++) {
    const at = performance.now()
    const arrivals = reading.map(
      ({ socket }) =>
        new Promise<number>((resolve) => {
          socket.once('message', () => resolve(performance.now() - at))
        }),
    )
    await writeFeed(pipeline, from + 4 * index, 1)
    delays.push(...(await Promise.all(arrivals)))
  }
  return delays.sort((a, b) => a - b)[Math.floor(delays.length * 0.99)] as number
}
