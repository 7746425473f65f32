// /v2/pnl/wallets/{wallet}/tokens: the tokens of a window and their sums against the naive model and the routes whose
// figures they are the parts of; then pages, sorting and refusals.

import test from 'ava'
import { TRADED_SORTS, type TradedAnswer } from '../../../../api/resources/traded/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { hoursOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { busiestFirst, swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { START_MS, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365, all: 100_000 }
const WINDOWS = Object.keys(DAYS) as (keyof typeof DAYS)[]
const SOL = 1_000_000_000n
/** Wallets of the file that are compared. */
const WALLETS = 40

type Figures = Record<keyof TradedAnswer['totals'], bigint>
const NOTHING: Figures = {
  realized_lamports: 0n,
  volume_lamports: 0n,
  buy_count: 0n,
  sell_count: 0n,
  covered_sell_count: 0n,
  win_count: 0n,
}
const NAMES = Object.keys(NOTHING) as (keyof Figures)[]
const exactly = (row: Record<keyof Figures, number | bigint>): Figures =>
  Object.fromEntries(NAMES.map((name) => [name, BigInt(row[name])])) as Figures
const plus = (one: Figures, other: Figures): Figures =>
  Object.fromEntries(NAMES.map((name) => [name, one[name] + other[name]])) as Figures

