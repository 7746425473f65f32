// Clients that mean no good: slow ones, silent ones, endless ones, malformed ones. Each ends within its
// bound, and others are answered meanwhile.

import { connect, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { Registry } from 'prom-client'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { apiForFile, apiUnderTest } from '../support/api/api-under-test.ts'
import { sampleOf } from '../support/api/metric-value.ts'
import { until } from '../support/workers/pipeline.ts'

const under = apiForFile()

type Client = { socket: Socket; received: () => string; endedAt: Promise<number> }

/** A connection of this test, and when the other side ended it, in milliseconds from now. */
function open(t: ExecutionContext): Client {
  const beganAt = performance.now()
  const socket = connect(under().api.port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {})
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  t.teardown(() => socket.destroy())
  const endedAt = new Promise<number>((resolve) => {
    socket.once('close', () => resolve(performance.now() - beganAt))
  })
  return { socket, received: () => text, endedAt }
}

/** Writes a part every so often until the connection ends. */
function drip({ socket }: Client, part: string, everyMs: number): void {
  const timer = setInterval(() => {
    if (socket.writable) socket.write(part)
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** A trickling request would never end by itself: this bound is for a loaded machine. */
const BOUND_MS = 60_000
const HEAD = 'GET /healthz HTTP/1.1\r\nHost: a\r\n'

test('headers that come drop by drop are cut after 10 seconds, and others are answered', async (t) => {
  const slow = Array.from({ length: 200 }, () => open(t))
  for (const client of slow) {
    client.socket.write(HEAD)
    drip(client, 'X-Slow: 1\r\n', 500)
  }
  const wanted = { tier: 'enterprise', environment: 'test', account: 'a', by: 'test' } as const
  const { key } = await createKey(under().db, wanted)
  let answers = 0
  let isOver = false
  const requesting = (async () => {
    while (!isOver) {
      t.is((await under().call('/swaps', { 'X-API-Key': key })).status, 200)
      answers += 1
    }
  })()
  const ends = await Promise.all(slow.map(({ endedAt }) => endedAt))
  isOver = true
  await requesting
  t.true(Math.max(...ends) < 60_000, `${Math.max(...ends)} ms`)
  t.true(Math.min(...ends) > 8_000)
  t.regex(slow[0]?.received() ?? '', /^HTTP\/1\.1 408 [\s\S]*"success":false.*headers have 10 s/)
  t.true(answers > 5)
})

test('does not wait for a body that trickles in when it is not needed', async (t) => {
  const client = open(t)
  const { key } = under()
  client.socket.write(
    `POST /swaps HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Length: 60000\r\n\r\n`,
  )
  drip(client, 'a', 200)
  t.true((await client.endedAt) < BOUND_MS)
  t.regex(client.received(), /^HTTP\/1\.1 405 /)
  t.regex(client.received(), /Connection: close/i)
})

test('refuses a needed body that trickles in after 15 seconds', async (t) => {
  const client = open(t)
  client.socket.write(
    `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-Key: ${under().key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
  )
  drip(client, ' ', 200)
  t.true((await client.endedAt) < BOUND_MS)
  t.regex(client.received(), /^HTTP\/1\.1 408 [\s\S]*"success":false.*all of it 15 s/)
  t.is(client.received().match(/HTTP\/1\.1/g)?.length, 1)
})

test('cuts a silent connection, and an idle one', async (t) => {
  const silent = open(t)
  const idle = open(t)
  idle.socket.write(`${HEAD}\r\n`)
  t.true((await silent.endedAt) < BOUND_MS)
  t.true((await idle.endedAt) < 2 * BOUND_MS)
  t.regex(idle.received(), /^HTTP\/1\.1 200 /)
})

test('cuts a client that never reads its answers, after the stall timeout', async (t) => {
  const metrics = new Registry()
  const { api } = await apiUnderTest(t, { metrics, stallMs: 2_000 })
  const socket = connect(api.port, '127.0.0.1')
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  socket.pause()
  // More than the kernel buffers for them.
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200))
  const beganAt = performance.now()
  const count = async () => sampleOf(await metrics.metrics(), 'swaptide_client_connections') ?? 0
  await until('it is there', 60_000, async () => (await count()) > 0)
  await until('nobody is', 60_000, async () => (await count()) === 0)
  t.true(performance.now() - beganAt > 1_900)
})

test('a body over 64 KiB is refused before it comes', async (t) => {
  const client = open(t)
  client.socket.write(`GET /swaps HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n`)
  t.true((await client.endedAt) < BOUND_MS)
  t.regex(client.received(), /^HTTP\/1\.1 400 [\s\S]*"invalid_parameter"[\s\S]*over 65536 bytes/)
})

test('an endless body in chunks ends with the answer', async (t) => {
  const client = open(t)
  client.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  drip(client, `4000\r\n${'x'.repeat(0x4000)}\r\n`, 50)
  t.true((await client.endedAt) < BOUND_MS)
  t.regex(client.received(), /^HTTP\/1\.1 200 /)
})

test('leaves an answer intact when bytes that are no HTTP follow its request', async (t) => {
  const query = '{"query":"{ credits { tier } }"}'
  const whole = open(t)
  const post = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-Key: ${under().key}\r\n`
  const head = `${post}Content-Type: application/json\r\nContent-Length: `
  whole.socket.write(`${head}${query.length}\r\n\r\n${query}hello\r\n\r\n`)
  // A client that counts characters instead of bytes.
  const short = open(t)
  short.socket.write(`${head}${query.length - 2}\r\n\r\n${query}`)
  for (const client of [whole, short]) t.true((await client.endedAt) < BOUND_MS)
  t.regex(whole.received(), /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"tier":/i)
  t.regex(short.received(), /^HTTP\/1\.1 400 [\s\S]*connection: close[\s\S]*"errors":/i)
  for (const client of [whole, short]) t.is(client.received().match(/HTTP\/1\.1/g)?.length, 1)
})

test('answers bytes that are no HTTP in the envelope', async (t) => {
  const table: [string, RegExp][] = [
    ['hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET / HTTP/9.9\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    [`${HEAD}X-Long: ${'x'.repeat(17_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  ]
  for (const [text, status] of table) {
    const client = open(t)
    client.socket.write(text)
    t.true((await client.endedAt) < BOUND_MS)
    t.regex(client.received(), status)
    t.regex(client.received(), /\{"success":false,"error":\{"code":"INVALID_PARAM"/)
  }
})

test('answers an invalid target in the envelope, and reads a whole URL as its path', async (t) => {
  const table: [string, RegExp][] = [
    ['http://[::1]:x/swaps', /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_PARAM"/],
    ['http://xn--i\u00f1valid.com/', /^HTTP\/1\.1 400 /],
    ['ftp://a/swaps', /^HTTP\/1\.1 400 [\s\S]*"success":false/],
    ['swaps', /^HTTP\/1\.1 400 [\s\S]*"success":false/],
    ['http://a/healthz?_=c', /^HTTP\/1\.1 200 [\s\S]*"status":"ok"/],
    ['/%', /^HTTP\/1\.1 401 [\s\S]*"success":false/],
    ['http://a', /^HTTP\/1\.1 401 [\s\S]*"success":false/],
  ]
  for (const [target, answer] of table) {
    const client = open(t)
    client.socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1')
    t.true((await client.endedAt) < BOUND_MS)
    t.regex(client.received(), answer, target)
  }
})

test('refuses requests in the envelope that Node would refuse without a body', async (t) => {
  const table: [string, RegExp][] = [
    [
      'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 400 [\s\S]*"INVALID_PARAM"/,
    ],
    [
      `${HEAD}Expect: wonders\r\nConnection: close\r\n\r\n`,
      /^HTTP\/1\.1 417 [\s\S]*"INVALID_PARAM"/,
    ],
    ['GET /healthz HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 200 /],
  ]
  for (const [text, answer] of table) {
    const client = open(t)
    client.socket.write(text)
    t.true((await client.endedAt) < BOUND_MS)
    t.regex(client.received(), answer)
  }
})
