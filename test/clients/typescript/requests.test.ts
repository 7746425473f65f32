// Requests of the client against servers that redirect, stall, answer with something else or repeat what they were sent.

import { getEventListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import {
  type ClientOptions,
  createClient,
  type Parameters,
  type Swap,
  SwaptideError,
} from '../../../clients/typescript/client.ts'
import { openPage, WHY_SKIPPED } from '../../api/openapi/browser.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { ROOT } from '../../support/sources.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'

const KEY = 'ohlcv_test_sk_secret'
const CREDITS = '{"tier":"free"}'
const under = apiForFile()

type Seen = { method: string; path: string; key: string | undefined; body: string }
type Respond = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server that records what it was sent. */
async function serverOf(t: Pick<ExecutionContext, 'teardown'>, respond: Respond) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', 'X-API-Key, Int64, Content-Type')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    const { method = '', url: path = '', headers } = request
    seen.push({ method, path, key: headers['x-api-key'] as string | undefined, body })
    return respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const json = (response: ServerResponse, text = CREDITS) =>
  response.setHeader('Content-Type', 'application/json').end(text)

/** The error of a call, which must be typed and must not hold the key, also as its cause is printed. */
async function errorOf(t: ExecutionContext, work: () => Promise<unknown>): Promise<SwaptideError> {
  const error = (await t.throwsAsync(work)) as SwaptideError
  t.true(error instanceof SwaptideError, String(error))
  for (let part: unknown = error; part instanceof Error; part = part.cause) {
    t.false(`${part.stack} ${JSON.stringify(part)}`.includes('secret'), part.message)
  }
  return error
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect by ${status} to another origin does not get the key`, async (t) => {
    const other = await serverOf(t, (_, response) => json(response))
    const own = await serverOf(t, ({ url }, response) =>
      response.writeHead(status, { Location: `${other.url}${url}` }).end(),
    )
    const client = createClient({ url: own.url, key: KEY })
    const error = await errorOf(t, () => client.getCredits())
    t.like(error, { code: 'REDIRECTED', status })
    t.true(error.message.includes(`redirects to ${other.url}`), error.message)
    await errorOf(t, () => client.getPositionsBatch({ pairs: [] }))
    t.deepEqual(other.seen, [])
    // Without a key there is nothing to protect.
    t.is((await createClient({ url: own.url }).getCredits()).tier, 'free')
  })

  test(`a redirect by ${status} within the origin is followed with the key`, async (t) => {
    const own = await serverOf(t, ({ url = '' }, response) =>
      url.startsWith('/moved')
        ? json(response)
        : response.writeHead(status, { Location: `/moved${url}` }).end(),
    )
    const client = createClient({ url: own.url, key: KEY })
    t.is((await client.getCredits()).tier, 'free')
    t.deepEqual(
      own.seen.map(({ key }) => key),
      [KEY, KEY],
    )
    own.seen.length = 0
    const posted = client.getPositionsBatch({ pairs: [] })
    if (status < 307) {
      t.like(await errorOf(t, () => posted), { code: 'REDIRECTED', status })
      return
    }
    await posted
    t.deepEqual(
      own.seen.map(({ method, body }) => [method, body]),
      Array.from({ length: 2 }, () => ['POST', '{"pairs":[]}']),
    )
  })
}

test('a circle of redirects is an error', async (t) => {
  const circle = await serverOf(t, ({ url }, response) =>
    response.writeHead(307, { Location: String(url) }).end(),
  )
  const client = createClient({ url: circle.url, key: KEY })
  t.is((await errorOf(t, () => client.getCredits())).code, 'REDIRECTED')
  t.true(circle.seen.length < 10)
})

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

inBrowser(`a browser keeps the key within the origin, too${WHY_SKIPPED}`, async (t) => {
  const other = await serverOf(t, (_, response) => json(response))
  const own = await serverOf(t, ({ url = '' }, response) => {
    if (url === '/') return response.setHeader('Content-Type', 'text/html').end('<title>.</title>')
    if (url.startsWith('/moved')) return json(response)
    const target = url.startsWith('/away') ? other.url : ''
    return response.writeHead(307, { Location: `${target}/moved${url}` }).end()
  })
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'clients/typescript/client.ts')],
    ...{ bundle: true, format: 'iife', globalName: 'swaptide', write: false },
  })
  const { page } = await openPage(t, own.url)
  // The page sends requests to other origins, which the helper forbids.
  await page.unrouteAll()
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  const tierOf = (url: string) =>
    page.evaluate(`swaptide.createClient({ url: '${url}', key: '${KEY}' }).getCredits()
      .then(({ tier }) => tier, ({ code }) => code)`)
  t.is(await tierOf(own.url), 'free')
  t.is(own.seen.at(-1)?.key, KEY)
  t.is(await tierOf(`${own.url}/away`), 'REDIRECTED')
  t.deepEqual(
    other.seen.map(({ key }) => key),
    other.seen.map(() => undefined),
  )
})

test('an attempt ends by its time-out, whichever part of the answer is missing', async (t) => {
  const { url } = await serverOf(t, ({ url: path = '' }, response) => {
    if (path.startsWith('/silent')) return
    response.setHeader('Content-Type', 'application/json').write('{"tier":')
  })
  for (const path of ['/silent', '/slow']) {
    const error = await errorOf(t, () =>
      createClient({ url: url + path, key: KEY, timeoutMs: 50 }).getCredits(),
    )
    t.like(error, { code: 'TIMEOUT', status: 0 })
    t.regex(error.message, /50 ms/)
  }
  const client = createClient({ url, key: KEY })
  t.is((await errorOf(t, () => client.getCredits({}, { timeoutMs: 50 }))).code, 'TIMEOUT')
  const deaf = createClient({ url, key: KEY, timeoutMs: 50, fetch: () => new Promise(() => {}) })
  t.is((await errorOf(t, () => deaf.getCredits())).code, 'TIMEOUT')
})

test.serial('the default time-out is half a minute', async (t) => {
  const { url } = await serverOf(t, () => {})
  const { setTimeout: schedule } = globalThis
  const bounds: unknown[] = []
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    bounds.push(ms)
    return schedule(work, ms === 30_000 ? 1 : ms)
  }) as typeof setTimeout
  t.teardown(() => {
    globalThis.setTimeout = schedule
  })
  const error = await errorOf(t, () => createClient({ url, key: KEY }).getCredits())
  t.is(error.code, 'TIMEOUT')
  t.true(bounds.includes(30_000))
})

for (const [what, status, type, text, code] of [
  ['HTML', 200, 'text/html', '<!doctype html><title>Welcome</title>', 'INVALID_ANSWER'],
  ['truncated JSON', 200, 'application/json', '{"tier":"fr', 'INVALID_ANSWER'],
  ['an empty body', 200, 'application/json', '', 'INVALID_ANSWER'],
  ['no object', 200, 'application/json', 'null', 'INVALID_ANSWER'],
  [
    'no integer',
    200,
    'application/json',
    '{"success":true,"data":[{"slot":"x"}]}',
    'INVALID_ANSWER',
  ],
  [
    'a fraction',
    200,
    'application/json',
    '{"success":true,"data":[{"slot":1.5}]}',
    'INVALID_ANSWER',
  ],
  ['HTML of an error', 403, 'text/html', '<h1>secret</h1>', 'HTTP_403'],
  ['null of an error', 400, 'application/json', 'null', 'HTTP_400'],
  ['an unknown error', 400, 'application/json', '{"error":{"detail":1}}', 'HTTP_400'],
] as const) {
  test(`an answer of ${status} with ${what} is a typed error`, async (t) => {
    const { url, seen } = await serverOf(t, (_, response) =>
      response.writeHead(status, { 'Content-Type': type }).end(text),
    )
    const error = await errorOf(t, () => createClient({ url, key: KEY }).listSwaps())
    t.like(error, { code, status })
    t.true(error.message.length > 5)
    t.is(seen.length, 1)
  })
}

test('a page without next_cursor ends a list with a typed error', async (t) => {
  const { url, seen } = await serverOf(t, (_, response) => json(response, '{"data":[]}'))
  const rows = createClient({ url, key: KEY }).rows('listSwaps', {})
  t.is((await errorOf(t, () => rows.next())).code, 'INVALID_ANSWER')
  t.is(seen.length, 1)
})

test('a lost connection is retried, and is a typed error then', async (t) => {
  const { url, seen } = await serverOf(t, ({ socket }, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('{"tier":')
    socket.destroySoon()
  })
  const client = createClient({ url, key: KEY, retries: 1 })
  t.like(await errorOf(t, () => client.getCredits()), { code: 'NETWORK', status: 0 })
  t.is(seen.length, 2)
  const port = await ownPort()
  const away = createClient({ url: `http://127.0.0.1:${port}`, key: KEY, retries: 0 })
  const refused = await errorOf(t, () => away.getCredits())
  t.is(refused.code, 'NETWORK')
  t.regex(refused.message, /ECONNREFUSED/)
})

