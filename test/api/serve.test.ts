// The two ways to a route, straight and by Koa's router, which takes what has a slash too many: what they answer.

import test from 'ava'
import { apiForFile } from './api-under-test.ts'
import { insertSwaps } from './insert-swaps.ts'
import { mint, sampleSwap, signatureOf } from './sample-swap.ts'

const under = apiForFile()

test.serial.before(async () => {
  const swaps = Array.from({ length: 40 }, (_, n) => sampleSwap({ signature: signatureOf(n) }))
  await insertSwaps(under().db, swaps)
})

const byRouter = (path: string): string => {
  const [before, query] = path.split('?')
  return query === undefined ? `${before}/` : `${before}/?${query}`
}
/** Of each request another, or of when it came. */
const OWN = new Set(['date', 'x-request-id', 'x-cache', 'ratelimit', 'keep-alive'])
const shownOf = (headers: Headers) =>
  [...headers].map(([name, value]) =>
    OWN.has(name) || name.startsWith('x-ratelimit-') || name === 'cache-control'
      ? name
      : `${name}: ${value}`,
  )

for (const [what, path, status] of [
  ['a list', '/swaps?limit=2', 200],
  ['a list that is compressed', '/swaps?limit=40', 200],
  ['a route with a parameter in its path', `/swaps/${signatureOf(3)}`, 200],
  ['what is not found', `/swaps/${signatureOf(99)}`, 404],
  ['a refused parameter', '/swaps?limit=x', 400],
  ['a refused path', '/swaps/token/none', 400],
  ['an answer that is kept', '/screener?limit=2', 200],
  ['a route that needs no key', '/healthz', 200],
] as const) {
  test(`${what} is answered the same by both ways`, async (t) => {
    const { get } = under()
    const straight = await get(path)
    const routed = await get(byRouter(path))
    t.is(straight.status, status)
    t.is(routed.status, status)
    const timeless = (text: string) => text.replace(/"request_id":"[^"]*"/, '')
    t.is(timeless(straight.text), timeless(routed.text))
    t.deepEqual(shownOf(straight.headers), shownOf(routed.headers))
    t.truthy(straight.headers.get('access-control-allow-origin'))
  })
}

test('who has no key, or a wrong one, is refused the same by both ways', async (t) => {
  const { ask } = under()
  for (const headers of [{}, { 'X-API-Key': 'ohlcv_test_sk_none' }]) {
    const straight = await ask(`/tokens/${mint(1)}/risk`, headers)
    const routed = await ask(`/tokens/${mint(1)}/risk/`, headers)
    t.is(straight.status, 401)
    t.is(straight.text, routed.text)
    t.deepEqual(shownOf(straight.headers), shownOf(routed.headers))
  }
})

test('who has an answer already is told so the same by both ways', async (t) => {
  const { get } = under()
  const path = '/screener?limit=3'
  const etag = (await get(path)).headers.get('etag') ?? ''
  const known = { 'If-None-Match': etag }
  const straight = await get(path, known)
  const routed = await get(byRouter(path), known)
  t.is(straight.status, 304)
  t.is(routed.status, 304)
  t.deepEqual(shownOf(straight.headers), shownOf(routed.headers))
})

test.serial('a request counts once, whichever way it goes', async (t) => {
  const { get } = under()
  const left = async (path: string) =>
    Number((await get(path)).headers.get('x-ratelimit-remaining'))
  const before = await left('/credits')
  t.is(await left('/credits'), before - 1)
  t.is(await left('/credits/'), before - 2)
  t.is(await left('/swaps?limit=x'), before - 3)
})
