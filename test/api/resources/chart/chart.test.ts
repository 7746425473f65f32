// /wallets/{w}/chart: each day against the naive model for random histories, a hand-computed table, and closed days,
// which never change: not by late swaps, repeated or concurrent jobs, or a statement.

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { Swap } from '../../../../domain/events/swap.ts'
import { dateOf } from '../../../../domain/time/utc-day.ts'
import type { DexId } from '../../../../domain/venue.ts'
import { backfillChart } from '../../../../workers/jobs/chart-backfill.ts'
import { JOB_FUNCTIONS } from '../../../../workers/jobs/functions.ts'
import { buy, inOrder, sell } from '../../../domain/ledger/histories.ts'
import { naiveDayValue } from '../../../simulation/models/chart-model.ts'
import { apiForFile, type Body } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const START_MS = Date.UTC(2026, 7, 1)
/** The newest swap is of day 9, so that the days to 8 are closed; it is day 11. */
const NEWEST_MS = START_MS + 9.5 * DAY_MS
const NOW_MS = START_MS + 11.4 * DAY_MS
const TODAY = '2026-08-12'

const ends: (() => unknown)[] = []
const bench = openJobBench({ teardown: (end) => ends.push(end) })
const under = apiForFile({ jobs: bench.queue(), now: () => NOW_MS })

test.serial.before('the newest swap is known, and jobs are worked on', async () => {
  const { db, databaseUrl } = under()
  const newest = buy(1, 1, 1, { ...positionAt(NEWEST_MS), user: trader(1), ...poolNamed(0) })
  await insertLedger(db, [newest])
  const functions = { 'chart-backfill': JOB_FUNCTIONS['chart-backfill']! }
  bench.work({ databaseUrl, functions })
})

test.after.always('ends before the database does', async () => {
  for (const end of ends.reverse()) await end()
})

type Point = { day: string; value_sol: number; value_usd: number | null; provisional: boolean }
type Chart = Body & { series: Point[]; today: Point; window: string; wallet: string }

