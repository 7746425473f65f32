// /v2/pnl/wallets/{wallet}/performance: a hand-computed history in three modes, with a real job that stores the chart's
// days; ranges, refusals, and the answer when days are not stored in time.

import test from 'ava'
import { pnlRoutes } from '../../../../api/resources/pnl/routes.ts'
import type { PerformanceAnswer } from '../../../../api/resources/pnl/schema.ts'
import { ANY_CALLER } from '../../../../api/routing/caller.ts'
import { createReader, type Reader } from '../../../../api/routing/reading/reader.ts'
import { JOB_FUNCTIONS } from '../../../../workers/jobs/functions.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { swapOf, swapsOf, type Trade } from './ledger-swaps.ts'

const DAY_MS = 86_400_000
const BOUND_MS = 60_000
/** Day 0. Long past on any clock, so that all of it can be closed. */
const FIRST_MS = Date.UTC(2025, 2, 1)
const onDay = (day: number) => ({ atMs: FIRST_MS + day * DAY_MS + 3_600_000 })

const TRADES: Trade[] = [
  { mint: 1, isBuy: true, tokens: 10, sol: 10, ...onDay(0) },
  // A mint that never had a price.
  { mint: 2, isBuy: true, tokens: 1, sol: 1, ...onDay(1) },
  { mint: 2, isBuy: true, tokens: 1, sol: 3, ...onDay(1) },
  // A loss of 2 in one mint; in the other a gain of 3 by FIFO, of 2 by the average.
  { mint: 1, isBuy: false, tokens: 4, sol: 2, ...onDay(2) },
  { mint: 2, isBuy: false, tokens: 1, sol: 4, ...onDay(2) },
  { mint: 1, isBuy: false, tokens: 6, sol: 4.8, ...onDay(4) },
  // Another wallet: the days before the sixth are closed.
  { user: 2, mint: 3, isBuy: true, tokens: 1, sol: 1, ...onDay(6) },
]
/** Closing prices of mint 1 by the day; no trade on day 3. */
const CLOSES = { 0: 1, 1: 1.9, 2: 0.5, 4: 0.8 }

async function fill(own: ApiUnderTest): Promise<void> {
  await insertLedger(own.db, swapsOf(TRADES))
  for (const [day, close] of Object.entries(CLOSES)) await closeOn(own, Number(day), close)
}

/** The price of mint 1 at the end of a day. */
async function closeOn({ db }: ApiUnderTest, day: number, close: number): Promise<void> {
  await db.query(
    `insert into candle_4h (pool_id, bucket_ms, open, high, low, close, volume_lamports, trade_count)
     select pool.id, $2, $3, $3, $3, $3, 1000, 1
     from pool join token on token.id = token_id where address = $1`,
    [mint(1), FIRST_MS + day * DAY_MS, close],
  )
}

/** SOL at the ends of the six days from the first trade on. */
const EQUITIES = [0, 5, -5, -5, -3.2, -3.2]

const daysOf = (realized: readonly number[]) =>
  EQUITIES.map((equity, day) => ({
    day: new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10),
    is_active: TRADES.some(({ user = 1, atMs }) => user === 1 && atMs === onDay(day).atMs),
    realized_sol: realized[day] ?? 0,
    equity_sol: equity,
  }))

const path = (query: string, user = 1): string =>
  `/v2/pnl/wallets/${trader(user)}/performance?${query}`

async function withJobs(t: Parameters<typeof openJobBench>[0]): Promise<ApiUnderTest> {
  const bench = openJobBench(t)
  const own = await apiUnderTest(t, { jobs: bench.queue() })
  bench.work({ databaseUrl: own.databaseUrl, functions: JOB_FUNCTIONS })
  await fill(own)
  return own
}