test('options are checked, and no error repeats a key', async (t) => {
  const url = 'http://127.0.0.1:1'
  const faulty: readonly ClientOptions[] = [
    ...['secret\nother', 'secret\r', 'secret\0', 'se cret secret', 'sécret secret', ''].map(
      (key) => ({ url, key }),
    ),
    { url, key: 1 as unknown as string },
    ...['http://secret:secret@127.0.0.1', `${url}?api_key=secret`, `${url}#secret`].map((each) => ({
      url: each,
    })),
    ...['secret', 'ftp://secret', ''].map((each) => ({ url: each })),
    ...[-1, 1.5, Number.NaN].map((retries) => ({ url, retries })),
    ...[0, -1, Number.NaN].map((timeoutMs) => ({ url, timeoutMs })),
  ]
  for (const options of faulty) {
    const error = await errorOf(t, async () => createClient(options))
    t.is(error.code, 'INVALID_OPTION', JSON.stringify(options))
  }
  // A server that is not ours repeats what it was sent.
  const echo = await serverOf(t, ({ headers }, response) =>
    response.writeHead(400).end(JSON.stringify({ error: `bad key ${headers['x-api-key']}` })),
  )
  const repeated = await errorOf(t, () => createClient({ url: echo.url, key: KEY }).getCredits())
  t.is(repeated.message, 'bad key ***')
})

