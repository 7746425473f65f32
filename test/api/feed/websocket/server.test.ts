/**
 * The WebSocket feed by real clients: they receive the filtered FEED, live or from a cursor, in frames that their
 * schemas describe; each op and each refusal.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import test from 'ava'
import { writeEvent } from '../../../../api/feed/websocket/protocol/present.ts'
import { revokeKey } from '../../../../api/gateway/keys/keys.ts'
import { tagBits } from '../../../../domain/wallet/wallet-tag.ts'
import type { FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { ensureTopology, trimStream } from '../../../../streams/nats/topology.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { eventsOf, feedApi } from '../../../support/feed/feed-api.ts'
import { FeedClient, type Received, welcomed } from '../../../support/feed/feed-client.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { readFeed, until } from '../../../support/workers/pipeline.ts'

const isSwap = (event: FeedEvent) => event.kind === 'swap'
const shown = (events: readonly FeedEvent[]) =>
  events.map((event) => JSON.parse(writeEvent(event, 'number')) as unknown)

test('live: each swap once and in order, in the streaming shape', async (t) => {
  const { pipeline, urlFor, untilRead } = await feedApi(t)
  await writeFeed(pipeline, 0, 10)
  await untilRead()
  const client = await welcomed(t, await urlFor('free'))
  client.send({ op: 'subscribe', id: 7, sub: 'all', channel: 'swaps' })
  client.send({ op: 'subscribe', sub: 'pools', channel: 'pool_events', int64: 'string' })
  const { id, cursor, mode } = await client.until('subscribed')
  t.deepEqual([id, mode], [undefined, 'live'])
  t.is(cursor, `${pipeline.topology.feed.epoch}-10`)
  await writeFeed(pipeline, 40, 50)
  await client.untilEvents('all', 180)
  await client.untilEvents('pools', 20)
  const expected = (await eventsOf(pipeline, isSwap)).slice(36)
  t.deepEqual(client.events('all'), shown(expected))
  const [first] = client.events('all')
  t.is(first?.swap_type, 'buy')
  t.is(first?.dex, 'venue_1')
  t.is(first?.kind, 'swap')
  t.false('is_buy' in (first ?? {}))
  // Beyond 16 bits, as no other transport shows it.
  t.is(client.events('all').at(-1)?.price_impact_bps, 238_000)
  t.is(client.events('pools')[0]?.slot, '1049')
  t.deepEqual(client.errors, [])
})

test('int64 is written digit for digit, as a number or as a text', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('free'))
  const texts: string[] = []
  client.socket.on('message', (bytes) => texts.push(String(bytes)))
  client.send({ op: 'subscribe', sub: 'n', channel: 'swaps' })
  client.send({ op: 'subscribe', sub: 's', channel: 'swaps', int64: 'string' })
  await client.until('subscribed')
  await writeFeed(pipeline, 0, 1)
  await client.untilEvents('s', 4)
  await client.untilEvents('n', 4)
  t.true(texts.some((text) => text.includes('"sub":"n"') && text.includes(':9007199254740993,')))
  t.is(client.events('s')[0]?.sol_amount, '9007199254740993')
  t.is(client.events('s')[0]?.fee_bps, 0)
  t.deepEqual(client.errors, [])
})

test('filters by the tags that a wallet had when its swap was published, live and from a cursor', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('pro'))
  const filter = { wallet_tags: ['whale', 'insider'] }
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', filter })
  const reported = await client.until('subscribed')
  t.deepEqual(reported.filter, { wallet_tags: ['insider', 'whale'] })
  t.deepEqual(reported.tier_locked_filters, [])
  await writeFeed(pipeline, 0, 30)
  const known = tagBits(['whale', 'insider'])
  const expected = await eventsOf(
    pipeline,
    (event) => event.kind === 'swap' && (event.walletTags & known) !== 0,
  )
  t.true(expected.length > 20)
  await client.untilEvents('a', expected.length)
  const from = { cursor: `${pipeline.topology.feed.epoch}-0` }
  client.send({ op: 'subscribe', sub: 'b', channel: 'swaps', filter, from })
  await client.untilEvents('b', expected.length)
  for (const sub of ['a', 'b']) t.deepEqual(client.events(sub), shown(expected))
  t.deepEqual(client.errors, [])
})

test('a filter is normalised and holds; an update takes effect at the cursor it names', async (t) => {
  const { pipeline, urlFor, untilRead } = await feedApi(t)
  const client = await welcomed(t, await urlFor('free'))
  const filter = { tokens: [poolOf(101), poolOf(100), poolOf(101)], swap_type: 'buy', min_sol: 1 }
  const request = { op: 'subscribe', sub: 'a', channel: 'swaps', filter, id: 'x' }
  client.send({ ...request, filter: { ...filter, wallet_tags: ['whale'] } })
  const reported = await client.until('subscribed')
  t.is(reported.id, 'x')
  t.deepEqual(reported.filter, { ...filter, tokens: [poolOf(100), poolOf(101)].sort() })
  t.deepEqual(reported.tier_locked_filters, ['wallet_tags'])
  await writeFeed(pipeline, 0, 100)
  const passes = (event: FeedEvent) =>
    event.kind === 'swap' &&
    event.swap.isBuy &&
    filter.tokens.includes(event.swap.tokenAddress) &&
    event.swap.solAmount >= 1_000_000_000
  const before = await eventsOf(pipeline, passes)
  await client.untilEvents('a', before.length)
  t.deepEqual(client.events('a'), shown(before))
  await untilRead()
  client.send({ op: 'update', sub: 'a', filter: { venues: ['venue_3'] } })
  const updated = await client.until('updated')
  t.is(updated.cursor, `${pipeline.topology.feed.epoch}-100`)
  await writeFeed(pipeline, 400, 100)
  const after = (await eventsOf(pipeline, (event) => isSwap(event) && event.swap.dex === 3)).slice(
    40,
  )
  await client.untilEvents('a', before.length + after.length)
  t.deepEqual(client.events('a').slice(before.length), shown(after))
  t.deepEqual(client.errors, [])
})

test('from a cursor: later events, marked as replay, then live, without a gap or repetition', async (t) => {
  const { pipeline, urlFor } = await feedApi(t, { feed: { ringBytesMax: 20_000 } })
  await writeFeed(pipeline, 0, 600)
  const client = await welcomed(t, await urlFor('free'))
  const { epoch } = pipeline.topology.feed
  // Within message 51: its first two events are done.
  const from = { cursor: `${epoch}-50.2` }
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from })
  client.send({
    op: 'subscribe',
    sub: 'b',
    channel: 'swaps',
    from: { cursor: `${epoch}-0` },
    batch_ms: 50,
  })
  await writeFeed(pipeline, 2_400, 200)
  const all = shown(await eventsOf(pipeline, isSwap))
  await client.untilEvents('b', all.length)
  t.deepEqual(client.events('b'), all)
  const following = (await readFeed(pipeline)).flatMap(({ sequence, events }) =>
    sequence < 51 ? [] : sequence === 51 ? events.slice(2) : events,
  )
  const expected = shown(following.filter(isSwap))
  await client.untilEvents('a', expected.length)
  t.deepEqual(client.events('a'), expected)
  t.is((await client.until('subscribed')).mode, 'replay')
  await until('both caught up', 60_000, () => client.of('caught_up').length === 2)
  t.true(client.of('data', 'a')[0]?.replay)
  t.deepEqual(client.errors, [])
})

test('refuses a cursor that cannot be served with the available range', async (t) => {
  const { pipeline, urlFor, untilRead } = await feedApi(t, { feed: { ringBytesMax: 2_000 } })
  await writeFeed(pipeline, 0, 50)
  await untilRead()
  const { stream, epoch } = pipeline.topology.feed
  const client = await welcomed(t, await urlFor('free'))
  await trimStream(pipeline.jetStream, stream, 20)
  let requested = 0
  const answerTo = async (cursor: string): Promise<Received | undefined> => {
    const id = requested++
    client.send({ op: 'subscribe', id, sub: `s${id}`, channel: 'swaps', from: { cursor } })
    const answer = () => client.frames.find((frame) => frame.id === id)
    await until('an answer', 60_000, () => answer() !== undefined)
    return answer()
  }
  const codeOf = async (cursor: string) => (await answerTo(cursor))?.code
  await until('the trimming is noticed', 60_000, async () => {
    client.send({ op: 'unsubscribe', sub: '*' })
    return (await codeOf(`${epoch}-10`)) === 'CURSOR_EXPIRED'
  })
  t.is(await codeOf(`${epoch}-10`), 'CURSOR_EXPIRED')
  t.deepEqual((await answerTo(`${epoch}-10`))?.details, { epoch, first: 20, head: 50 })
  t.is(await codeOf(`${epoch}-51`), 'CURSOR_AHEAD')
  t.is(await codeOf(`${epoch}-50.1`), 'CURSOR_AHEAD')
  t.is(await codeOf('other-10'), 'CURSOR_EPOCH_CHANGED')
  t.is(await codeOf('nonsense'), 'CURSOR_INVALID')
  t.deepEqual(client.errors, [])
})

test('waits for the position of a cursor of another process, and resumes when this one has read so far', async (t) => {
  const { pipeline, urlFor } = await feedApi(t, { timing: { aheadMs: 60_000 } })
  await writeFeed(pipeline, 0, 5)
  const client = await welcomed(t, await urlFor('free'))
  const { epoch } = pipeline.topology.feed
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { cursor: `${epoch}-7` } })
  client.send({ op: 'subscribe', sub: 'b', channel: 'swaps', from: { cursor: `${epoch}-5` } })
  await client.until('subscribed')
  t.deepEqual(
    client.of('subscribed').map(({ sub }) => sub),
    ['b'],
  )
  await writeFeed(pipeline, 20, 5)
  await client.untilEvents('b', 18)
  const all = (await readFeed(pipeline)).filter(({ sequence }) => sequence > 7)
  const expected = all.flatMap(({ events }) => events).filter(isSwap)
  await client.untilEvents('a', expected.length)
  t.deepEqual(client.events('a'), shown(expected))
  t.deepEqual(client.of('error'), [])
  t.deepEqual(client.errors, [])
})

test('reports a recreated stream to every subscription', async (t) => {
  const { pipeline, urlFor } = await feedApi(t)
  const { jetStream, topology } = pipeline
  await writeFeed(pipeline, 0, 5)
  const client = await welcomed(t, await urlFor('free'))
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  client.send({ op: 'subscribe', sub: 'b', channel: 'pool_events' })
  await until('both began', 60_000, () => client.of('subscribed').length === 2)
  await jetStream.manager.streams.delete(topology.feed.stream)
  const { feed } = await ensureTopology(jetStream, topology)
  await writeFeed(pipeline, 100, 40)
  await until('both are told', 60_000, () => client.of('error').length === 2)
  for (const error of client.of('error')) {
    t.is(error.code, 'CURSOR_EPOCH_CHANGED')
    t.is((error.details as { epoch: string }).epoch, feed.epoch)
  }
  t.deepEqual(client.events('a'), [])
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { cursor: `${feed.epoch}-0` } })
  await client.untilEvents('a', 144)
  t.deepEqual(
    client.events('a'),
    shown(await eventsOf({ ...pipeline, topology: { ...topology, feed } }, isSwap)),
  )
  t.deepEqual(client.errors, [])
})

test('ops are answered by name, and refused with their code', async (t) => {
  const { urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('free'))
  const answers: [request: object, type: string, code?: string][] = [
    [{ op: 'subscribe', sub: 'a', channel: 'swaps' }, 'subscribed'],
    [{ op: 'subscribe', sub: 'a', channel: 'swaps' }, 'error', 'DUPLICATE_SUB'],
    [{ op: 'subscribe', sub: 'b', channel: 'nothing' }, 'error', 'UNKNOWN_CHANNEL'],
    [
      { op: 'subscribe', sub: 'b', channel: 'swaps', filter: { tokens: ['x'] } },
      'error',
      'INVALID_FILTER',
    ],
    [
      { op: 'subscribe', sub: 'b', channel: 'swaps', filter: { tokens: Array(1_001).fill('x') } },
      'error',
      'FILTER_TOO_LARGE',
    ],
    [{ op: 'subscribe', sub: 'x'.repeat(33), channel: 'swaps' }, 'error', 'BAD_REQUEST'],
    [{ op: 'subscribe', sub: 'b', channel: 'swaps', batch_ms: 1_001 }, 'error', 'BAD_REQUEST'],
    [{ op: 'update', sub: 'none', filter: {} }, 'error', 'UNKNOWN_SUB'],
    // A watch list that ran empty, or was forgotten, is not the whole market.
    [{ op: 'update', sub: 'a', filter: { tokens: [] } }, 'error', 'INVALID_FILTER'],
    [{ op: 'update', sub: 'a' }, 'error', 'BAD_REQUEST'],
    [
      { op: 'subscribe', sub: 'b', channel: 'swaps', from: { cursor: '-' } },
      'error',
      'CURSOR_INVALID',
    ],
    [{ op: 'unsubscribe', sub: 'none' }, 'error', 'UNKNOWN_SUB'],
    [{ op: 'dance' }, 'error', 'UNKNOWN_OP'],
    [{ op: 'list' }, 'subscriptions'],
    [{ op: 'ping', t: 12 }, 'pong'],
    [{ op: 'unsubscribe', sub: '*' }, 'unsubscribed'],
    ...Array.from({ length: 10 }, (_, index): [object, string] => [
      { op: 'subscribe', sub: `s${index}`, channel: 'swaps' },
      'subscribed',
    ]),
    [{ op: 'subscribe', sub: 'more', channel: 'swaps' }, 'error', 'TOO_MANY_SUBSCRIPTIONS'],
  ]
  for (const [index, [request]] of answers.entries()) client.send({ ...request, id: index })
  await until('all are answered', 60_000, () =>
    answers.every((_, index) => client.frames.some(({ id }) => id === index)),
  )
  for (const [index, [, type, code]] of answers.entries()) {
    const frame = client.frames.find(({ id }) => id === index)
    t.is(frame?.type, type, JSON.stringify(answers[index]))
    if (code !== undefined) t.is(frame?.code, code)
  }
  t.deepEqual(client.errors, [])
})

test('without a key, with a bad one and at another path the upgrade is refused as HTTP', async (t) => {
  const { api, keyFor, pipeline } = await feedApi(t)
  const { key, url } = await keyFor('free')
  const refusal = (target: string, headers: Record<string, string> = {}) =>
    new Promise<{ status?: number; body: string }>((resolve) => {
      const { socket } = new FeedClient(target, { headers })
      socket.once('unexpected-response', (_, response) => {
        response.setEncoding('utf8')
        let body = ''
        response.on('data', (part: string) => {
          body += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      })
    })
  const bare = url.split('?')[0] ?? ''
  const cookie = await refusal(bare, { cookie: `api_key=${key}` })
  t.is(cookie.status, 401)
  t.is(JSON.parse(cookie.body).error.code, 'UNAUTHORIZED')
  t.is((await refusal(`${bare}?api_key=nonsense`)).status, 401)
  t.is((await refusal(`${api.url.replace('http', 'ws')}/other`, { 'x-api-key': key })).status, 404)
  const { key: other } = await keyFor('pro')
  const handshake = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '7' }
  const old = get(`${api.url}/ws/v1`, { headers: { ...handshake, 'X-API-Key': other } })
  const [answer] = (await once(old, 'response')) as [IncomingMessage]
  t.is(answer.statusCode, 400)
  t.is(answer.headers['sec-websocket-version'], '13')
  t.is(JSON.parse(await textOf(answer)).error.code, 'INVALID_PARAM')
  const requestId = String(answer.headers['x-request-id'])
  const logged = pipeline.recording.lines.filter((line) => line.includes(requestId))
  t.regex(logged.join('\n'), /^info refused upgrade .*"status":400/)
  for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
    const client = await welcomed(t, bare, { headers })
    client.socket.close()
    await client.untilClosed()
  }
  const first = await welcomed(t, url)
  const second = await refusal(url)
  t.is(second.status, 429)
  t.like(JSON.parse(second.body).error, {
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'tier "free" allows 1 concurrent connection: close one or upgrade',
  })
  first.socket.close()
  await first.untilClosed()
  await until('its place is free', 60_000, async () => {
    const again = new FeedClient(url)
    t.teardown(() => again.socket.terminate())
    return await new Promise<boolean>((resolve) => {
      again.socket.once('open', () => resolve(true))
      again.socket.once('unexpected-response', () => resolve(false))
    })
  })
})

test('answers an upgrade to another protocol than WebSocket in HTTP/1.1, as without the upgrade', async (t) => {
  const { api, keyFor } = await feedApi(t)
  const { key } = await keyFor('free')
  const answerTo = (path: string, upgrade: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'X-API-Key': key, Connection: 'Upgrade', Upgrade: upgrade }
      const requested = get(`${api.url}${path}`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      requested.once('error', reject)
    })
  t.is(await answerTo('/swaps', 'h2c'), 200)
  t.is(await answerTo('/swaps', 'websocket'), 404)
  t.is(await answerTo('//', 'websocket'), 404)
})

test('revoking a key closes its connections', async (t) => {
  const { pipeline, keyFor } = await feedApi(t)
  const { id, url } = await keyFor('pro')
  const client = await welcomed(t, url)
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  await client.until('subscribed')
  await revokeKey(pipeline.db, id, 'test')
  t.is(await client.untilClosed(), 4401)
  t.is((await client.until('goodbye')).reconnect_after_ms, null)
  t.is(client.of('error')[0]?.code, 'UNAUTHORIZED')
  t.deepEqual(client.errors, [])
})

test('closes clients that never subscribe or never answer a ping, and no others', async (t) => {
  // Idle and silent clients have little time in two of three processes; the third gives active ones more than a loaded
  // machine needs.
  const { pipeline, urlFor } = await feedApi(t, { timing: { subscribeMs: 400 } })
  const request = { op: 'subscribe', sub: 'a', channel: 'swaps' }
  const impatient = await feedApi(t, { pipeline, timing: { pingMs: 300 } })
  const patient = await feedApi(t, { pipeline, timing: { pingMs: 5_000, heartbeatMs: 100 } })
  const idle = await welcomed(t, await urlFor('free'))
  const silent = await welcomed(t, await impatient.urlFor('free'), { autoPong: false })
  const alive = await welcomed(t, await patient.urlFor('free'))
  silent.send(request)
  alive.send({ ...request, filter: { tokens: [poolOf(9)] } })
  t.is(await idle.untilClosed(), 4408)
  t.is(await silent.untilClosed(), 4408)
  let pings = 0
  alive.socket.on('ping', () => pings++)
  await until('two pings', 60_000, () => pings >= 2)
  await writeFeed(pipeline, 0, 3)
  // A filter without matches: the heartbeat's cursor advances nevertheless.
  await until('the cursor advances', 60_000, () => {
    const subs = alive.of('heartbeat').at(-1)?.subs as
      | Record<string, { cursor: string }>
      | undefined
    return subs?.a?.cursor === `${pipeline.topology.feed.epoch}-3`
  })
  t.is(alive.closeCode, undefined)
  t.deepEqual(alive.errors, [])
})
