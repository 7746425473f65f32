// A key as a canary: sent in every position of a request, right and wrong ones, to a whole API with the real log at its
// most verbose. Afterwards no line, no metric and no answer contains it.

import { connect } from 'node:net'
import test from 'ava'
import { Registry } from 'prom-client'
import { WebSocket } from 'ws'
import { createKey, revokeKey } from '../../api/gateway/keys/keys.ts'
import { type Api, startApi } from '../../api/main.ts'
import { createLog } from '../../deploy/log.ts'
import { testRedis } from '../support/servers/redis.ts'
import { openPipeline } from '../support/workers/pipeline.ts'

const ADMIN_KEY = 'canary-of-the-operators-0123456789'
const PATHS = [
  '/swaps?limit=1',
  '/swaps/range',
  '/screener?window=1h',
  '/search?q=a',
  '/wallets/x/stats',
  '/api/v1/protocols',
  '/no/such/route',
  '/graphql?query={__typename}',
  '/admin/v1/keys',
  '/healthz',
]

/** The whole answer on a separate connection. */
function rawly(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(text))
  })
}

/** Ends when the upgrade was refused, or when the welcome came and something else after it. */
function upgraded(url: string, headers: Record<string, string>, say: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers })
    const received: string[] = []
    socket.on('open', () => socket.send(say))
    socket.on('message', (frame) => {
      received.push(String(frame))
      if (received.length > 1) socket.terminate()
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(received.join()))
  })
}

/** The key in every position; `liveKey` admits requests that carry the other one elsewhere. */
async function requestEverywhere(
  api: Pick<Api, 'url' | 'port'>,
  key: string,
  liveKey: string,
  answers: string[],
): Promise<void> {
  const request = async (path: string, requested: RequestInit = {}): Promise<void> => {
    const answer = await fetch(api.url + path, requested)
    answers.push(JSON.stringify([...answer.headers]), await answer.text())
  }
  for (const path of PATHS) {
    const and = path.includes('?') ? '&' : '?'
    await request(path, { headers: { 'X-API-Key': key } })
    await request(path, { headers: { Authorization: `Bearer ${key}` } })
    await request(path, { headers: { 'X-API-Key': liveKey, Authorization: `Bearer ${key}` } })
    await request(`${path}${and}api_key=${key}`)
    await request(`${path}${and}api_key=${key}&api_key=${key}`)
    await request(path, {
      headers: { 'X-API-Key': liveKey, 'User-Agent': key, Referer: key, 'If-None-Match': key },
    })
  }
  const headers = { 'X-API-Key': liveKey, 'Content-Type': 'application/json' }
  for (const path of [
    `/wallets/${key}/stats`,
    `/swaps/${key}`,
    `/${key}`,
    `/swaps?user=${key}`,
    `/search?q=${key}`,
    `/screener?${key}=1`,
    `/search?q=a&${key}=1`,
    `/trending?window=${key}`,
  ]) {
    await request(path, { headers })
  }
  for (const body of [
    { query: `{ ${key} }` },
    { query: `{ swaps(user: "${key}") { signature } }` },
    { query: `query ${key} { swaps(user: 1) { signature } }` },
    { query: 'query ($v: Int) { swaps(limit: $v) { signature } }', variables: { v: key } },
    { query: '{ __typename }', operationName: key },
  ]) {
    await request('/graphql', { method: 'POST', headers, body: JSON.stringify(body) })
  }
  answers.push(await rawly(api.port, `GET /${key} HTTP/9.9\r\n${key}\r\n\r\n`))
  await request(`/admin/v1/keys?account=${key}`, {
    headers: { Authorization: `Bearer ${ADMIN_KEY}` },
  })
  await request('/admin/v1/keys', { headers: { Authorization: `Bearer ${ADMIN_KEY}x` } })
  answers.push(...(await sayEverywhere(`${api.url.replace('http', 'ws')}/ws/v1`, key, liveKey)))
}

async function sayEverywhere(socketUrl: string, key: string, liveKey: string): Promise<string[]> {
  const subscribing = [{ [key]: 1 }, { tokens: [key] }, { venues: [key] }, key].map((filter) =>
    JSON.stringify({ op: 'subscribe', sub: 's', channel: 'swaps', filter }),
  )
  const answers = [await upgraded(`${socketUrl}?api_key=${key}`, {}, '{"op":"list"}')]
  for (const said of [`{"op":"${key}"}`, key, ...subscribing]) {
    answers.push(await upgraded(socketUrl, { 'X-API-Key': liveKey }, said))
  }
  return answers
}

test('no log, metric or answer contains a key, wherever it was sent', async (t) => {
  const { db, databaseUrl, jetStream, topology } = await openPipeline(t)
  const own = await testRedis()
  t.teardown(() => own.drop())
  const lines: string[] = []
  const log = createLog({ level: 'debug', isTerminal: false, write: (line) => lines.push(line) })
  const metrics = new Registry()
  const feed = { jetStream, stream: topology.feed.stream }
  const stores = { databaseUrl, redisUrl: own.redisUrl, feed, metrics, adminKey: ADMIN_KEY }
  const api = await startApi({ ...stores, port: 0, log, deadlineMs: 60_000 })
  t.teardown(() => api.stop())
  const wanted = { tier: 'pro', environment: 'live', account: 'canary', by: 'test' } as const
  const [live, revoked] = await Promise.all([createKey(db, wanted), createKey(db, wanted)])
  await revokeKey(db, revoked.id, 'test')
  // Never made: only its last character differs, so that it needs no look-up.
  const broken = `${live.key.slice(0, -1)}${live.key.endsWith('a') ? 'b' : 'a'}`
  const keys = [live.key, revoked.key, broken]
  const answers: string[] = []
  for (const key of keys) await requestEverywhere(api, key, live.key, answers)
  const reported = await metrics.metrics()
  const texts = { lines: lines.join('\n'), metrics: reported, answers: answers.join('\n') }
  t.true(lines.length > 150 && answers.length > 300, 'or it proves nothing')
  for (const [where, text] of Object.entries(texts)) {
    for (const key of keys) {
      // The random part: also of a key that was masked or cut in the wrong place.
      const secret = key.slice('ohlcv_live_sk_'.length, -8)
      t.false(text.includes(secret), `${where}: ${around(text, secret)}`)
    }
    t.false(text.includes(ADMIN_KEY), `${where}: ${around(text, ADMIN_KEY)}`)
  }
})

function around(text: string, part: string): string {
  const at = text.indexOf(part)
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 100)
}
