// The job of a chart: shared by API processes, awaited up to the deadline, taken over when its process is killed; the
// route's answers while jobs fail, and that it works without them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startApi } from '../../../../api/main.ts'
import { chartRoutes } from '../../../../api/resources/chart/routes.ts'
import { CoverageGaps } from '../../../../api/resources/coverage/gaps.ts'
import { ANY_CALLER } from '../../../../api/routing/caller.ts'
import { createReader, type Reader } from '../../../../api/routing/reading/reader.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { dateOf, dayStartMs } from '../../../../domain/time/utc-day.ts'
import { backfillChart } from '../../../../workers/jobs/chart-backfill.ts'
import type { JobFunctions } from '../../../../workers/jobs/job-function.ts'
import { buy } from '../../../domain/ledger/histories.ts'
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
} from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { ownStack } from '../../../support/servers/servers.ts'
import { type JobBench, openJobBench } from '../../../support/workers/jobs.ts'
import { until } from '../../../support/workers/pipeline.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 7, 1)
const NOW_MS = START_MS + 10.5 * DAY_MS
const BOUND_MS = 60_000
const WALLET = trader(1)
const PROGRAM = join(import.meta.dirname, '../../../support/programs/jobs-program.ts')

/** Bought 1 token a day at 1, 2, ... 10 SOL: day n has the value n * n. */
const SWAPS = Array.from({ length: 10 }, (_, day) =>
  buy(1, 1_000_000, (day + 1) * 1_000_000_000, {
    timestamp: START_MS + (day + 0.5) * DAY_MS,
    slot: 1_000 + day,
    signature: signatureOf(day),
    pairAddress: pair(0),
    tokenAddress: mint(0),
    quoteDecimals: 6,
    user: WALLET,
  }),
)
const VALUES = SWAPS.map((_, day) => (day + 1) ** 2)

/** An API that requests jobs of the bench, over a separate database with the swaps above. */
async function apiOf(
  t: ExecutionContext,
  bench: JobBench,
  options: { deadlineMs?: number } = {},
): Promise<ApiUnderTest> {
  const under = await apiUnderTest(t, { jobs: bench.queue(), now: () => NOW_MS, ...options })
  await insertSwaps(under.db, SWAPS, { hasPrices: true })
  await insertLedger(under.db, [])
  return under
}

const chartOf = (under: ApiUnderTest, wallet = WALLET): Promise<Answer> =>
  under.get(`/wallets/${wallet}/chart`)

type Series = { day: string; value_sol: number }[]

function expectValues(t: ExecutionContext, { status, body, text }: Answer): void {
  t.is(status, 200, text)
  const { series } = body as unknown as { series: Series }
  t.deepEqual(
    series.map(({ day, value_sol }) => [day, value_sol]),
    VALUES.map((value, day) => [dateOf(START_MS + day * DAY_MS), value]),
  )
}

/** A backfill that counts its runs, and first runs a callback of the test. */
function counted(before: () => Promise<void> = async () => {}) {
  const count = { runs: 0 }
  const functions: JobFunctions = {
    async 'chart-backfill'(payload, deps) {
      count.runs += 1
      await before()
      await backfillChart(payload, deps)
    },
  }
  return { count, functions }
}

test('requests to two API processes at once share one job', async (t) => {
  const bench = openJobBench(t)
  const first = await apiOf(t, bench, { deadlineMs: BOUND_MS })
  const second = await startApi({
    databaseUrl: first.databaseUrl,
    port: 0,
    log: bench.recording.log,
    jobs: bench.queue(),
    now: () => NOW_MS,
    deadlineMs: BOUND_MS,
  })
  t.teardown(() => second.stop())
  const path = `/wallets/${WALLET}/chart`
  const requestSecond = async (): Promise<number> =>
    (await fetch(second.url + path, { headers: { 'X-API-Key': first.key } })).status
  const latch = Promise.withResolvers<void>()
  const { count, functions } = counted(() => latch.promise)
  const requested = Array.from({ length: 4 }, () => chartOf(first))
  const requestedSecond = Array.from({ length: 4 }, requestSecond)
  for (const _ of [1, 2]) bench.work({ databaseUrl: first.databaseUrl, functions })
  // Before they are stopped: a test that failed would wait for its job otherwise.
  t.teardown(latch.resolve)
  await until('a job runs', BOUND_MS, () => count.runs > 0)
  requested.push(chartOf(first))
  const others = requested.length + requestedSecond.length - 1
  await until('all others were told of that job', BOUND_MS, async () => {
    const events = await bench.redis.xrange(
      `${bench.prefix}swaptide:chart-backfill:events`,
      '-',
      '+',
    )
    return events.filter(([, fields]) => fields.includes('deduplicated')).length === others
  })
  latch.resolve()
  for (const answer of await Promise.all(requested)) expectValues(t, answer)
  t.deepEqual(await Promise.all(requestedSecond), [200, 200, 200, 200])
  t.is(count.runs, 1)
  expectValues(t, await chartOf(first))
  t.is(count.runs, 1, 'what is stored is not asked for')
})