async function chartOf(wallet: string, window = '30d'): Promise<Chart> {
  const { status, body, text } = await under().get(`/wallets/${wallet}/chart?window=${window}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body as Chart
}

let worlds = 0
/** Every history has separate wallets and mints, because stored days never change. */
const nextWorld = (): number => (worlds += 1)
const poolNamed = (n: number) => ({ pairAddress: pair(n), tokenAddress: mint(Math.floor(n / 2)) })

let signatures = 1_000
function positionAt(ms: number): Pick<Swap, 'timestamp' | 'slot' | 'signature'> {
  signatures += 1
  const slot = 1_000 + Math.floor((ms - START_MS) / 400)
  return { timestamp: ms, slot, signature: signatureOf(signatures) }
}

const quantities = fc.oneof(
  fc.integer({ min: 1, max: 30_000 }),
  fc.integer({ min: 10_000, max: 2_000_000_000 }),
)

/** Trades of a wallet and of others that set prices: four pools of two mints, dust, transfers, skewed slots. */
const anyTrade = fc.record({
  day: fc.integer({ min: 0, max: 8 }),
  minute: fc.constantFrom(0, 1, 239, 240, 700, 1_438, 1_439),
  ms: fc.nat(59_999),
  skewSlots: fc.constantFrom(0, 0, 0, -300_000, 300_000),
  pool: fc.nat(3),
  isOwn: fc.boolean(),
  isBuy: fc.boolean(),
  solAmount: quantities,
  tokenAmount: quantities,
  transferFeeIn: fc.constantFrom(0, 0, 0, 5_000),
  transferFeeOut: fc.constantFrom(0, 0, 0, 5_000),
  quoteDecimals: fc.constantFrom(6, 9),
  agentTrade: fc.constantFrom(0, 0, 0, 2),
})
type Trade = typeof anyTrade extends fc.Arbitrary<infer Value> ? Value : never
const manyTrades = (maxLength: number) =>
  fc.array(anyTrade, { minLength: 1, maxLength, size: 'max' })

function swapsOf(world: number, trades: readonly Trade[]): Swap[] {
  return inOrder(
    trades.map(({ day, minute, ms, skewSlots, pool, isOwn, ...rest }) => {
      const position = positionAt(START_MS + day * DAY_MS + minute * MINUTE_MS + ms)
      const user = trader(isOwn ? world * 10 : world * 10 + 1)
      const slot = Math.max(0, position.slot + skewSlots)
      return { ...buy(1, 1, 1), ...rest, ...poolNamed(world * 10 + pool), ...position, slot, user }
    }),
  )
}

async function store(swaps: readonly Swap[]): Promise<void> {
  await insertSwaps(under().db, swaps, { hasPrices: true })
  await insertLedger(under().db, [])
}

const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-9 * Math.max(1e-12, Math.abs(b))

function judge(t: ExecutionContext, chart: Chart, swaps: readonly Swap[], wallet: string): void {
  const own = swaps.filter(({ user }) => user === wallet)
  const firstMs = Math.min(...own.map(({ timestamp }) => timestamp))
  const points = [...chart.series, chart.today]
  const days: string[] = []
  for (let ms = firstMs - (firstMs % DAY_MS); ms <= NOW_MS; ms += DAY_MS) days.push(dateOf(ms))
  t.deepEqual(
    points.map(({ day }) => day),
    days,
  )
  for (const { day, value_sol, provisional } of points) {
    const expected = naiveDayValue(swaps, wallet, Date.parse(day))
    t.true(isNear(value_sol, expected), `${day}: ${value_sol}, not ${expected}`)
    t.is(provisional, Date.parse(day) >= START_MS + 9 * DAY_MS, day)
  }
}

test.serial('any history has the days of the model, closed and live', async (t) => {
  const property = fc.asyncProperty(manyTrades(60), async (trades) => {
    const world = nextWorld()
    const swaps = swapsOf(world, trades)
    await store(swaps)
    for (const wallet of [trader(world * 10), trader(world * 10 + 1)]) {
      if (swaps.every(({ user }) => user !== wallet)) continue
      judge(t, await chartOf(wallet), swaps, wallet)
    }
  })
  await fc.assert(property, { numRuns: 25, endOnFailure: true })
})

/** Some trades of one minute a day, days apart, in few slots, with times that hardly determine the order. */
const anyTied = fc
  .record({
    trade: anyTrade,
    day: fc.constantFrom(0, 2, 5),
    ms: fc.constantFrom(0, 399, 400),
    blockTxIndex: fc.nat(1),
    dex: fc.constantFrom<DexId>(1, 2),
  })
  .map(({ trade, ...tied }) => ({ ...trade, ...tied, minute: 700 as const, skewSlots: 0 as const }))

test.serial('distinguishes pools that traded last in one minute like the model', async (t) => {
  const trades = fc.array(anyTied, { minLength: 4, maxLength: 16, size: 'max' })
  const property = fc.asyncProperty(trades, async (tied) => {
    const world = nextWorld()
    const swaps = swapsOf(world, tied)
    await store(swaps)
    const wallet = trader(world * 10)
    if (swaps.some(({ user }) => user === wallet)) {
      judge(t, await chartOf(wallet), swaps, wallet)
    }
  })
  await fc.assert(property, { numRuns: 40, endOnFailure: true })
})

test.serial('closed days never change, even after late swaps and repeated jobs', async (t) => {
  const { db } = under()
  const property = fc.asyncProperty(manyTrades(30), manyTrades(30), async (trades, late) => {
    const world = nextWorld()
    const wallet = trader(world * 10)
    const isOwn = true
    await store(
      swapsOf(
        world,
        trades.map((trade) => ({ ...trade, isOwn })),
      ),
    )
    const before = await chartOf(wallet, 'all')
    await store(swapsOf(world, late))
    await Promise.all([1, 2, 3].map(() => backfillChart({ wallet }, { db })))
    const after = await chartOf(wallet, 'all')
    const closed = ({ series }: Chart) => series.filter(({ provisional }) => !provisional)
    // A late swap may be the first: days before are new then, those that were there stay.
    const days = new Map(closed(after).map((point) => [point.day, point]))
    for (const point of closed(before)) t.deepEqual(days.get(point.day), point)
  })
  await fc.assert(property, { numRuns: 8, endOnFailure: true })
  for (const statement of [
    'update chart_day set value_sol = value_sol + 1',
    'delete from chart_day',
    'truncate chart_day',
  ]) {
    await t.throwsAsync(db.query(statement), { message: /closed days: they are never changed/ })
  }
})

test.serial(
  'equals a hand-computed table: top pools by volume, carried closes, sells beyond the balance',
  async (t) => {
    const world = nextWorld()
    const wallet = trader(world * 10)
    const [a, b] = [poolNamed(world * 10), poolNamed(world * 10 + 1)]
    const other = trader(world * 10 + 1)
    const day = (n: number, hour: number) => positionAt(START_MS + n * DAY_MS + hour * HOUR_MS)
    const six = { quoteDecimals: 6 }
    await store([
      // Day 0: 2 tokens at 0.5 SOL.
      buy(1, 2_000_000, 1_000_000_000, { ...day(0, 1), ...a, ...six, user: wallet }),
      // Day 2: pool b has more volume, at 0.25 SOL; pool a trades last, at 0.4 SOL.
      buy(1, 8_000_000, 2_000_000_000, { ...day(2, 3), ...b, ...six, user: other }),
      buy(1, 1_000_000, 400_000_000, { ...day(2, 20), ...a, ...six, user: other }),
      // Day 5: 3 tokens are sold of the 2 at hand.
      sell(1, 3_000_000, 900_000_000, { ...day(5, 9), ...a, ...six, user: wallet }),
    ])
    const { series, today } = await chartOf(wallet)
    t.deepEqual(
      series.map(({ value_sol }) => value_sol),
      [1, 1, 0.5, 0.8, 0.8, 0, 0, 0, 0, 0, 0],
    )
    t.deepEqual(
      series.map(({ provisional }) => provisional),
      [...Array(9).fill(false), true, true],
    )
    t.is(series[0]?.day, '2026-08-01')
    t.deepEqual(today, { day: TODAY, value_sol: 0, value_usd: null, provisional: true })
  },
)

test.serial(
  'carries the canonically last of the pools that last traded in one minute',
  async (t) => {
    const position = positionAt(START_MS + 10 * HOUR_MS)
    const { slot } = position
    const early: Partial<Swap> = { slot, blockTxIndex: 1, ixIndex: 1, dex: 2, isBuy: true }
    // The later swap, although not by its time.
    const cases: [rule: string, later: Partial<Swap>, earlier?: Partial<Swap>][] = [
      ['slot', { ...early, slot: slot + 1, blockTxIndex: 0 }],
      ['block_tx_index', { ...early, blockTxIndex: 2, ixIndex: 0 }],
      ['ix_index', { ...early, ixIndex: 2, dex: 1 }],
      ['dex', { ...early, dex: 3 }, { ...early, isBuy: false }],
      ['buys before sells', { ...early, isBuy: false, signature: signatureOf(0) }],
      ['signature', { ...early, signature: signatureOf(9_999_999) }],
    ]
    for (const [rule, later, earlier = early] of cases) {
      for (const [carrying, other] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const world = nextWorld()
        const wallet = trader(world * 10)
        const of = (pool: number) => ({ ...poolNamed(world * 10 + pool), quoteDecimals: 6 })
        await store([
          // 2 tokens, and then more volume at 0.5 SOL in the pool that is not the last.
          buy(1, 2_000_000, 1_000_000_000, {
            ...position,
            slot: slot - 9,
            ...of(other),
            user: wallet,
          }),
          buy(1, 8_000_000, 4_000_000_000, {
            ...position,
            timestamp: position.timestamp + 900,
            ...earlier,
            ...of(other),
          }),
          buy(1, 1_000_000, 250_000_000, { ...position, ...later, ...of(carrying) }),
        ])
        const { series } = await chartOf(wallet)
        t.deepEqual(
          series.slice(0, 3).map(({ value_sol }) => value_sol),
          [1, 0.5, 0.5],
          `${rule}, pool ${carrying}`,
        )
      }
    }
  },
)

test.serial('dollars go by the rate of now, for every day', async (t) => {
  const { db } = under()
  const world = nextWorld()
  const wallet = trader(world * 10)
  const position = { ...poolNamed(world * 10), quoteDecimals: 6, user: wallet }
  await store([buy(1, 2_000_000, 1_000_000_000, { ...positionAt(START_MS), ...position })])
  await db.query(
    `insert into dollar_minute (bucket_ms, pool_id, decimals, volume_lamports, volume_units)
     values ($1, 1, 6, 1000000000, 150000000)`,
    [NEWEST_MS],
  )
  const { series, today } = await chartOf(wallet)
  for (const { value_sol, value_usd } of [...series, today]) {
    t.is(value_sol, 1)
    t.is(value_usd, 150)
  }
})

test.serial('windows hold today and so many days before it, from the first trade on', async (t) => {
  const world = nextWorld()
  const wallet = trader(world * 10)
  const pool = { ...poolNamed(world * 10), user: wallet }
  // 100 days before today; dust, so that it has no price.
  const first = buy(1, 1, 1, { ...positionAt(START_MS + 11 * DAY_MS), ...pool, slot: 1 })
  await store([{ ...first, timestamp: START_MS - 89 * DAY_MS }])
  const lengths = new Map([
    ['30d', 30],
    ['90d', 90],
    ['1y', 100],
    ['all', 100],
  ])
  for (const [window, length] of lengths) {
    const chart = await chartOf(wallet, window)
    t.is(chart.series.length, length)
    t.is(chart.window, window)
    t.true(chart.series.every(({ value_sol }) => value_sol === 0))
  }
})

test.serial('an unknown wallet has an empty series, and bad windows are refused', async (t) => {
  const { status, body } = await under().get(`/wallets/${trader(999_999)}/chart`)
  t.is(status, 200)
  t.like(body, { wallet: trader(999_999), window: '90d', series: [], computed_at: NOW_MS })
  t.like(body as Chart, { today: { day: TODAY, value_sol: 0, provisional: true } })
  t.is((await under().get(`/wallets/${trader(1)}/chart?window=7d`)).status, 400)
  t.is((await under().get('/wallets/nobody/chart')).status, 400)
  t.is((await under().call(`/wallets/${trader(1)}/chart`)).status, 401)
})
