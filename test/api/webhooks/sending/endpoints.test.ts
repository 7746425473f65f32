/** Webhooks as operators see them: refusals, pauses, rotation, gaps, and one endpoint alongside another. */
import test from 'ava'
import { Redis } from 'ioredis'
import { Webhook } from 'standardwebhooks'
import { trimStream } from '../../../../streams/nats/topology.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { testServers } from '../../../support/servers/servers.ts'
import { QUICK, untilDelivered, webhookBench } from '../../../support/webhooks/bench.ts'
import { MANNERS, type Manner, startReceiver } from '../../../support/webhooks/receiver.ts'
import { until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const plain = MANNERS.plain!('')

/** Answers with the status that the test wants at the time. */
const answering =
  (statusNow: () => number): Manner =>
  (response) => {
    response.writeHead(statusNow()).end()
    return statusNow() < 300
  }

test.serial('endpoints that hang or fail do not delay the others', async (t) => {
  const bench = await webhookBench(t)
  const hanging = await startReceiver(t, () => false)
  const failing = await startReceiver(
    t,
    answering(() => 500),
  )
  const good = await startReceiver(t, plain)
  const bad = [await bench.create({ url: hanging.url }), await bench.create({ url: failing.url })]
  const { id, secret } = await bench.create({ url: good.url })
  good.secret = secret
  bench.send({ attemptBoundMs: 3_000, retrying: { ...QUICK, greatest: 5_000 } })
  await writeFeed(bench.pipeline, 0, 20)
  await until('the good endpoint has all', BOUND_MS, async () => good.received.length === 20)
  t.deepEqual(good.forged, [])
  for (const each of bad) {
    await until('all wait for it, and it fails', BOUND_MS, async () => {
      const { state, waiting } = await bench.show(each.id)
      return state === 'failing' && waiting === 20
    })
    t.is((await bench.show(each.id)).delivered, 0)
  }
  t.like(await bench.show(bad[0]!.id), { last_error: 'no answer within 3000 ms' })
  t.like(await bench.show(bad[1]!.id), { last_error: 'status 500' })
  await untilDelivered(bench, [id], BOUND_MS)
  t.like(await bench.show(id), { state: 'active', attempts: 0, last_error: null })
})

test.serial('pauses an endpoint that is gone or fails for too long, and resumes it', async (t) => {
  const bench = await webhookBench(t)
  let [goneStatus, failStatus] = [410, 503]
  const gone = await startReceiver(
    t,
    answering(() => goneStatus),
  )
  const failing = await startReceiver(
    t,
    answering(() => failStatus),
  )
  const first = await bench.create({ url: gone.url })
  const second = await bench.create({ url: failing.url })
  const untilPaused = (id: number) =>
    until('it is paused', BOUND_MS, async () => (await bench.show(id)).state === 'paused')
  const patient = bench.send()
  await writeFeed(bench.pipeline, 0, 5)
  await untilPaused(first.id)
  await until('the other is tried again', BOUND_MS, () => failing.received.length > 2)
  patient.kill('SIGKILL')
  bench.send({ retrying: { ...QUICK, giveUpAfter: 1_000 } })
  await untilPaused(second.id)
  t.regex(String((await bench.show(first.id)).pause_reason), /410/)
  t.is(gone.received.length, 1)
  t.is((await bench.show(second.id)).pause_reason, 'it failed for too long: status 503')
  await writeFeed(bench.pipeline, 20, 5)
  goneStatus = 200
  failStatus = 200
  for (const { id } of [first, second]) {
    const { status, shown } = await bench.operate('POST', `/${id}/resume`)
    t.is(status, 200)
    t.like(shown, { state: 'active', pause_reason: null })
  }
  await untilDelivered(bench, [first.id, second.id], BOUND_MS)
  for (const { received } of [gone, failing]) {
    t.is(new Set(received.map(({ id }) => id)).size, 10)
  }
})

test.serial('rotates secrets, and shows one in the answer that makes it only', async (t) => {
  const bench = await webhookBench(t)
  const receiver = await startReceiver(t, plain)
  const own = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  const { id, secret } = await bench.create({ url: receiver.url, secret: own })
  t.is(secret, own)
  const rotated = (await bench.operate('POST', `/${id}/rotate`)).shown
  receiver.secret = rotated.secret
  bench.send()
  await writeFeed(bench.pipeline, 0, 3)
  await untilDelivered(bench, [id], BOUND_MS)
  t.deepEqual(receiver.forged, [])
  for (const [at, { body }] of receiver.received.entries()) {
    const headers = receiver.headers[at] as Record<string, string>
    t.notThrows(() => new Webhook(secret).verify(body, headers))
  }
  t.not(rotated.secret, secret)
  const shown = [
    (await bench.operate('GET', '')).text,
    (await bench.operate('GET', `/${id}`)).text,
    (await bench.operate('POST', `/${id}/pause`)).text,
    ...bench.pipeline.recording.lines.map((line) => JSON.stringify(line)),
  ].join('\n')
  for (const each of [secret, rotated.secret]) t.false(shown.includes(each.slice('whsec_'.length)))
  const { rows } = await bench.pipeline.db.query('select secret, old_secret from webhook')
  t.false(rows[0].secret.includes(Buffer.alloc(32, 5)))
  t.false(rows[0].old_secret.includes(Buffer.alloc(32, 5)))
  t.is((await bench.operate('DELETE', `/${id}`)).status, 200)
  t.is((await bench.operate('GET', `/${id}`)).status, 404)
})

test.serial('an endpoint whose messages FEED trimmed gets a gap, then the rest', async (t) => {
  const bench = await webhookBench(t)
  const { pipeline } = bench
  const receiver = await startReceiver(t, plain)
  const { id, cursor } = await bench.create({ url: receiver.url })
  await bench.operate('POST', `/${id}/pause`)
  await writeFeed(pipeline, 0, 10)
  await trimStream(pipeline.jetStream, pipeline.topology.feed.stream, 7)
  bench.send()
  await bench.operate('POST', `/${id}/resume`)
  await untilDelivered(bench, [id], BOUND_MS)
  const [gap, ...rest] = receiver.received.map((each) => JSON.parse(each.body))
  const epoch = cursor.slice(0, cursor.lastIndexOf('-'))
  t.deepEqual(gap, {
    type: 'gap',
    data: { from: cursor, to: `${epoch}-6`, slots: [0, null], filled: false },
  })
  t.is(rest.length, 4)
  t.is(receiver.received[0]?.id, `${epoch}-6`)
})

test.serial('continues after Redis lost everything', async (t) => {
  const bench = await webhookBench(t)
  let status = 500
  const receiver = await startReceiver(
    t,
    answering(() => status),
  )
  const { id } = await bench.create({ url: receiver.url })
  bench.send()
  await writeFeed(bench.pipeline, 0, 4)
  await until('it fails', BOUND_MS, async () => receiver.received.length > 1)
  const redis = new Redis(testServers().redisUrl)
  const keys = await redis.keys(`${bench.pipeline.prefix}*`)
  t.true(keys.length > 0)
  await redis.del(keys)
  redis.disconnect()
  status = 200
  await untilDelivered(bench, [id], BOUND_MS)
  t.is((await bench.show(id)).delivered, 4)
})

test.serial('refuses what cannot be sent, by field', async (t) => {
  const secretKey = 'a-long-key-of-the-secrets-of-webhooks'
  const bench = await webhookBench(t, { webhooks: { secretKey, policy: 'refuse' } })
  const url = 'https://203.0.113.9.example.invalid/'
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /url is required/],
    [{ url: 'https://127.0.0.1/' }, /url .*private address/],
    [{ url: 'https://localhost/' }, /url .*private address/],
    [{ url: 'http://example.com/' }, /url .*https/],
    [{ url, filter: { token: [] } }, /filter: .*did you mean "tokens"/],
    [{ url, filter: { tokens: [] } }, /filter: tokens/],
    [{ url, filter: 'all' }, /filter: /],
    [{ url, channel: 'candles' }, /channel .*swaps pool_events/],
    [{ url, events_max: 0 }, /events_max .*1 to 250/],
    [{ url, events_max: '5' }, /events_max .*1 to 250/],
    [{ url, secret: 'short' }, /secret: expected whsec_/],
    [{ url, secrets: 'x' }, /did you mean "secret"/],
    [{ url: `${url}${'x'.repeat(2_000)}` }, /url: expected at most 2000/],
  ]
  for (const [body, reason] of cases) {
    const { status, text } = await bench.operate('POST', '', body)
    t.is(status, 400, text)
    t.regex(text.replaceAll('\\"', '"'), reason)
    t.false(text.includes('short'))
  }
  t.is((await bench.operate('POST', '/77/pause')).status, 404)
  t.deepEqual((await bench.operate('GET', '')).shown as unknown, [])
})
