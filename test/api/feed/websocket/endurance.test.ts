/**
 * Guarantees of the feed under strain: a client that is cut again and again, a stopping server, invalid frames. Real
 * clients, real sockets.
 */
import { randomBytes } from 'node:crypto'
import test from 'ava'
import { writeEvent } from '../../../../api/feed/websocket/protocol/present.ts'
import type { FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { eventsOf, feedApi } from '../../../support/feed/feed-api.ts'
import { FeedClient, welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'

const CUTS = 1_000

/** Deterministic by its seed: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

test('a client that is cut 1,000 times and resumes by its cursor has the filtered log, each swap once', async (t) => {
  const { pipeline, urlFor } = await feedApi(t, { feed: { ringBytesMax: 60_000 } })
  const url = await urlFor('enterprise')
  const random = randomOf(20_260_801)
  const filter = { wallets: [poolOf(200), poolOf(201)] }
  const passes = (event: FeedEvent) =>
    event.kind === 'swap' && filter.wallets.includes(event.swap.user)
  await writeFeed(pipeline, 0, 1)
  let cursor = `${pipeline.topology.feed.epoch}-0`
  const got: unknown[] = []
  let written = 4
  /** One connection: receives frames until it is cut, at any point, and stores the last cursor. */
  const connectOnce = (framesMax: number): Promise<void> =>
    new Promise((resolve) => {
      const client = new FeedClient(url)
      let frames = 0
      client.socket.on('message', () => {
        const frame = client.frames.at(-1)
        if (frame?.type === 'welcome') {
          client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', filter, from: { cursor } })
        } else if (frame?.type === 'data' && frames < framesMax) {
          got.push(...(frame.data as unknown[]))
          cursor = frame.cursor as string
          if (++frames === framesMax) client.socket.terminate()
        }
      })
      client.socket.once('close', () => {
        t.deepEqual(client.errors, [])
        resolve()
      })
      // By time as well: in the handshake, before the first frame, with frames in flight.
      setTimeout(() => client.socket.terminate(), random() * (random() < 0.5 ? 20 : 80))
    })
  for (let cuts = 0; cuts < CUTS; cuts++) {
    if (random() < 0.3) {
      // Messages of 200 events are several frames: cuts fall within a message.
      const size = random() < 0.2 ? 200 : 4
      await writeFeed(pipeline, written, 2, size)
      written += 2 * size
    }
    await connectOnce(1 + Math.floor(random() * 3))
  }
  const expected = (await eventsOf(pipeline, passes)).map(
    (event) => JSON.parse(writeEvent(event, 'number')) as unknown,
  )
  const last = await welcomed(t, url)
  last.send({ op: 'subscribe', sub: 'a', channel: 'swaps', filter, from: { cursor } })
  await last.untilEvents('a', expected.length - got.length)
  got.push(...last.events('a'))
  t.is(got.length, expected.length)
  t.deepEqual(got, expected)
  t.true(got.length > 1_000)
})

test('a stopping server sends a goodbye with the cursors and closes with 1012', async (t) => {
  const { pipeline, api, urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('free'))
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  await client.until('subscribed')
  await writeFeed(pipeline, 0, 5)
  await client.untilEvents('a', 18)
  const ending = api.stop()
  t.is(await client.untilClosed(), 1012)
  const goodbye = await client.until('goodbye')
  t.deepEqual(goodbye.cursors, { a: `${pipeline.topology.feed.epoch}-5` })
  t.true((goodbye.reconnect_after_ms as number) > 0)
  t.deepEqual(client.errors, [])
  await ending
})

test('answers invalid frames or closes by the table, without an effect on other clients', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  const url = await urlFor('enterprise')
  const other = await welcomed(t, url)
  other.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const frames: (string | Buffer)[] = [
    '',
    'null',
    '[]',
    '{',
    deep,
    `{"op":"subscribe","sub":"d","channel":"swaps","filter":{"tokens":${deep}}}`,
    `{"op":"subscribe","sub":"e","channel":"swaps","filter":[[[[[[[[]]]]]]]]}`,
    '{"op":"subscribe","sub":"p","channel":"swaps","filter":{"__proto__":{"tokens":[1]}}}',
    '{"op":"subscribe","sub":"__proto__","channel":"constructor"}',
    '{"op":"toString"}',
    '{"op":"subscribe","sub":{"a":1},"channel":7}',
    '{"op":"subscribe","sub":"x","channel":"swaps","from":{"slot":-1}}',
    '{"op":"subscribe","sub":"x","channel":"swaps","from":{"slot":1e300}}',
    '{"op":"subscribe","sub":"x","channel":"swaps","from":{"cursor":{}}}',
    '{"op":"subscribe","sub":"x","channel":"swaps","filter":{"min_sol":"1e999"}}',
    `{"op":"ping","id":"${'i'.repeat(65)}"}`,
    '{"op":"update","sub":"__proto__"}',
    randomBytes(500),
    randomBytes(500).toString('latin1'),
    randomBytes(60_000).toString('base64').slice(0, 60_000),
  ]
  for (const frame of frames) {
    const client = await welcomed(t, url)
    client.socket.send(frame)
    client.send({ op: 'ping', id: 'alive' })
    const answer = await client.until('pong')
    t.is(answer.id, 'alive')
    const answers = client.frames.filter(({ type }) => type !== 'heartbeat')
    t.is(answers.length, 3, JSON.stringify(client.frames))
    t.deepEqual(client.errors, [])
    client.socket.terminate()
  }
  const closing: [frames: (string | Buffer)[], code: number][] = [
    [Array(20).fill('{'), 4400],
    // Not counted as invalid, but far too many.
    [Array(2_000).fill('{"op":"list"}'), 4429],
    [['x'.repeat(64 * 1024 + 1)], 1009],
  ]
  for (const [sent, code] of closing) {
    const client = await welcomed(t, url)
    for (const frame of sent) client.socket.send(frame)
    t.is(await client.untilClosed(), code)
  }
  // No text in UTF-8, and a frame that is none.
  const broken = await welcomed(t, url)
  broken.socket.send(Buffer.from([0xc3, 0x28]), { binary: false })
  t.is(await broken.untilClosed(), 1007)
  await writeFeed(pipeline, 0, 5)
  await other.untilEvents('a', 18)
  t.deepEqual(other.errors, [])
})
