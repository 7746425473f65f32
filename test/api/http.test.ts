// The edge: health, the document, unknown paths, CORS, compression, the access line, limits, draining.
// The parts outside of routes.

import { request } from 'node:http'
import test from 'ava'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { startApi } from '../../api/main.ts'
import { apiForFile, apiUnderTest, SILENT } from '../support/api/api-under-test.ts'
import { untilBlocked } from '../support/api/blocked.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'

const under = apiForFile()

test.serial.before(async () => {
  const swaps = Array.from({ length: 40 }, (_, n) => sampleSwap({ signature: signatureOf(n) }))
  await insertSwaps(under().db, swaps)
})

test('health and the document need no key', async (t) => {
  const { call } = under()
  const alive = await call('/healthz')
  t.is(alive.text, '{"status":"ok"}')
  const ready = await call('/readyz')
  t.is(ready.status, 200)
  t.deepEqual(ready.body as object, { status: 'ready', database: 'ok' })
  t.is((await call('/openapi.json')).status, 200)
})

const PATHS = [
  '/api/v1/candles',
  '/api/v1/candles/latest',
  '/api/v1/coverage',
  '/api/v1/pairs',
  '/api/v1/protocols',
  '/api/v1/retractions',
  '/api/v1/slot',
  '/api/v1/stats',
  '/api/v1/top-movers',
  '/asyncapi.json',
  '/credits',
  '/docs',
  '/docs/{name}.md',
  '/favicon.ico',
  '/graphql',
  '/healthz',
  '/ingest.schema.json',
  '/llms.txt',
  '/mcp',
  '/openapi.json',
  '/pool-events',
  '/price/history',
  '/price/history/range',
  '/price/history/timestamp',
  '/price/multi',
  '/readyz',
  '/robots.txt',
  '/schema.graphql',
  '/screener',
  '/search',
  '/stats/global',
  '/stats/token/{mint}',
  '/stats/tokens',
  '/stats/trader/{wallet}',
  '/swaps',
  '/swaps/range',
  '/swaps/token/{mint}',
  '/swaps/trader/{wallet}',
  '/swaps/whale',
  '/swaps/{signature}',
  '/tokens/{mint}/ath',
  '/tokens/{mint}/audit',
  '/tokens/{mint}/holders',
  '/tokens/{mint}/intel',
  '/tokens/{mint}/risk',
  '/tokens/{mint}/smart-money',
  '/tokens/{mint}/whales',
  '/tokens/{t}/positions/batch',
  '/trending',
  '/udf/config',
  '/udf/history',
  '/udf/search',
  '/udf/symbols',
  '/udf/time',
  '/v2/asof/leaderboard',
  '/v2/asof/leaderboard/{id}',
  '/v2/asof/leaderboard/{id}/events',
  '/v2/backtest/copy',
  '/v2/backtest/{id}',
  '/v2/backtest/{id}/events',
  '/v2/mev/sandwiches',
  '/v2/mev/summary',
  '/v2/mev/tx/{signature}',
  '/v2/mev/wallets/{wallet}',
  '/v2/pnl/leaderboard/kols/calendar',
  '/v2/pnl/leaderboard/top',
  '/v2/pnl/positions/batch',
  '/v2/pnl/tokens/{token}/first-buyers',
  '/v2/pnl/tokens/{token}/traders',
  '/v2/pnl/wallets/{wallet}',
  '/v2/pnl/wallets/{wallet}/calendar',
  '/v2/pnl/wallets/{wallet}/highlights',
  '/v2/pnl/wallets/{wallet}/history',
  '/v2/pnl/wallets/{wallet}/performance',
  '/v2/pnl/wallets/{wallet}/positions',
  '/v2/pnl/wallets/{wallet}/positions/{mint}/lots',
  '/v2/pnl/wallets/{wallet}/risk',
  '/v2/pnl/wallets/{wallet}/tokens',
  '/v2/quote',
  '/v2/sql',
  '/version',
  '/wallets/batch',
  '/wallets/{wallet}/tags',
  '/wallets/{w}/chart',
  '/wallets/{w}/holdings',
  '/wallets/{w}/positions/batch',
  '/wallets/{w}/stats',
  '/wallets/{w}/trades',
]

