// Metrics of the API: by route patterns only, for operators only, with any server away.

import test from 'ava'
import { Registry } from 'prom-client'
import { startApi } from '../../../api/main.ts'
import { openOperations } from '../../../deploy/operations/operations.ts'
import { openJobQueue } from '../../../streams/jobs/bullmq.ts'
import { apiForFile, apiUnderTest, LONG_LIMIT } from '../../support/api/api-under-test.ts'
import { sampleOf } from '../../support/api/metric-value.ts'
import { signatureOf, trader } from '../../support/market/sample-swap.ts'
import { testPrefix } from '../../support/servers/database.ts'
import { testServers } from '../../support/servers/servers.ts'
import { LANE_COUNT, openPipeline } from '../../support/workers/pipeline.ts'

const ADMIN_KEY = 'a-long-key-of-the-operators'
const NOWHERE = 'redis://127.0.0.1:1'
const under = apiForFile({ adminKey: ADMIN_KEY })

const scrape = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/metrics`, { headers })
const scraped = async (url: string): Promise<string> =>
  (await scrape(url, { Authorization: `Bearer ${ADMIN_KEY}` })).text()

const LAST_LANE = String(LANE_COUNT - 1)

test('/metrics is for operators, in the form of Prometheus', async (t) => {
  const { api, key } = under()
  for (const headers of [{}, { 'X-API-Key': key }, { Authorization: `Bearer ${key}` }]) {
    t.is((await scrape(api.url, headers)).status, 401)
  }
  const answer = await scrape(api.url, { Authorization: `Bearer ${ADMIN_KEY}` })
  t.is(answer.status, 200)
  t.regex(answer.headers.get('Content-Type') ?? '', /^text\/plain; .*version=0\.0\.4/)
  t.regex(await answer.text(), /^# TYPE swaptide_http_request_duration_seconds histogram$/m)
})

test('counts requests by the pattern of their route, never by the text of a client', async (t) => {
  const { get, call, api } = under()
  await get(`/swaps/${signatureOf(7)}`)
  await get(`/wallets/${trader(3)}/stats`)
  await get('/made/up/by/a/client')
  await call('/swaps', {}, 'PURGE')
  const text = await scraped(api.url)
  const count = 'swaptide_http_request_duration_seconds_count'
  t.is(sampleOf(text, count, { method: 'GET', route: '/swaps/{signature}', status: '404' }), 1)
  t.is(sampleOf(text, count, { route: '/wallets/{w}/stats', status: '200' }), 1)
  t.is(sampleOf(text, count, { method: 'GET', route: 'none', status: '404' }), 1)
  t.is(sampleOf(text, count, { method: 'other', route: 'none', status: '405' }), 1)
  t.false(text.includes('made'))
  t.false(text.includes(signatureOf(7)))
})

test('counts cached answers as hits and misses, requests as admitted and refused', async (t) => {
  const { get, api } = await apiUnderTest(t, { ...LONG_LIMIT, adminKey: ADMIN_KEY })
  // The document, which every test reads first, is a cached response too.
  const before = await scraped(api.url)
  for (let requested = 0; requested < 3; requested++) await get('/api/v1/protocols')
  const text = await scraped(api.url)
  const counted = (outcome: string): number => {
    const [now = 0, then = 0] = [text, before].map((each) =>
      sampleOf(each, 'swaptide_cache_answers_total', { outcome }),
    )
    return now - then
  }
  t.is(counted('miss'), 1)
  t.is(counted('hit'), 2)
  t.is(sampleOf(text, 'swaptide_limiter_verdicts_total', { verdict: 'admitted' }), 3)
  t.is(sampleOf(text, 'swaptide_limiter_verdicts_total', { verdict: 'refused' }), 0)
  t.is(sampleOf(text, 'swaptide_limiter_degraded'), 0)
  // The tier's cap and a little more, by a hundred at once.
  const statuses: number[] = []
  while (statuses.length < 1_300 && !statuses.includes(429)) {
    const pending = Array.from({ length: 100 }, () => get('/credits'))
    statuses.push(...(await Promise.all(pending)).map(({ status }) => status))
  }
  const refused = statuses.filter((status) => status === 429).length
  t.true(refused > 0)
  const after = await scraped(api.url)
  t.is(sampleOf(after, 'swaptide_limiter_verdicts_total', { verdict: 'refused' }), refused)
})

test('a limiter without Redis reports it', async (t) => {
  const { get, api } = await apiUnderTest(t, { adminKey: ADMIN_KEY, redisUrl: NOWHERE })
  t.is((await get('/credits')).status, 200)
  t.is(sampleOf(await scraped(api.url), 'swaptide_limiter_degraded'), 1)
})

test('leaves an unavailable source out of a scrape, counts it, and reports the rest', async (t) => {
  const { databaseUrl, jetStream, topology, recording } = await openPipeline(t)
  const { log } = recording
  const jobs = openJobQueue({ redisUrl: NOWHERE, prefix: testPrefix(), log })
  t.teardown(() => jobs.close())
  const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
  t.teardown(() => operations.close())
  const metrics = new Registry()
  const { redisUrl } = testServers()
  const stores = { databaseUrl, redisUrl, prefix: testPrefix(), operations, metrics }
  const api = await startApi({ ...stores, port: 0, log, deadlineMs: 60_000 })
  t.teardown(() => api.stop())
  const text = await metrics.metrics()
  t.is(sampleOf(text, 'swaptide_scrape_failures_total', { source: 'lanes' }), 0)
  t.is(sampleOf(text, 'swaptide_lane_lag_messages', { actor: 'pool', lane: LAST_LANE }), 0)
  t.is(sampleOf(text, 'swaptide_lane_owned', { actor: 'pool', lane: LAST_LANE }), 0)
  t.is(sampleOf(text, 'swaptide_dead_letters_waiting'), 0)
  t.is(sampleOf(text, 'swaptide_queue_jobs', { queue: 'screener' }), undefined)
  const after = await metrics.metrics()
  t.true((sampleOf(after, 'swaptide_scrape_failures_total', { source: 'queues' }) ?? 0) >= 1)
  t.is((await fetch(`${api.url}/metrics`)).status, 401, 'without an operator nobody reads it here')
})
