// A Redis whose every answer comes 500 ms late, from its first connection on: requests are answered without
// it, the limiter enforces its cap by itself, charts are stored without jobs, and the ledgers are unaffected.

import test from 'ava'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { TIER_LIMITS } from '../../api/gateway/limits/tier.ts'
import type { Event } from '../../domain/events/event.ts'
import { openJobQueue } from '../../streams/jobs/bullmq.ts'
import { JOB_FUNCTIONS } from '../../workers/jobs/functions.ts'
import { type ApiUnderTest, apiUnderTest } from '../support/api/api-under-test.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'
import { testRedis } from '../support/servers/redis.ts'
import { type SlowRedis, slowRedis } from '../support/servers/slow-redis.ts'
import { openJobBench } from '../support/workers/jobs.ts'
import { assertLedger, untilLedgerCaughtUp } from '../support/workers/ledger.ts'
import { openPipeline, publishAll, until } from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { smallMarket } from '../support/workers/small-market.ts'

const DELAY_MS = 500
const DAY_MS = 86_400_000
const FIRST_MS = Date.UTC(2026, 6, 1)
const BOUND_MS = 60_000
/** Time for a loaded machine; the bound under test is Redis's, not this. */
const DEADLINE_MS = 30_000

type Parameter = { name: string; in: string; example?: unknown }
type Document = { paths: Record<string, { get?: { parameters: Parameter[] } }> }

async function slowRedisOf(t: Parameters<typeof apiUnderTest>[0]): Promise<SlowRedis> {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const slow = await slowRedis(t, own.redisUrl)
  slow.delayMs = DELAY_MS
  return slow
}

/** Swaps of a wallet on three days, the last of them not closed yet. */
const HISTORY = [0, 1, 2].map((day) =>
  sampleSwap({
    user: trader(1),
    signature: signatureOf(day),
    slot: 1_000 + day,
    timestamp: FIRST_MS + day * DAY_MS + 1_000,
  }),
)
const nowMs = (): number => FIRST_MS + 2.5 * DAY_MS

/** The first request of each documented route, with the examples of its parameters. */
async function examplePaths(under: ApiUnderTest): Promise<string[]> {
  const { paths } = (await under.call('/openapi.json')).body as unknown as Document
  return Object.entries(paths).flatMap(([template, { get }]) => {
    if (get === undefined || template.startsWith('/admin')) return []
    let path = template
    const query = new URLSearchParams()
    for (const { name, in: location, example } of get.parameters) {
      if (location === 'path') path = path.replace(`{${name}}`, String(example))
      else if (example !== undefined) query.set(name, String(example))
    }
    return [`${path}?${query}`]
  })
}

test('every route answers without a 5xx, and charts of closed days are stored by the request', async (t) => {
  const slow = await slowRedisOf(t)
  const bench = openJobBench(t, slow.redisUrl)
  const jobs = openJobQueue({ ...bench, log: bench.recording.log })
  t.teardown(() => jobs.close())
  const { redisUrl } = slow
  const under = await apiUnderTest(t, {
    redisUrl,
    jobs,
    now: nowMs,
    deadlineMs: DEADLINE_MS,
    directRowsMax: 0,
    screenedPoolsMax: 0,
  })
  await insertSwaps(under.db, HISTORY, { hasPrices: true })
  await insertLedger(under.db, [])
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(under.db, wanted)
  for (const path of await examplePaths(under)) {
    const { status, text } = await under.call(path, { 'X-API-Key': key })
    t.true(status < 500, `${status} ${path}: ${text}`)
  }
  const chart = await under.get(`/wallets/${trader(1)}/chart`)
  t.is(chart.status, 200, chart.text)
  const { series } = chart.body as unknown as { series: { provisional: boolean }[] }
  t.deepEqual(
    series.map(({ provisional }) => provisional),
    [false, false],
  )
  const { rowCount } = await under.db.query('select from chart_day')
  t.is(rowCount, 2)
  t.is((await under.get('/v2/pnl/leaderboard/top?period=7d')).status, 200)
  t.is((await under.get('/screener?window=24h')).status, 200)
  t.true(slow.heldBack > 0, 'or Redis was not asked at all')
  t.false(under.lines.some((line) => line.includes('request failed')))
})

test('the limiter enforces the cap by itself', async (t) => {
  const { redisUrl } = await slowRedisOf(t)
  const under = await apiUnderTest(t, { redisUrl })
  const cap = TIER_LIMITS.free.windowRequests!
  const statuses: number[] = []
  const beganAt = performance.now()
  while (statuses.length < cap + 40) {
    // No route: it costs only the admission.
    const requested = Array.from({ length: 40 }, () => under.get('/no/such/route'))
    for (const { status } of await Promise.all(requested)) statuses.push(status)
  }
  const windows = Math.ceil((performance.now() - beganAt) / 60_000)
  const admitted = statuses.filter((status) => status === 404).length
  t.is(statuses.filter((status) => status === 429).length, statuses.length - admitted)
  t.true(admitted >= cap && admitted <= cap * windows, `${admitted} in ${windows} windows`)
})

test('folds ledgers without delay, and runs jobs late', async (t) => {
  const slow = await slowRedisOf(t)
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  const bench = openJobBench(t, slow.redisUrl)
  let runs = 0
  bench.work({
    databaseUrl: pipeline.databaseUrl,
    functions: {
      async 'wallet-tags'(...given) {
        runs += 1
        await JOB_FUNCTIONS['wallet-tags']?.(...given)
      },
    },
  })
  const market: Event[] = smallMarket(77, 1_000)
  await publishAll(pipeline, market)
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await assertLedger(t, pipeline)
  await until('a scheduled job ran', BOUND_MS, () => runs > 0)
  t.true(slow.heldBack > 0)
})