async function send(own: ApiUnderTest, query: string, user = 1): Promise<PerformanceAnswer> {
  const { status, body } = await own.get(path(query, user))
  if (status !== 200) throw new Error(`${query}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as PerformanceAnswer
}

test('equals hand-computed performance, in three modes and several ranges', async (t) => {
  const own = await withJobs(t)
  const whole = 'from=2025-02-20&to=2025-03-06'
  const common = {
    wallet: trader(1),
    from: '2025-02-20',
    to: '2025-03-06',
    // Equity by day: 10 - 10, 19 - 14, 3 - 8, 3 - 8 (the close is carried on), 0 - 3.2, -3.2: from 5 to -5.
    max_drawdown_value_sol: 10,
    max_drawdown_value_basis: 'close_based_equity_curve' as const,
    active_days: 4,
  }
  t.deepEqual(await send(own, `${whole}&pnl_mode=strict`), {
    ...common,
    pnl_mode: 'strict',
    // 0, 0, 1, -1.2.
    best_day: { day: '2025-03-03', realized_sol: 1 },
    worst_day: { day: '2025-03-05', realized_sol: -1.2 },
    current_streak: { kind: 'loss', length: 1 },
    longest_win_streak: 1,
    longest_loss_streak: 1,
    max_drawdown_realized_sol: 1.2,
    max_drawdown_realized_pct: 120,
    realized_sol: -0.2,
    days: daysOf([0, 0, 1, 0, -1.2]),
  })
  t.deepEqual(await send(own, `${whole}&pnl_mode=whatever`), {
    ...common,
    pnl_mode: 'adjusted',
    // 0, 0, 0, -1.2.
    best_day: { day: '2025-03-01', realized_sol: 0 },
    worst_day: { day: '2025-03-05', realized_sol: -1.2 },
    current_streak: { kind: 'loss', length: 1 },
    longest_win_streak: 0,
    longest_loss_streak: 1,
    max_drawdown_realized_sol: 1.2,
    max_drawdown_realized_pct: null,
    realized_sol: -1.2,
    days: daysOf([0, 0, 0, 0, -1.2]),
  })
  t.deepEqual(await send(own, `${whole}&pnl_mode=raw`), {
    ...common,
    pnl_mode: 'raw',
    // -10, -4, 6, 4.8.
    best_day: { day: '2025-03-03', realized_sol: 6 },
    worst_day: { day: '2025-03-01', realized_sol: -10 },
    current_streak: { kind: 'win', length: 2 },
    longest_win_streak: 2,
    longest_loss_streak: 2,
    max_drawdown_realized_sol: 14,
    max_drawdown_realized_pct: null,
    realized_sol: -3.2,
    days: daysOf([-10, -4, 6, 0, 4.8]),
  })
  // Both ends belong to a range; cash that flowed before it counts in equity (-5 on both days).
  t.like(await send(own, 'from=2025-03-03&to=2025-03-04&pnl_mode=strict'), {
    active_days: 1,
    best_day: { day: '2025-03-03', realized_sol: 1 },
    worst_day: { day: '2025-03-03', realized_sol: 1 },
    max_drawdown_realized_pct: 0,
    max_drawdown_value_sol: 0,
  })
  // From the second day's 5 to the third's -5 and no further.
  t.like(await send(own, 'from=2025-03-02&to=2025-03-03'), { max_drawdown_value_sol: 10 })
  // A day that is not closed yet, and days that are to come.
  t.like(await send(own, 'from=2025-03-05&to=9999-12-31'), { active_days: 1, to: '9999-12-31' })
})

const NOTHING = {
  pnl_mode: 'adjusted' as const,
  best_day: null,
  worst_day: null,
  current_streak: { kind: 'none' as const, length: 0 },
  longest_win_streak: 0,
  longest_loss_streak: 0,
  max_drawdown_realized_sol: 0,
  max_drawdown_realized_pct: null,
  max_drawdown_value_sol: 0,
  max_drawdown_value_basis: 'close_based_equity_curve' as const,
  active_days: 0,
  realized_sol: 0,
  days: [],
}

test('an unknown wallet, and a range before the first trade, have zeros', async (t) => {
  const own = await apiUnderTest(t, { now: () => Date.UTC(2025, 2, 31, 23, 59) })
  await fill(own)
  // Today and the 30 days before it.
  const usual = { from: '2025-03-01', to: '2025-03-31' }
  t.deepEqual(await send(own, '', 77), { wallet: trader(77), ...usual, ...NOTHING })
  const before = { from: '2024-01-01', to: '2025-02-28' }
  const query = new URLSearchParams(before).toString()
  t.deepEqual(await send(own, query), { wallet: trader(1), ...before, ...NOTHING })
})

test('performance waits for the days of the chart: 504 in time, and without jobs the request stores them', async (t) => {
  const range = 'from=2025-03-01&to=2025-03-03'
  // The queue has no worker.
  const queue = openJobBench(t).queue()
  const waiting = await apiUnderTest(t, { jobs: queue, deadlineMs: 3_000 })
  await fill(waiting)
  const late = await waiting.get(path(range))
  t.is(late.status, 504)
  t.like(late.body, { success: false, error: { code: 'GATEWAY_TIMEOUT' } })
  const alone = await apiUnderTest(t)
  await fill(alone)
  t.is((await alone.get(path(range))).status, 200)
  const stored = await alone.db.query('select 1 from chart_day')
  t.is(stored.rows.length, 3)
})

test('never counts the cost of a buy in equity without its tokens', async (t) => {
  const now = () => FIRST_MS + 1.5 * DAY_MS
  const own = await apiUnderTest(t, { now })
  const { db, databaseUrl } = own
  const first = { mint: 1, isBuy: true, tokens: 10, sol: 10, ...onDay(0) }
  await insertLedger(db, swapsOf([first, { ...first, user: 2, mint: 3, ...onDay(1) }]))
  await closeOn(own, 0, 1)
  const requested = 'from=2025-03-01&to=2025-03-02'
  t.like(await send(own, requested), { active_days: 1, max_drawdown_value_sol: 0 })
  const reader = createReader(databaseUrl, { deadlineMs: BOUND_MS })
  t.teardown(() => reader.end())
  // The ledger commits a buy after the request's first read.
  let runs = 0
  const beside: Reader = {
    ...reader,
    async run(signal, work) {
      const result = await reader.run(signal, work)
      runs += 1
      if (runs === 1)
        await insertLedger(db, [swapOf(9, { ...first, tokens: 90, sol: 90, ...onDay(1) })])
      return result
    },
  }
  const [performance] = pnlRoutes({ now }, () => {}).filter(({ path: of }) =>
    /performance/.test(of),
  )
  const given = { wallet: trader(1), ...Object.fromEntries(new URLSearchParams(requested)) }
  const signal = AbortSignal.timeout(BOUND_MS)
  const answer = performance?.respond(performance.parse(given), {
    reader: beside,
    signal,
    caller: ANY_CALLER,
  })
  const { body = '{}' } = (await answer) ?? {}
  t.true(runs > 0)
  t.is(JSON.parse(body).max_drawdown_value_sol, 0)
})

test('names bad dates, and requires a key', async (t) => {
  const own = await apiUnderTest(t, { now: () => Date.UTC(2025, 2, 31) })
  const refused: [string, RegExp][] = [
    ['from=2025-02-30', /^from "2025-02-30": expected a date of the calendar, YYYY-MM-DD$/],
    ['to=yesterday', /^to "yesterday": expected a date/],
    ['to=1740787200000', /^to "1740787200000": expected a date/],
    ['from=2025-03-02&to=2025-03-01', /^from "2025-03-02": expected no later than/],
    // Later than today, which is `to`.
    ['from=2025-04-01', /^from "2025-04-01": expected no later than "2025-03-31"$/],
  ]
  for (const [query, text] of refused) {
    const { status, body } = await own.get(path(query))
    t.is(status, 400, query)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, query)
    t.regex((body.error as { message: string }).message, text)
  }
  t.is((await own.call(path(''))).status, 401)
  // The same day twice is a range.
  t.like(await send(own, 'from=2025-03-31'), { from: '2025-03-31', to: '2025-03-31' })
})

test('caches performance', async (t) => {
  const own = await apiUnderTest(t)
  for (const stored of ['miss', 'hit']) {
    const { headers } = await own.get(path('pnl_mode=raw'))
    t.is(headers.get('X-Cache'), stored)
    t.regex(headers.get('Cache-Control') ?? '', /max-age=([12]?\d|30)$/)
  }
})