async function tradedOf(api: ApiUnderTest, wallet: string, query: string): Promise<TradedAnswer> {
  const { status, body } = await api.get(`/v2/pnl/wallets/${wallet}/tokens?${query}`)
  if (status !== 200) throw new Error(`${query}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as TradedAnswer
}

/** Sums of the model's hours from the window's first on, by token. */
function modelOf(own: readonly Swap[], fromMs: number, mode: (typeof PNL_MODES)[number]) {
  const tokens = Map.groupBy(own, ({ tokenAddress }) => tokenAddress)
  return new Map(
    [...tokens].flatMap(([mint, swaps]): [string, Figures][] => {
      const hours = [...hoursOf(swaps)].filter(([hour]) => Date.parse(`${hour}:00:00Z`) >= fromMs)
      if (hours.length === 0) return []
      const figures = hours.map(([, hour]) => ({
        realized_lamports: hour.realized[mode],
        volume_lamports: hour.volume,
        buy_count: BigInt(hour.buyCount),
        sell_count: BigInt(hour.sellCount),
        covered_sell_count: BigInt(hour.coveredSellCount),
        win_count: BigInt(hour.winCount),
      }))
      return [[mint, figures.reduce(plus, NOTHING)]]
    }),
  )
}

testWithText(
  'venue_1_2025-09.ndjson',
  'the tokens of real wallets have the figures of the model, and sum up to the other routes',
  async (t, text) => {
    const api = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertLedger(api.db, swaps)
    const newest = Math.max(...swaps.map(({ timestamp }) => timestamp))
    const wallets = busiestFirst(swaps).slice(0, WALLETS)
    let compared = 0
    for (const [at, [wallet, own]] of wallets.entries()) {
      const mode = PNL_MODES[at % PNL_MODES.length]!
      const window = WINDOWS[at % WINDOWS.length]!
      const fromMs = Math.floor((newest - DAYS[window] * DAY_MS) / HOUR_MS) * HOUR_MS
      const answer = await tradedOf(api, wallet, `window=${window}&pnl_mode=${mode}&limit=200`)
      const model = modelOf(own, fromMs, mode)
      const shown = new Map(answer.tokens.map((row) => [row.mint, exactly(row)]))
      t.deepEqual(new Map([...shown].sort()), new Map([...model].sort()), wallet)
      t.deepEqual(exactly(answer.totals), [...model.values()].reduce(plus, NOTHING))
      t.is(answer.total, model.size)
      compared += model.size
    }
    t.true(compared >= WALLETS)
  },
)

const HISTORY: Trade[] = [
  { mint: 1, isBuy: true, tokens: 10, sol: 10, atMs: START_MS },
  { mint: 1, isBuy: false, tokens: 5, sol: 6, atMs: START_MS + HOUR_MS },
  { mint: 2, isBuy: true, tokens: 4, sol: 8, atMs: START_MS + 2 * DAY_MS },
  { mint: 2, isBuy: false, tokens: 4, sol: 7, atMs: START_MS + 2 * DAY_MS + HOUR_MS },
  // Without a buy: no cost, no win.
  { mint: 3, isBuy: false, tokens: 1, sol: 3, atMs: START_MS + 3 * DAY_MS },
  { mint: 1, isBuy: false, tokens: 5, sol: 5.5, atMs: START_MS + 3 * DAY_MS + 1 },
]

test('parts by day and by window sum up to performance, statistics and rank', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(HISTORY))
  const wallet = trader(1)
  for (const mode of PNL_MODES) {
    for (const [from, to] of [
      ['2026-08-01', '2026-08-04'],
      ['2026-08-03', '2026-08-03'],
      ['2026-08-04', '2026-08-04'],
    ]) {
      const query = `from=${from}&to=${to}&pnl_mode=${mode}`
      const { totals } = await tradedOf(api, wallet, query)
      const { body } = await api.get(`/v2/pnl/wallets/${wallet}/performance?${query}`)
      t.is(Number(totals.realized_lamports) / 1e9, body.realized_sol as number, query)
    }
    const ranks = await api.get(`/v2/pnl/leaderboard/top?period=1d&pnl_mode=${mode}`)
    const [rank] = ranks.body.leaderboard as Record<string, number>[]
    const { totals: day } = await tradedOf(api, wallet, `window=1d&pnl_mode=${mode}`)
    t.is(Number(day.realized_lamports) / 1e9, rank?.realized_sol as number)
    t.is(day.covered_sell_count, rank?.covered_sell_count as number)
    t.is(Number(day.buy_count) + Number(day.sell_count), rank?.trade_count as number)
  }
  const { totals } = await tradedOf(api, wallet, 'window=30d')
  const { body: stats } = await api.get(`/wallets/${wallet}/stats?window=30d`)
  t.is(exactQuotient(BigInt(totals.volume_lamports), SOL), stats.total_volume_sol as number)
  t.is(Number(totals.win_count) / Number(totals.covered_sell_count), stats.win_rate as number)
  t.is(totals.covered_sell_count, stats.covered_sell_count as number)
  const [first] = (await tradedOf(api, wallet, 'from=2026-08-04')).tokens
  t.like(first, { mint: swapsOf(HISTORY)[0]?.tokenAddress, win_count: 1, sell_count: 1 })
})

test('pages in each order hold every token once, and the sums of all', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(HISTORY))
  for (const sort of TRADED_SORTS) {
    const all = await tradedOf(api, trader(1), `window=all&sort=${sort}`)
    t.is(all.tokens.length, 3)
    const pages = await Promise.all(
      [0, 1, 2, 3].map((at) =>
        tradedOf(api, trader(1), `window=all&sort=${sort}&limit=1&offset=${at}`),
      ),
    )
    t.deepEqual(
      pages.flatMap(({ tokens }) => tokens),
      all.tokens,
      sort,
    )
    for (const page of pages) t.deepEqual([page.total, page.totals], [3, all.totals])
  }
})

test('an unknown wallet has zeros; bad parameters and dates are refused', async (t) => {
  const api = await apiUnderTest(t)
  const { total, totals, tokens } = await tradedOf(api, trader(77), 'window=7d')
  t.deepEqual([total, tokens, exactly(totals)], [0, [], NOTHING])
  const path = `/v2/pnl/wallets/${trader(1)}/tokens`
  for (const query of [
    'window=2d',
    'sort=mint',
    'limit=201',
    'from=2026-08-02&to=2026-08-01',
    'from=x',
  ]) {
    const { status, body } = await api.get(`${path}?${query}`)
    t.is(status, 400, query)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, query)
  }
  const { status } = await api.get('/v2/pnl/wallets/nonsense/tokens')
  t.is(status, 400)
  t.is((await api.call(path)).status, 401)
})
