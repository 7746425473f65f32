// Cached answers over HTTP: two servers on one database and one Redis, as a client sees them. Counts the requests to
// the balance node of the route.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../api/main.ts'
import { openBalances } from '../../../chain/accounts/providers.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import {
  type ApiUnderTest,
  apiUnderTest,
  PATIENT,
  PATIENT_MS,
  SILENT,
} from '../../support/api/api-under-test.ts'
import { mint, trader } from '../../support/market/sample-swap.ts'
import {
  type BalanceNode,
  type Misbehave,
  startBalanceNode,
} from '../../support/servers/balance-node.ts'
import { testRedis } from '../../support/servers/redis.ts'

/** Requests of one pass of the provider. */
const QUESTIONS = 2
const BOUND_MS = 60_000

type Two = ApiUnderTest & { node: BalanceNode; otherUrl: string }

async function twoServers(t: ExecutionContext, redisUrl?: string): Promise<Two> {
  const { drop, redisUrl: ownUrl } = await testRedis()
  t.teardown(drop)
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const options = {
    redisUrl: redisUrl ?? ownUrl,
    redisAnswerMs: PATIENT_MS,
    ...PATIENT,
    balances: openBalances({ rpcUrl: node.rpcUrl, log: SILENT, timeoutMs: PATIENT_MS }),
  }
  const under = await apiUnderTest(t, options)
  const { databaseUrl } = under
  const other = await startApi({ ...options, databaseUrl, port: 0, log: SILENT })
  t.teardown(() => other.stop())
  return { ...under, node, otherUrl: other.url }
}

const HOLDINGS = `/wallets/${trader(1)}/holdings`

test('fifty clients of two servers at once cost one read, and get one body', async (t) => {
  const { api, key, node, otherUrl } = await twoServers(t)
  node.hold(trader(1), [{ mint: mint(1), quantity: 9_007_199_254_740_993n, decimals: 0 }])
  const held: (() => void)[] = []
  const hold: Misbehave = (response) => {
    const value: object[] = []
    held.push(() => response.end(JSON.stringify({ result: { value } })))
  }
  node.misbehave(hold)
  const requested = Array.from({ length: 50 }, (_, index) =>
    fetch((index % 2 === 0 ? api.url : otherUrl) + HOLDINGS, { headers: { 'X-API-Key': key } }),
  )
  t.true(await holdsWithin(BOUND_MS, () => held.length === QUESTIONS))
  for (const answer of held) answer()
  const answers = await Promise.all(requested)
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  t.is(new Set(await Promise.all(answers.map((answer) => answer.text()))).size, 1)
  t.is(new Set(answers.map(({ headers }) => headers.get('ETag'))).size, 1)
  t.is(node.questions.length, QUESTIONS)
})

test('an answer reports whether it was cached, its age limit, and its ETag', async (t) => {
  const { get, key, otherUrl, node } = await twoServers(t)
  const first = await get(HOLDINGS)
  t.is(first.headers.get('X-Cache'), 'miss')
  const age = /^private, max-age=(\d+)$/.exec(first.headers.get('Cache-Control') ?? '')
  t.true(Number(age?.[1]) > 0 && Number(age?.[1]) <= 30)
  const etag = first.headers.get('ETag') ?? ''
  t.regex(etag, /^W\/"[\w-]+"$/)
  const headers = { 'X-API-Key': key }
  const second = await fetch(otherUrl + HOLDINGS, { headers })
  t.is(second.headers.get('X-Cache'), 'hit')
  t.is(second.headers.get('ETag'), etag)
  t.is(await second.text(), first.text)
  t.is(second.headers.get('Content-Type'), first.headers.get('Content-Type'))
  t.is(node.questions.length, QUESTIONS)
})

test('a client that has the answer gets 304 without a body', async (t) => {
  const { get, call, key } = await twoServers(t)
  const etag = (await get(HOLDINGS)).headers.get('ETag') ?? ''
  for (const tag of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const { status, text, headers } = await get(HOLDINGS, { 'If-None-Match': tag })
    t.is(status, 304, tag)
    t.is(text, '')
    t.is(headers.get('ETag'), etag)
    t.is(headers.get('X-Cache'), 'hit')
    t.regex(headers.get('Cache-Control') ?? '', /^private, max-age=\d+$/)
  }
  t.is((await get(HOLDINGS, { 'If-None-Match': '"other"' })).status, 200)
  const without = await call(HOLDINGS, { 'If-None-Match': etag })
  t.is(without.status, 401)
  t.is((await call(HOLDINGS, { 'X-API-Key': key }, 'HEAD')).headers.get('X-Cache'), 'hit')
})