test('answers 504 for days that are not stored in time, without gaps, and later returns them', async (t) => {
  const bench = openJobBench(t)
  const under = await apiOf(t, bench, { deadlineMs: 3_000 })
  const late = await chartOf(under)
  t.is(late.status, 504, late.text)
  t.like(late.body.error as object, { code: 'GATEWAY_TIMEOUT' })
  const { count, functions } = counted()
  bench.work({ databaseUrl: under.databaseUrl, functions })
  // No request meanwhile: one just after the end of a job would request another.
  await until('the days are stored', BOUND_MS, async () => {
    const { rowCount } = await under.db.query('select from chart_day')
    return (rowCount ?? 0) > 0
  })
  await until('the job is over', BOUND_MS, async () => {
    const depth = (await bench.queue().depths()).find(({ name }) => name === 'chart-backfill')
    return depth?.active === 0
  })
  expectValues(t, await chartOf(under))
  t.is(count.runs, 1, 'the job that nobody waited for any more')
})

test('retries a failing job, then the route answers 503 and the reason is stored', async (t) => {
  const bench = openJobBench(t)
  const under = await apiOf(t, bench, { deadlineMs: BOUND_MS })
  const broken = async (): Promise<void> => {
    if (count.runs <= 5) throw new Error('the disk is full')
  }
  const { count, functions } = counted(broken)
  bench.work({ databaseUrl: under.databaseUrl, functions })
  const failed = await chartOf(under)
  t.is(failed.status, 503, failed.text)
  t.like(failed.body.error as object, { code: 'UNAVAILABLE' })
  t.false(failed.text.includes('disk'))
  t.is(count.runs, 5)
  const depth = (await bench.queue().depths()).find(({ name }) => name === 'chart-backfill')
  t.is(depth?.failed, 1)
  t.is(depth?.newest_failure?.reason, 'the disk is full')
  expectValues(t, await chartOf(under))
})

test('a request stores a day that a job with a lagging clock left out', async (t) => {
  const bench = openJobBench(t)
  // Here the clock is at tomorrow noon, with a swap of that time: today is closed.
  const todayMs = dayStartMs(Date.now())
  const nowMs = todayMs + 1.6 * DAY_MS
  const under = await apiUnderTest(t, {
    jobs: bench.queue(),
    now: () => nowMs,
    deadlineMs: BOUND_MS,
  })
  const days = [-1, 0, 1].map((day, n) => ({
    ...(SWAPS[n] as Swap),
    timestamp: todayMs + (day + 0.5) * DAY_MS,
  }))
  await insertSwaps(under.db, days, { hasPrices: true })
  await insertLedger(under.db, [])
  const { count, functions } = counted()
  bench.work({ databaseUrl: under.databaseUrl, functions })
  const { status, body, text } = await chartOf(under)
  t.is(status, 200, text)
  const { series, today } = body as unknown as { series: Series; today: Series[number] }
  t.deepEqual(
    [...series, today].map(({ day, value_sol }) => [day, value_sol]),
    [1, 4, 9].map((value, n) => [dateOf(todayMs + (n - 1) * DAY_MS), value]),
  )
  t.is(count.runs, 1)
})

test('a day that ends during its request still counts as today, and is not stored', async (t) => {
  const { db, databaseUrl } = await apiUnderTest(t)
  const [own, next] = SWAPS as [Swap, Swap]
  await insertSwaps(db, [own, { ...next, user: trader(2) }], { hasPrices: true })
  await insertLedger(db, [])
  const reader = createReader(databaseUrl, { deadlineMs: BOUND_MS })
  t.teardown(() => reader.end())
  // Midnight passes before anything is read.
  let nowMs = START_MS + DAY_MS - 1
  const late: Reader = {
    ...reader,
    run(signal, work) {
      nowMs = START_MS + DAY_MS
      return reader.run(signal, work)
    },
  }
  const [chart] = chartRoutes({ gaps: new CoverageGaps(), now: () => nowMs })
  const reading = { reader: late, signal: AbortSignal.timeout(BOUND_MS), caller: ANY_CALLER }
  const send = async () => {
    const answer = await chart?.respond(chart.parse({ w: WALLET }), reading)
    return JSON.parse(answer?.body ?? '{}')
  }
  const day = { day: dateOf(START_MS), value_sol: 1, value_usd: null }
  t.like(await send(), { series: [], today: { ...day, provisional: true } })
  t.is((await db.query('select from chart_day')).rowCount, 0)
  t.like(await send(), { series: [{ ...day, provisional: false }] })
})