test('requests leave no listener on a signal that outlives them', async (t) => {
  const { url } = await serverOf(t, (_, response) => json(response))
  const ended = new AbortController()
  const { signal } = ended
  const client = createClient({ url, key: KEY, retries: 0 })
  for (let n = 0; n < 100; n++) await client.getCredits({}, { signal })
  t.is(getEventListeners(signal, 'abort').length, 0)
  const requested = Promise.allSettled([1, 2, 3].map(() => client.getCredits({}, { signal })))
  t.is(getEventListeners(signal, 'abort').length, 3)
  ended.abort(new Error('enough'))
  for (const { status } of await requested) t.is(status, 'rejected')
  t.is(getEventListeners(signal, 'abort').length, 0)
  await t.throwsAsync(client.getCredits({}, { signal }), { message: 'enough' })
})

test('values of answers are accepted as parameters', async (t) => {
  const { api, db, key } = under()
  const swaps = [1, 2, 3].map((n) =>
    sampleSwap({ isBuy: true, slot: 1_000 + n, signature: signatureOf(n) }),
  )
  await insertSwaps(db, swaps)
  const client = createClient({ url: api.url, key })
  const [, middle] = (await client.listSwaps({ order: 'asc' })).data as [Swap, Swap]
  const { slot, timestamp, dex, is_buy, token_address, pair_address, user } = middle
  const window = { start_slot: slot, end_slot: slot, from: timestamp, to: timestamp }
  const narrow = {
    ...window,
    dex: BigInt(dex),
    is_buy,
    token_address,
    pair_address,
    user,
    limit: 5n,
  }
  const { data } = await client.listSwapsInRange(narrow)
  t.deepEqual(data, [middle])
  const [pair] = (await client.listPairs({ token_address })).data as { protocol: string }[]
  const { protocol } = pair ?? { protocol: '' }
  t.is((await client.listSwaps({ dex: protocol })).data.length, 3)
  t.is((await client.listSwaps({ min_sol: '0.000000001' })).data.length, 3)
  const { stats } = await client.getTokensStats({ mints: [token_address] })
  t.true(token_address in stats)
})