test('shares a response by the values of parameters, not by their order, spelling or key', async (t) => {
  const { get, call, db, node, key } = await twoServers(t)
  const wanted = { tier: 'pro', environment: 'test', account: 'other', by: 'test' } as const
  const { key: otherKey } = await createKey(db, wanted)
  t.is((await get(`${HOLDINGS}?dex=2`)).headers.get('X-Cache'), 'miss')
  for (const query of ['?dex=2&_=1', '?dex=venue_2', '?dex=pumpswap', `?api_key=${key}&dex=2`]) {
    t.is((await get(HOLDINGS + query)).headers.get('X-Cache'), 'hit', query)
  }
  const other = await call(`${HOLDINGS}?dex=2`, { 'X-API-Key': otherKey })
  t.is(other.headers.get('X-Cache'), 'hit')
  for (const path of [HOLDINGS, `${HOLDINGS}?dex=3`, `/wallets/${trader(2)}/holdings?dex=2`]) {
    t.is((await get(path)).headers.get('X-Cache'), 'miss', path)
  }
  t.is(node.questions.length, 4 * QUESTIONS)
})

test('does not cache a refusal or a failure', async (t) => {
  const { get, db } = await twoServers(t)
  for (let time = 0; time < 2; time++) {
    const { status, headers } = await get('/wallets/short/holdings')
    t.is(status, 400)
    t.is(headers.get('X-Cache'), null)
    t.is(headers.get('ETag'), null)
  }
  await db.query('alter table position rename to gone')
  await db.query('alter table wallet rename to absent')
  const failed = await get(HOLDINGS)
  t.is(failed.status, 500)
  t.is(failed.headers.get('Cache-Control'), null)
  await db.query('alter table gone rename to position')
  await db.query('alter table absent rename to wallet')
  t.is((await get(HOLDINGS)).headers.get('X-Cache'), 'miss')
})

test('without Redis each server has a separate cache', async (t) => {
  const { get, key, otherUrl, node } = await twoServers(t, 'redis://127.0.0.1:1')
  t.is((await get(HOLDINGS)).headers.get('X-Cache'), 'miss')
  t.is((await get(HOLDINGS)).headers.get('X-Cache'), 'hit')
  const other = await fetch(otherUrl + HOLDINGS, { headers: { 'X-API-Key': key } })
  t.is(other.headers.get('X-Cache'), 'miss')
  t.is(node.questions.length, 2 * QUESTIONS)
})

test('authenticates, counts, heads and logs a repeated request as the first one', async (t) => {
  const { get, call, key, lines } = await twoServers(t)
  const path = `${HOLDINGS}?dex=2`
  const first = await get(path)
  const again = await get(path)
  t.deepEqual([first.headers.get('X-Cache'), again.headers.get('X-Cache')], ['miss', 'hit'])
  t.is(again.text, first.text)
  const names = ({ headers }: typeof first): string[] => [...headers.keys()].sort()
  t.deepEqual(names(again), names(first))
  for (const name of ['Vary', 'Content-Type', 'Content-Length', 'Access-Control-Allow-Origin']) {
    t.is(again.headers.get(name), first.headers.get(name), name)
  }
  t.not(again.headers.get('X-Request-Id'), first.headers.get('X-Request-Id'))
  const remaining = [first, again].map((each) => Number(each.headers.get('X-RateLimit-Remaining')))
  t.is(remaining[1], (remaining[0] ?? 0) - 1)
  const reported = lines
    .map((line) => JSON.parse(line).fields)
    .filter(({ route }) => route === '/wallets/{w}/holdings')
    .map(({ method, path, parameters, keyId, status }) => [method, path, parameters, keyId, status])
  t.is(reported.length, 2)
  t.deepEqual(reported[1], reported[0])
  const refused = await call(path)
  t.is(refused.status, 401)
  t.is(refused.body.success, false)
  t.is(refused.headers.get('X-Cache'), null)
  t.is(refused.headers.get('Access-Control-Allow-Origin'), '*')
  t.is((await call(path, { 'X-API-Key': key, Authorization: `Bearer ${key}x` })).status, 401)
  t.is((await call(path, { 'X-API-Key': key }, 'HEAD')).text, '')
})

