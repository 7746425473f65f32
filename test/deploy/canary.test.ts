// Canaries: an API key and the operators' key, sent in every possible way to a process with the most verbose log, and
// the passwords of its servers, which are in its environment. None may appear in its log, in a trace of an error, or in
// its metrics.

import { credentials, Metadata } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { holdsWithin } from '../../deploy/local/waiting.ts'
import { startCommand } from '../support/programs/commands.ts'
import { openClient } from '../support/programs/swap-stream.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { temporaryFolder, testServers } from '../support/servers/servers.ts'
import { openPipeline, type Pipeline } from '../support/workers/pipeline.ts'

const OPERATOR_KEY = 'canary-of-the-operators-9Zk3'
const START_BOUND_MS = 150_000
const ANSWER_BOUND_MS = 60_000

type Program = { url: string; grpcPort: number; metricsUrl: string; printed: () => string }

/** `swaptide api` as a process, with a log of everything. */
async function startProgram(t: ExecutionContext, pipeline: Pipeline): Promise<Program> {
  const { databaseUrl, prefix } = pipeline
  const [port, grpcPort, metricsPort] = [await ownPort(), await ownPort(), await ownPort()]
  const settings = {
    DATABASE_URL: databaseUrl,
    NATS_URL: pipeline.natsUrl,
    REDIS_URL: testServers().redisUrl,
    SWAPTIDE_HOME: await temporaryFolder(t),
    SWAPTIDE_STREAM_PREFIX: prefix.slice(0, -1),
    PORT: String(port),
    GRPC_PORT: String(grpcPort),
    METRICS_PORT: String(metricsPort),
    ADMIN_TOKEN: OPERATOR_KEY,
    LOG_LEVEL: 'debug',
  }
  const child = startCommand(['api'], settings)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      printed += piece
    })
  }
  const ended = new Promise((resolve) => child.once('exit', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  const isUp = await holdsWithin(START_BOUND_MS, async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    return answer?.status === 200
  })
  if (!isUp) throw new Error(`the API does not start: ${printed}`)
  return { url, grpcPort, metricsUrl, printed: () => printed }
}

/** By every way of HTTP: carriers, paths, parameters, bodies, unknown headers. */
async function sendByHttp(url: string, secret: string): Promise<number[]> {
  const escaped = encodeURIComponent(secret).replaceAll('_', '%5F').replaceAll('-', '%2D')
  const paths = [
    '/swaps',
    `/swaps?api_key=${secret}`,
    `/swaps?api_key=${secret}&user=${secret}`,
    `/swaps?${secret}=1&cursor=${secret}`,
    `/swaps/${secret}`,
    `/wallets/${secret}/stats`,
    `/search?q=${secret}`,
    `/search?q=${escaped}&${secret}=1`,
    `/screener?creator=${secret}`,
    `/${secret}`,
    `/${escaped}`,
    `/docs/assets/${secret}`,
    '/admin',
    `/admin/${secret}`,
    `/admin?next=${secret}`,
    `/admin/v1/keys/${secret}/revoke`,
    `/admin/v1/dead-letters?cursor=${secret}`,
    `/admin/queues/api/queues/${secret}`,
    `/admin/queues/static/${secret}.js`,
    `/metrics?key=${secret}`,
    `/ws/v1?api_key=${secret}`,
  ]
  const carriers: Record<string, string>[] = [
    {},
    { 'X-API-Key': secret },
    { Authorization: `Bearer ${secret}` },
    { Authorization: `Basic ${secret}`, Cookie: `swaptide_operator=${secret}`, 'X-Other': secret },
    { 'X-API-Key': `${secret}x`, Referer: `http://other.example/${secret}`, 'User-Agent': secret },
  ]
  const statuses: number[] = []
  const request = async (path: string, init: RequestInit): Promise<void> => {
    const answer = await fetch(url + path, { redirect: 'manual', ...init })
    await answer.text()
    statuses.push(answer.status)
  }
  for (const headers of carriers) {
    for (const path of paths) await request(path, { headers })
    for (const query of [
      `{ swaps(user: "${secret}") { slot } }`,
      `{ ${secret.replaceAll('-', '_')} }`,
      `{ swaps(limit: ${JSON.stringify(secret)}`,
    ]) {
      const body = JSON.stringify({ query, variables: { secret }, operationName: secret })
      const typed = { ...headers, 'Content-Type': 'application/json' }
      await request('/graphql', { method: 'POST', headers: typed, body })
      await request(`/graphql?query=${encodeURIComponent(query)}`, { headers })
    }
    for (const path of [
      '/admin/session',
      `/admin/v1/keys?tier=free&env=test&account=${secret}`,
      `/admin/v1/keys/${secret}/rotate`,
      '/admin/kols/import',
      '/admin/sectors/import',
      '/admin/queues/api/queues/wallet-tags/add',
    ]) {
      await request(path, { method: 'POST', headers, body: JSON.stringify({ wallet: secret }) })
    }
  }
  return statuses
}