test('a batch writes bigints as the integers that they are', async (t) => {
  const { url, seen } = await serverOf(t, (_, response) => json(response, '{"positions":[]}'))
  const pairs = [{ wallet: 'w', mint: 9_007_199_254_740_993n, absent: undefined }]
  await createClient({ url }).getPositionsBatch({
    pairs,
  } as unknown as Parameters<'getPositionsBatch'>)
  t.is(seen[0]?.body, '{"pairs":[{"wallet":"w","mint":9007199254740993}]}')
})

test('a value that would change the path is refused', async (t) => {
  const { url, seen } = await serverOf(t, (_, response) => json(response))
  const client = createClient({ url, key: KEY })
  for (const signature of ['', '.', '..']) {
    t.is((await errorOf(t, () => client.getTransaction({ signature }))).code, 'INVALID_PARAM')
  }
  await client.getTransaction({ signature: '../a?b' })
  t.deepEqual(
    seen.map(({ path }) => path),
    ['/swaps/..%2Fa%3Fb'],
  )
})

test('a feed begins at the slot of an answer, with a filter of its values', async (t) => {
  const { pipeline, api, keyFor } = await feedApi(t)
  const { key } = await keyFor('pro')
  const swaps = [1, 2, 3].map((n) =>
    sampleSwap({ isBuy: true, slot: 1_000 + n, signature: signatureOf(n) }),
  )
  await insertSwaps(pipeline.db, swaps)
  const client = createClient({ url: api.url, key })
  const { data } = await client.listSwaps({ order: 'asc' })
  const { slot = 0n, dex = 0, token_address = '', user = '' } = data[1] ?? {}
  t.is(slot, 1_002n)
  const filter = { venues: [BigInt(dex)], tokens: [token_address], wallets: [user] }
  const feed = client.feed({ channel: 'swaps', from: { slot }, filter })
  for (const expected of [1_002n, 1_003n]) t.is((await feed.next()).value?.slot, expected)
  await feed.return?.()
})

test('the feed throws at once where the address is not of the API', async (t) => {
  const page = await serverOf(t, (_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<title>Welcome</title>'),
  )
  const feed = createClient({ url: page.url, key: KEY }).feed({ channel: 'swaps' })
  t.is((await errorOf(t, () => feed.next())).code, 'INVALID_ANSWER')
  const moved = await serverOf(t, ({ url }, response) =>
    response.writeHead(308, { Location: `${page.url}${url}` }).end(),
  )
  const away = createClient({ url: moved.url, key: KEY }).feed({ channel: 'swaps' })
  t.is((await errorOf(t, () => away.next())).code, 'REDIRECTED')
})

test('a WebSocket that the platform refuses is a typed error without the key', async (t) => {
  const refuse = class {
    constructor(url: string) {
      throw new SyntaxError(`The URL '${url}' is invalid.`)
    }
  } as unknown as typeof WebSocket
  const client = createClient({ url: 'http://127.0.0.1:1', key: KEY, WebSocket: refuse })
  const error = await errorOf(t, () => client.feed({ channel: 'swaps' }).next())
  t.is(error.code, 'NO_WEBSOCKET')
})