test('compresses a cached answer once and serves it as br, gzip or neither', async (t) => {
  const { get, node } = await twoServers(t)
  const rows = Array.from({ length: 40 }, (_, n) => ({ mint: mint(n), quantity: 5n, decimals: 0 }))
  node.hold(trader(1), rows)
  const plain = await get(HOLDINGS, { 'Accept-Encoding': 'identity' })
  t.true(plain.text.length > 1_024)
  t.is(plain.headers.get('Content-Encoding'), null)
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate', null],
  ] as const) {
    const { headers, text } = await get(HOLDINGS, { 'Accept-Encoding': accepted })
    t.is(headers.get('X-Cache'), 'hit')
    t.is(headers.get('Content-Encoding'), encoding, accepted)
    t.is(headers.get('ETag'), plain.headers.get('ETag'))
    t.is(text, plain.text)
  }
})

test('a cached answer to a request with an incomplete body ends the connection', async (t) => {
  const { api, key, get } = await twoServers(t)
  const etag = (await get(HOLDINGS)).headers.get('ETag') ?? ''
  /** The bytes until the other side ends the connection, or until the answer is complete. */
  const requested = (sent: string, isWhole: (received: string) => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1')
      let consumed = ''
      const done = (): void => {
        socket.destroy()
        resolve(consumed)
      }
      socket.setTimeout(BOUND_MS, () => socket.destroy(new Error(`it stays open: ${consumed}`)))
      socket.once('error', reject).once('end', done).setEncoding('utf8')
      socket.on('data', (part) => {
        consumed += part
        if (isWhole(consumed)) done()
      })
      socket.write(`GET ${HOLDINGS} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n${sent}`)
    })
  const never = (): boolean => false
  const bodies = [
    'Content-Length: 5000\r\n\r\nabc',
    'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
  ]
  for (const body of bodies) {
    const hit = await requested(body, never)
    t.regex(hit, /^HTTP\/1\.1 200 [\s\S]*X-Cache: hit[\s\S]*"computed_at":/)
    t.regex(hit, /\r\nConnection: close\r\n/i)
    t.notRegex(hit, /keep-alive/i)
    const unchanged = await requested(`If-None-Match: ${etag}\r\n${body}`, never)
    t.regex(unchanged, /^HTTP\/1\.1 304 [\s\S]*\r\nConnection: close\r\n/i)
  }
  const whole = await requested('Content-Length: 3\r\n\r\nabc', (arrived) =>
    arrived.includes('"computed_at"'),
  )
  t.regex(whole, /\r\nConnection: keep-alive\r\n/i)
})

test('answers requests of one turn of the event loop at its end, one after the other', async (t) => {
  const { api, db } = await twoServers(t)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  const path = `/wallets/${trader(7)}/holdings`
  const headers = { 'X-API-Key': key }
  t.is((await fetch(api.url + path, { headers })).status, 200)
  const seen: string[] = []
  const follow = (channel: string, what: string): void => {
    const note = (message: unknown): void => {
      if ((message as { request: IncomingMessage }).request.url === path) seen.push(what)
    }
    subscribe(channel, note)
    t.teardown(() => unsubscribe(channel, note))
  }
  const { hostname, port } = new URL(api.url)
  const sockets = [1, 2, 3].map(() => connect(Number(port), hostname))
  const requestAll = async (): Promise<void> => {
    const received = sockets.map((socket) => once(socket, 'data'))
    for (const socket of sockets) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`)
    }
    for (const [answer] of await Promise.all(received)) t.regex(String(answer), /X-Cache: hit/)
  }
  // Connections are accepted one a turn.
  await requestAll()
  follow('http.server.request.start', 'asked')
  follow('http.server.response.finish', 'answered')
  await requestAll()
  for (const socket of sockets) socket.destroy()
  t.deepEqual(seen, ['asked', 'asked', 'asked', 'answered', 'answered', 'answered'])
})