/** Upgrades that are refused, one that is not, and frames that are wrong. */
async function sendByWebSocket(url: string, secret: string): Promise<void> {
  const base = url.replace('http', 'ws')
  const attempts: [string, Record<string, string>][] = [
    [`/ws/v1?api_key=${secret}`, {}],
    [`/ws/v1?api_key=${secret}x`, {}],
    [`/ws/${secret}`, { 'X-API-Key': secret }],
    ['/ws/v1', { Authorization: `Bearer ${secret}`, 'Sec-WebSocket-Protocol': secret }],
  ]
  for (const [path, headers] of attempts) {
    const socket = new WebSocket(base + path, { headers })
    await new Promise<void>((resolve) => {
      socket.on('open', () => {
        socket.send(JSON.stringify({ op: 'subscribe', sub: secret, channel: secret }))
        socket.send(`not JSON ${secret}`)
        socket.once('message', () => socket.close())
      })
      socket.on('error', () => {})
      socket.once('close', () => resolve())
    })
  }
}

async function sendByGrpc(port: number, secret: string): Promise<void> {
  const client = openClient(`127.0.0.1:${port}`, credentials.createInsecure())
  const metadata: Record<string, string>[] = [
    { 'x-api-key': secret },
    { 'x-api-key': `${secret}x` },
    { authorization: `Bearer ${secret}`, 'x-other': secret },
  ]
  for (const given of metadata) {
    const sent = new Metadata({})
    for (const [name, value] of Object.entries(given)) sent.set(name, value)
    const call = client.Subscribe({ filter: { wallets: [secret] } }, sent)
    await new Promise<void>((resolve) => {
      call.on('error', () => resolve())
      call.on('end', () => resolve())
      call.on('data', () => call.cancel())
    })
  }
  client.close()
}

test('no log, trace or metric contains a key, however it is sent', async (t) => {
  const pipeline = await openPipeline(t)
  const wanted = { tier: 'pro', environment: 'test', account: 'canary', by: 'test' } as const
  const { key } = await createKey(pipeline.db, wanted)
  const unknown = `${key.slice(0, 20)}${[...key.slice(20)].reverse().join('')}`
  const program = await startProgram(t, pipeline)
  const { url, grpcPort, metricsUrl, printed } = program
  const statuses: number[] = []
  for (const secret of [key, unknown, OPERATOR_KEY]) {
    statuses.push(...(await sendByHttp(url, secret)))
    await sendByWebSocket(url, secret)
    await sendByGrpc(grpcPort, secret)
  }
  for (const expected of [200, 204, 400, 401, 404]) t.true(statuses.includes(expected))

  // Internal errors, whose traces are logged: statements that fail while the key is in the request.
  await pipeline.db.query('alter table token rename to token_that_was')
  await pipeline.db.query('alter table api_usage rename to api_usage_that_was')
  const failed: number[] = []
  for (const path of [`/search?q=${key}`, `/credits?api_key=${key}`]) {
    const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })
    await answer.text()
    failed.push(answer.status)
  }
  t.deepEqual(failed, [500, 500])

  const operator = { Authorization: `Bearer ${OPERATOR_KEY}` }
  const created = await fetch(`${url}/admin/v1/keys?tier=free&env=test&account=a`, {
    method: 'POST',
    headers: operator,
  })
  const made = ((await created.json()) as Record<'data', { key: string }>).data.key
  const last = await fetch(`${url}/healthz`)
  await last.text()
  const id = last.headers.get('X-Request-Id') ?? 'none'
  t.true(await holdsWithin(ANSWER_BOUND_MS, () => printed().includes(id)))

  const metrics = [
    await (await fetch(metricsUrl)).text(),
    await (await fetch(`${url}/metrics`, { headers: operator })).text(),
  ].join('\n')
  t.true(metrics.includes('swaptide_http_request_duration_seconds_count'))
  const lines = printed().split('\n')
  t.true(lines.filter((line) => line.includes('"requestId"')).length >= statuses.length)
  t.true(lines.some((line) => line.includes('"stack"')))
  const secretOf = (text: string): string => text.slice(text.lastIndexOf('_') + 1)
  const { redisUrl, natsUrl, databaseUrl } = testServers()
  const passwords = [redisUrl, natsUrl, databaseUrl].map((each) => new URL(each).password)
  t.false(passwords.includes(''))
  for (const secret of [key, unknown, made].map(secretOf).concat(OPERATOR_KEY, passwords)) {
    for (const reported of [secret, Buffer.from(secret).toString('base64'), secret.slice(4, -4)]) {
      t.deepEqual(
        lines.filter((line) => line.includes(reported)),
        [],
      )
      t.false(metrics.includes(reported))
    }
  }
})
