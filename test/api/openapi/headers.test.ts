// Answers have exactly the documented headers: of the limit, of cached answers, of errors.

import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { TIER_LIMITS } from '../../../api/gateway/limits/tier.ts'
import { apiForFile, LONG_LIMIT } from '../../support/api/api-under-test.ts'
import { trader } from '../../support/market/sample-swap.ts'

type Response = { headers?: Record<string, { $ref: string }> }
type Operation = { responses: Record<string, Response> }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { headers: Record<string, object> }
}

const under = apiForFile(LONG_LIMIT)
const LIMIT = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]
/** Headers that are documented for every answer with them; only a rotated key has the last one. */
const REPORTED = [...LIMIT, 'X-Cache', 'ETag', 'Retry-After', 'X-API-Key-Expires']

async function documentOf(): Promise<Document> {
  return (await under().call('/openapi.json')).body as unknown as Document
}

function documented(document: Document, path: string, method: string, status: number): string[] {
  const { headers = {} } = document.paths[path]?.[method]?.responses[status] ?? {}
  for (const [name, { $ref }] of Object.entries(headers)) {
    if ($ref !== `#/components/headers/${name}` || !(name in document.components.headers)) {
      throw new Error(`${path} ${status}: ${name} is ${$ref}`)
    }
  }
  return REPORTED.filter((name) => name in headers && name !== 'X-API-Key-Expires')
}

type Requested = { path: string; given: string; init?: RequestInit; status: number }

async function expectHeaders(t: ExecutionContext, { path, given, init = {}, status }: Requested) {
  const { api, key } = under()
  const headers = { 'X-API-Key': key, ...(init.headers as Record<string, string>) }
  const answer = await fetch(api.url + given, { ...init, headers })
  await answer.arrayBuffer()
  const shown = `${given} ${answer.status}`
  t.is(answer.status, status, shown)
  const method = (init.method ?? 'GET').toLowerCase()
  const sent = REPORTED.filter((name) => answer.headers.has(name))
  t.deepEqual(sent, documented(await documentOf(), path, method, status), shown)
  return answer
}

test('answers of every kind have the headers that the document gives them', async (t) => {
  const stats = { path: '/wallets/{w}/stats', given: `/wallets/${trader(1)}/stats` }
  const stored = await expectHeaders(t, { ...stats, status: 200 })
  t.true(stored.headers.has('RateLimit') && stored.headers.has('ETag'))
  const known = { headers: { 'If-None-Match': stored.headers.get('ETag') ?? '' } }
  const unchanged = await expectHeaders(t, { ...stats, init: known, status: 304 })
  t.true(unchanged.headers.has('RateLimit') && unchanged.headers.has('X-Cache'))
  await expectHeaders(t, { ...stats, given: `${stats.given}?window=x`, status: 400 })
  await expectHeaders(t, { path: '/swaps', given: '/swaps', status: 200 })
  await expectHeaders(t, { path: '/swaps', given: '/swaps?limit=x', status: 400 })
  const unknown = { path: '/stats/token/{mint}', given: `/stats/token/${trader(1)}` }
  await expectHeaders(t, { ...unknown, status: 404 })
  const nobody = { headers: { 'X-API-Key': 'nobody' } }
  await expectHeaders(t, { path: '/swaps', given: '/swaps', init: nobody, status: 401 })
  await expectHeaders(t, { path: '/healthz', given: '/healthz', status: 200 })
})

test('answers of /graphql have the documented headers', async (t) => {
  const path = '/graphql'
  const post = (body: string) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
  const answer = await expectHeaders(t, { path, given: `${path}?query={__typename}`, status: 200 })
  t.true(answer.headers.has('RateLimit'))
  const query = '{"query":"{ __typename }"}'
  await expectHeaders(t, { path, given: path, init: post(query), status: 200 })
  await expectHeaders(t, { path, given: path, init: post('{}'), status: 400 })
  const large = await fetch(under().api.url + path, post(' '.repeat(65 * 1024)))
  t.is(large.status, 400, 'refused before its key was asked for')
  await large.arrayBuffer()
})

test('beyond the cap both report when to retry, and enterprise reports no cap', async (t) => {
  const { db, api } = under()
  const make = async (tier: 'free' | 'enterprise') =>
    (await createKey(db, { tier, environment: 'test', account: tier, by: 'test' })).key
  const [spent, endless] = [await make('free'), await make('enterprise')]
  const request = async (key: string, path: string) => {
    const answer = await fetch(api.url + path, { headers: { 'X-API-Key': key } })
    await answer.arrayBuffer()
    return answer
  }
  for (let left = TIER_LIMITS.free.windowRequests!; left > 0; left -= 40) {
    await Promise.all(Array.from({ length: Math.min(40, left) }, () => request(spent, '/no/route')))
  }
  for (const [path, given] of [
    ['/swaps', '/swaps'],
    ['/graphql', '/graphql?query={__typename}'],
  ] as const) {
    const init = { headers: { 'X-API-Key': spent } }
    const answer = await expectHeaders(t, { path, given, init, status: 429 })
    t.true(answer.headers.has('Retry-After'))
    const free = await request(endless, given)
    t.deepEqual(
      LIMIT.filter((name) => free.headers.has(name)),
      [],
    )
  }
})