test('the document names every route with its parameters, bounds, errors and an example', async (t) => {
  const { body } = await under().call('/openapi.json')
  const document = body as unknown as Document
  t.is(document.openapi, '3.1.0')
  t.deepEqual(Object.keys(document.paths).sort(), PATHS)
  const range = document.paths['/swaps/range']?.get
  const limit = range?.parameters.find(({ name }) => name === 'limit')
  t.like(limit, { in: 'query', required: false })
  t.like(limit?.schema, { type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  t.is(range?.parameters.find(({ name }) => name === 'from')?.required, false)
  t.deepEqual(Object.keys(range?.responses ?? {}), [
    '200',
    '400',
    '401',
    '422',
    '429',
    '500',
    '503',
  ])
  const bySignature = document.paths['/swaps/{signature}']?.get
  t.is(bySignature?.parameters[0]?.in, 'path')
  t.true(bySignature?.parameters[0]?.example !== undefined)
  t.true('404' in (bySignature?.responses ?? {}))
  t.true('504' in (document.paths['/pool-events']?.get?.responses ?? {}))
})

type Parameter = {
  name: string
  in: string
  required: boolean
  schema: { type?: string; default?: unknown; enum?: string[]; minimum?: number }
  example?: unknown
}
type Operation = { parameters: Parameter[]; responses: Record<string, object> }
type Document = { openapi: string; paths: Record<string, { get?: Operation }> }

test('every example of the document is a request that is understood', async (t) => {
  const { get } = under()
  const { paths } = (await get('/openapi.json')).body as unknown as Document
  for (const [template, { get: operation }] of Object.entries(paths)) {
    // A batch only: test/api/resources/batches.
    if (operation === undefined) continue
    let path = template
    const query = new URLSearchParams()
    for (const { name, in: location, example } of operation.parameters) {
      if (location === 'path') path = path.replace(`{${name}}`, String(example))
      else if (example !== undefined) query.set(name, String(example))
    }
    const { status } = await get(`${path}?${query}`)
    // The subjects of the example need not be indexed here.
    const isServed = status === 200 || status === 204
    t.true(isServed || (status === 404 && '404' in operation.responses), path)
  }
})

test('HEAD answers as GET does, without a body', async (t) => {
  const { call, key } = under()
  const { status, text } = await call('/swaps', { 'X-API-Key': key }, 'HEAD')
  t.is(status, 200)
  t.is(text, '')
})

test('not ready where a migration is missing or JetStream is away, each by name', async (t) => {
  const { databaseUrl, db } = await apiUnderTest(t)
  const away = await startApi({
    databaseUrl,
    port: 0,
    log: SILENT,
    checkJetStream: () => Promise.reject(new Error('no servers')),
  })
  t.teardown(() => away.stop())
  const response = await fetch(`${away.url}/readyz`)
  t.is(response.status, 503)
  t.is(response.headers.get('Retry-After'), '1')
  t.regex(await response.text(), /JetStream cannot be reached/)
  await db.query(`delete from migration where name like '0003%'`)
  t.regex(
    await (await fetch(`${away.url}/readyz`)).text(),
    /migrations are missing: 0003_progress.sql/,
  )
})

test('an unknown path is 404 with a key, in the shape of its family', async (t) => {
  const { get, call, key } = under()
  const enveloped = await get('/no/such/route')
  t.is(enveloped.status, 404)
  t.like(enveloped.body, { success: false, error: { code: 'NOT_FOUND' } })
  const flat = await get('/swaps/a/b/c')
  t.is(flat.status, 404)
  t.is(flat.body.error, 'not_found')
  t.is((await get('/Swaps/a/b/c')).body.error, 'not_found')
  t.is((await call('/pool-events/x', { 'X-API-Key': key }, 'POST')).status, 404)
})

test('allows browsers of any origin', async (t) => {
  const { get, call } = under()
  t.is((await get('/swaps')).headers.get('Access-Control-Allow-Origin'), '*')
  const preflight = await call('/swaps', {}, 'OPTIONS')
  t.is(preflight.status, 204)
  const allowed = (preflight.headers.get('Access-Control-Allow-Headers') ?? '').split(', ')
  // The answer to its ETag, too.
  for (const name of ['X-API-Key', 'Authorization', 'Content-Type', 'If-None-Match']) {
    t.true(allowed.includes(name), name)
  }
})

test('compresses answers over 1 KiB if the client accepts it, short ones never', async (t) => {
  const { get } = under()
  for (const encoding of ['gzip', 'br']) {
    const long = await get('/swaps', { 'Accept-Encoding': encoding })
    t.is(long.headers.get('Content-Encoding'), encoding)
    t.is(long.body.data.length, 40)
    const short = await get('/swaps?dex=9', { 'Accept-Encoding': encoding })
    t.is(short.headers.get('Content-Encoding'), null)
  }
  // A client that accepts no encoding, or no known one, gets it unencoded, from Koa too.
  for (const encoding of ['identity', 'identity;q=0', '*;q=0', 'identity;q=0, zstd']) {
    for (const path of ['/swaps', '/docs', '/graphql?query={swaps{signature}}']) {
      const plain = await get(path, { 'Accept-Encoding': encoding })
      t.is(plain.status, 200, `${path} ${encoding}`)
      t.is(plain.headers.get('Content-Encoding'), null)
    }
  }
})

test('a compressed answer has its length, and one without a body is as long as it would be', async (t) => {
  const { api, key } = under()
  const send = (method: string, encoding: string) =>
    fetch(`${api.url}/swaps`, {
      method,
      headers: { 'X-API-Key': key, 'Accept-Encoding': encoding },
    })
  const plain = await (await send('GET', 'identity')).text()
  for (const encoding of ['gzip', 'br']) {
    const answer = await send('GET', encoding)
    t.true(Number(answer.headers.get('Content-Length')) < plain.length / 2)
    t.deepEqual(await answer.json(), JSON.parse(plain))
  }
  const head = await send('HEAD', 'gzip')
  t.is(head.headers.get('Content-Length'), String(plain.length))
  t.is(head.headers.get('Content-Encoding'), null)
  t.is(await head.text(), '')
})

test('a request leaves one line with its path and checked parameters, never the key', async (t) => {
  const { get, call, key, keyId, lines } = under()
  const { headers } = await call(`/swaps?user=${trader(5)}&api_key=${key}&_=secret`)
  await get(`/swaps?user=${key}`)
  await get(`/${key}`)
  const id = headers.get('X-Request-Id')
  const [line = '', ...more] = lines.filter((each) => each.includes(`"${id}"`))
  t.deepEqual(more, [])
  const { fields } = JSON.parse(line)
  t.like(fields, { method: 'GET', path: '/swaps', route: '/swaps', keyId, status: 200 })
  t.true(line.includes(trader(5)))
  t.false(line.includes('secret'))
  t.false(lines.some((each) => each.includes(key)))
})

test('reports an unknown path without a possible key in it', async (t) => {
  const { get, key } = under()
  const escaped = key.replace('o', '%6F')
  for (const path of [`/none/${key}`, `/none/${escaped}`, '/none/swaptide_operator_abc-d']) {
    const { status, text } = await get(path)
    t.is(status, 404)
    t.notRegex(text, /sk_\w|operator_\w/)
  }
})

test('no route accepts a repeated parameter that is no list', async (t) => {
  const { db, call } = under()
  const wanted = { tier: 'enterprise', environment: 'test', account: 'twice', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  const { paths } = (await call('/openapi.json')).body as unknown as Document
  let requested = 0
  for (const [template, { get }] of Object.entries(paths)) {
    const given = get?.parameters ?? []
    if (template.startsWith('/admin') || template === '/graphql') continue
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) =>
      String(given.find((each) => each.name === name)?.example),
    )
    // The first of two names of one parameter carries the remark.
    const required = given.filter(
      (each) =>
        each.in === 'query' &&
        (each.required || JSON.stringify(each).includes('one of the two is required')),
    )
    for (const { name, in: location, schema, example } of given) {
      if (location !== 'query' || schema.type === 'array') continue
      const value = String(example ?? schema.default ?? schema.enum?.[0] ?? schema.minimum ?? 'x')
      const query = new URLSearchParams([
        [name, value],
        [name, value],
      ])
      for (const other of required)
        if (other.name !== name) query.append(other.name, String(other.example))
      const { status, text } = await call(`${path}?${query}`, { 'X-API-Key': key })
      t.is(status, 400, `${template} ${name}`)
      t.true(
        text.includes(`${name} is given 2 times: give it once`),
        `${template} ${name}: ${text}`,
      )
      requested++
    }
  }
  t.true(requested > 100, `${requested} parameters`)
})

test('headers over 16 KiB are refused', async (t) => {
  const { api } = under()
  const response = await fetch(`${api.url}/healthz`, { headers: { 'X-Long': 'x'.repeat(17_000) } })
  t.is(response.status, 431)
})

test('a stopping API finishes running requests and accepts no new ones', async (t) => {
  const { api, db, key } = await apiUnderTest(t)
  const lock = await db.connect()
  await lock.query('begin')
  await lock.query('lock table swap_signature in access exclusive mode')
  const path = `/swaps/${signatureOf(1)}`
  const waiting = fetch(api.url + path, { headers: { 'X-API-Key': key } })
  await untilBlocked(db)
  const stopped = api.stop()
  await lock.query('commit')
  lock.release()
  t.is((await waiting).status, 404)
  await stopped
  const refused = new Promise((resolve) => {
    request(`${api.url}/healthz`).once('error', resolve).end()
  })
  t.like(await refused, { code: 'ECONNREFUSED' })
})
