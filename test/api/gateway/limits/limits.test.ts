// Limits as a client sees them: headers, 429, which requests count, /credits. Two processes of the API over one Redis.

import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../../api/main.ts'
import type { Tier } from '../../../../api/routing/caller.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  LONG_LIMIT,
  PATIENT,
  SILENT,
} from '../../../support/api/api-under-test.ts'
import { type TestRedis, testRedis } from '../../../support/servers/redis.ts'

const BOUND_MS = 60_000
const ANSWER_MS = 60_000

let own: TestRedis
let one: ApiUnderTest
let otherUrl: string
const ends: (() => unknown)[] = []
test.before(async () => {
  own = await testRedis()
  const given = {
    ...LONG_LIMIT,
    ...{ redisUrl: own.redisUrl, redisAnswerMs: ANSWER_MS, ...PATIENT },
  }
  one = await apiUnderTest({ teardown: (end) => ends.push(end) }, given)
  const { databaseUrl } = one
  const other = await startApi({ databaseUrl, port: 0, log: SILENT, ...given })
  ends.unshift(() => other.stop())
  otherUrl = other.url
})
test.after.always(async () => {
  for (const end of ends) await end()
  await own.drop()
})

async function newKey(tier: Tier): Promise<{ id: number; key: string }> {
  return createKey(one.db, { tier, environment: 'test', account: 'test', by: 'test' })
}

function call(key: string, path = '/credits'): Promise<Answer> {
  return one.call(path, { 'X-API-Key': key })
}

const remainingOf = ({ headers }: Answer): string | null => headers.get('X-RateLimit-Remaining')

test('every answer to a key reports the cap, the remainder and the reset', async (t) => {
  const { key } = await newKey('developer')
  const first = await call(key, '/swaps?limit=1')
  t.is(first.headers.get('RateLimit-Policy'), '"tier-60s";q=6000;w=60')
  t.regex(first.headers.get('RateLimit') ?? '', /^"tier-60s";r=5999;t=60$/)
  t.is(first.headers.get('X-RateLimit-Limit'), '6000')
  t.is(remainingOf(first), '5999')
  // No more than the window, whose quantum of 10 ms ends after it.
  t.is(first.headers.get('X-RateLimit-Reset'), '60')
  const refused = await call(key, '/swaps?limit=0')
  t.is(refused.status, 400)
  t.is(remainingOf(refused), '5998')
  const unknown = await call(key, '/no/such/route')
  t.is(unknown.status, 404)
  t.is(remainingOf(unknown), '5997')
})

test('sums requests over two processes, and /credits returns the same numbers', async (t) => {
  const { key } = await newKey('pro')
  for (const url of [one.api.url, otherUrl]) {
    await fetch(`${url}/swaps`, { headers: { 'X-API-Key': key } })
  }
  const { body, headers } = await call(key)
  t.like(body, {
    tier: 'pro',
    rps_cap: 500,
    rps_window_secs: 60,
    current_window_used: 3,
    current_window_remaining: 29_997,
    tier_features: { smart_money_access: true, whales_access: true },
  })
  t.is(headers.get('X-RateLimit-Remaining'), '29997')
  t.is(headers.get('X-RateLimit-Reset'), String(body.current_window_reset_secs))
})

test('admits exactly the cap from both processes, then answers 429, which does not count', async (t) => {
  const { key } = await newKey('free')
  const statuses = new Map<number, number>()
  const burst = async (url: string): Promise<void> => {
    for (let each = 0; each < 65; each++) {
      const requested = Array.from({ length: 10 }, async () => {
        const response = await fetch(`${url}/swaps/none`, { headers: { 'X-API-Key': key } })
        await response.arrayBuffer()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      })
      await Promise.all(requested)
    }
  }
  await Promise.all([burst(one.api.url), burst(otherUrl)])
  // A malformed signature is 400 and counts.
  t.deepEqual(Object.fromEntries(statuses), { 400: 1_200, 429: 100 })
  const { status, headers, body } = await call(key, '/swaps')
  t.is(status, 429)
  t.like(body, { success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } })
  t.is(headers.get('RateLimit-Policy'), '"tier-60s";q=1200;w=60')
  t.is(headers.get('X-RateLimit-Remaining'), '0')
  const retry = Number(headers.get('Retry-After'))
  t.true(retry >= 1 && retry <= 60)
  t.is(headers.get('X-RateLimit-Reset'), String(retry))
})

test('a request that is refused for its key does not count', async (t) => {
  const { key } = await newKey('free')
  const other = await newKey('free')
  await one.call('/swaps', { 'X-API-Key': key, Authorization: `Bearer ${other.key}` })
  t.is(remainingOf(await call(key)), '1199')
  t.is(remainingOf(await call(other.key)), '1199')
})

test('enterprise has no cap and no headers of one; /credits returns null', async (t) => {
  const { key } = await newKey('enterprise')
  const { body, headers } = await call(key)
  t.is(headers.get('RateLimit'), null)
  t.is(headers.get('X-RateLimit-Limit'), null)
  t.like(body, { tier: 'enterprise', rps_cap: null, current_window_remaining: null })
})

test('free opens neither smart money nor whales', async (t) => {
  const { body } = await call((await newKey('free')).key)
  t.deepEqual(body.tier_features, { smart_money_access: false, whales_access: false })
})

test('sums the usage of a month over processes, without refused requests', async (t) => {
  const { key } = await newKey('free')
  for (const url of [one.api.url, otherUrl]) {
    for (let each = 0; each < 3; each++) {
      await fetch(`${url}/swaps`, { headers: { 'X-API-Key': key } })
    }
  }
  let requested = 6
  const isSummed = async (): Promise<boolean> => {
    requested += 1
    return (await call(key)).body.monthly_used === requested
  }
  // Far apart: a key of this tier may send twenty requests a second.
  t.true(await holdsWithin(BOUND_MS, isSummed, 200))
})

test('counts the request to /credits itself, in the window and in the month', async (t) => {
  const { key } = await newKey('developer')
  const reported: unknown[] = []
  const counted = Array.from({ length: 30 }, (_, index) => [index + 1, index + 1])
  for (const _ of counted) {
    const { body } = await call(key)
    reported.push([body.current_window_used, body.monthly_used])
  }
  t.deepEqual(reported, counted)
})