test('without jobs a request stores the days that it returns, the same as a job', async (t) => {
  const under = await apiUnderTest(t, { now: () => NOW_MS })
  await insertSwaps(under.db, SWAPS, { hasPrices: true })
  await insertLedger(under.db, [])
  const answers = await Promise.all([1, 2, 3].map(() => chartOf(under)))
  for (const answer of answers) expectValues(t, answer)
  const stored = () => under.db.query('select day_ms, value_sol from chart_day order by day_ms')
  const { rows } = await stored()
  t.is(rows.length, 9, 'all but the day that is not closed')
  await backfillChart({ wallet: WALLET }, { db: under.db })
  t.deepEqual((await stored()).rows, rows)
  t.is((await chartOf(under, trader(2))).status, 200)
})

test('while Redis is away charts are stored and served all the same, and jobs go on after it', async (t) => {
  const stack = await ownStack(t)
  const bench = openJobBench(t, stack.redisUrl)
  const under = await apiOf(t, bench, { deadlineMs: BOUND_MS })
  const { count, functions } = counted()
  bench.work({ databaseUrl: under.databaseUrl, functions })
  const last = SWAPS.at(-1)!
  const others = [trader(2), trader(3)].map((user, n) => ({
    ...last,
    user,
    signature: signatureOf(90 + n),
    timestamp: START_MS,
  }))
  await insertSwaps(under.db, others, { hasPrices: true })
  await insertLedger(under.db, [])
  await stack.servers.redis.stop()
  expectValues(t, await chartOf(under))
  t.is((await chartOf(under, trader(2))).status, 200)
  t.is((await under.get('/swaps')).status, 200)
  t.is((await under.get(`/wallets/${WALLET}/stats`)).status, 200)
  t.is(count.runs, 0)
  await stack.servers.redis.start()
  const queue = bench.queue()
  await until('jobs are asked for again', BOUND_MS, () =>
    queue.depths().then(
      () => true,
      () => false,
    ),
  )
  await queue.requestAndWait('chart-backfill', { wallet: trader(3) }, AbortSignal.timeout(BOUND_MS))
  // A request meanwhile may have succeeded as well.
  t.true(count.runs > 0)
  t.is((await chartOf(under, trader(3))).status, 200)
})

test('another process completes the job of a killed one, with the same rows', async (t) => {
  const bench = openJobBench(t)
  const under = await apiOf(t, bench, { deadlineMs: BOUND_MS })
  const { redisUrl, prefix } = bench
  const { databaseUrl, db } = under
  const lockMs = 1_000
  const child = spawn(
    process.execPath,
    [PROGRAM, JSON.stringify({ databaseUrl, redisUrl, prefix, lockMs })],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  t.teardown(() => child.kill('SIGKILL'))
  // In the middle: it has computed the days and waits to store them.
  const lock = await db.connect()
  await lock.query('begin')
  await lock.query('lock table chart_day in share mode')
  const requested = chartOf(under)
  await until('the job stores', BOUND_MS, async () => {
    const { rowCount } = await db.query(
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and application_name like 'swaptide jobs/%'
         and datname = current_database()`,
    )
    return rowCount === 1
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  await lock.query('commit')
  lock.release()
  const { count, functions } = counted()
  // A loaded machine renews its lock in time.
  bench.work({ databaseUrl, functions, lockMs: 12_000 })
  expectValues(t, await requested)
  t.is(count.runs, 1)
})

for (const how of ['a job', 'the request']) {
  test(`${how} includes a swap that the ledger has yet to read, at any position`, async (t) => {
    const under = await apiUnderTest(t, { now: () => NOW_MS })
    const late = SWAPS.slice(0, 8).map((swap) => ({ ...swap, slot: swap.slot + 30_000 }))
    await insertSwaps(under.db, late, { hasPrices: true })
    await insertLedger(under.db, [])
    const more = { pairAddress: pair(5), tokenAddress: mint(5), signature: signatureOf(99) }
    const unread = { ...SWAPS[1]!, ...more, solAmount: 100_000_000_000 }
    await insertSwaps(under.db, [unread], { hasPrices: true })
    if (how === 'a job') await backfillChart({ wallet: WALLET }, { db: under.db })
    t.is((await chartOf(under)).status, 200)
    const { rows } = await under.db.query<{ value_sol: number }>(
      'select value_sol from chart_day order by day_ms',
    )
    t.deepEqual(
      rows.map(({ value_sol }) => value_sol),
      late.slice(0, rows.length).map((_, day) => (day + 1) ** 2 + (day > 0 ? 100 : 0)),
    )
    t.true(rows.length >= 6)
  })
}

test('days begin with the first trade by time, not by slot', async (t) => {
  const under = await apiUnderTest(t, { now: () => NOW_MS })
  const [first, second] = SWAPS as [Swap, Swap]
  const atMidnight = START_MS + DAY_MS
  const swaps = [
    { ...first, slot: 1_000, timestamp: atMidnight + 2_000 },
    { ...second, slot: 1_001, timestamp: atMidnight - 1_000 },
    { ...SWAPS[8]!, user: trader(2) },
  ]
  await insertSwaps(under.db, swaps, { hasPrices: true })
  await insertLedger(under.db, [])
  const { series } = (await chartOf(under)).body as unknown as { series: Series }
  t.is(series[0]?.day, dateOf(START_MS))
})
