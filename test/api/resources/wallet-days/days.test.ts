// /v2/pnl/wallets/{wallet}/history and /calendar: each day of real wallets against the naive models, sells without a buy
// and buys of nothing included; a late swap; GraphQL; refusals.

import test from 'ava'
import type { CalendarAnswer, HistoryAnswer } from '../../../../api/resources/wallet-days/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { naiveDayValue } from '../../../simulation/models/chart-model.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { hoursOf, positionsOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { busiestFirst, swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { asker } from '../../graphql/send-query.ts'
import { START_MS, swapOf, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const DAY_MS = 86_400_000
const SOL = 1_000_000_000n
/** Wallets of the file that are compared, the busiest and those with uncovered sells. */
const WALLETS = 8

async function answerOf<Answer>(
  api: ApiUnderTest,
  wallet: string,
  requested: string,
): Promise<Answer> {
  const { status, body } = await api.get(`/v2/pnl/wallets/${wallet}/${requested}`)
  if (status !== 200) throw new Error(`${requested}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as Answer
}

const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n)
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Cost of the tokens that the swaps before a moment left in the wallet. */
function costBefore(own: readonly Swap[], endMs: number, isStrict: boolean): bigint {
  const positions = positionsOf(own.filter(({ timestamp }) => timestamp < endMs))
  return sum(
    [...positions.values()].map(({ basis, lots }) =>
      isStrict ? sum(lots.map(({ cost }) => cost)) : basis,
    ),
  )
}

/** By date, from the hours of the model. */
function daysOf(own: readonly Swap[]) {
  const hours = Map.groupBy(hoursOf(own), ([hour]) => hour.slice(0, 10))
  return new Map(
    [...hours].map(([day, all]) => {
      const figures = all.map(([, hour]) => hour)
      const count = (name: 'buyCount' | 'sellCount' | 'coveredSellCount' | 'winCount') =>
        figures.reduce((total, hour) => total + hour[name], 0)
      const swaps = own.filter(({ timestamp }) => dateOf(timestamp) === day)
      const figuresOfDay = {
        realized: Object.fromEntries(
          PNL_MODES.map((mode) => [mode, sum(figures.map(({ realized }) => realized[mode]))]),
        ) as Record<(typeof PNL_MODES)[number], bigint>,
        counts: {
          volume_sol: exactQuotient(sum(figures.map(({ volume }) => volume)), SOL),
          buy_count: count('buyCount'),
          sell_count: count('sellCount'),
          covered_sell_count: count('coveredSellCount'),
          win_count: count('winCount'),
          token_count: new Set(swaps.map(({ tokenAddress }) => tokenAddress)).size,
        },
      }
      return [day, figuresOfDay]
    }),
  )
}

testWithText(
  'venue_1_2025-09.ndjson',
  'days of real wallets have the figures of the models',
  async (t, text) => {
    const api = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertSwaps(api.db, swaps, { hasPrices: true })
    await insertLedger(api.db, [])
    const all = busiestFirst(swaps)
    const isUncovered = (own: readonly Swap[]): boolean =>
      [...positionsOf(own).values()].some(({ uncoveredSol }) => uncoveredSol > 0n)
    const uncovered = all.filter(([, own]) => isUncovered(own)).slice(0, WALLETS)
    t.true(uncovered.length > 0)
    const [fromMs, toMs] = [Math.min(...times(swaps)), Math.max(...times(swaps)) + 2 * DAY_MS]
    for (const [at, [wallet, own]] of [...all.slice(0, WALLETS), ...uncovered].entries()) {
      const mode = PNL_MODES[at % PNL_MODES.length]!
      const query = `from=${dateOf(fromMs)}&to=${dateOf(toMs)}&pnl_mode=${mode}`
      const history = await answerOf<HistoryAnswer>(api, wallet, `history?${query}`)
      const model = daysOf(own)
      let total = 0n
      t.is(history.days.filter(({ is_active }) => is_active).length, model.size, wallet)
      for (const day of history.days) {
        const realized = model.get(day.day)?.realized[mode] ?? 0n
        total += realized
        const endMs = Date.parse(`${day.day}T00:00:00Z`) + DAY_MS
        const cost = exactQuotient(costBefore(own, endMs, mode === 'strict'), SOL)
        t.is(day.realized_sol, Number(realized) / 1e9, `${wallet} ${day.day}`)
        t.is(day.realized_total_sol, Number(total) / 1e9)
        t.is(day.cost_basis_sol, cost, `${wallet} ${day.day} ${mode}`)
        const value = naiveDayValue(swaps, wallet, endMs - DAY_MS)
        t.true(Math.abs(day.value_sol - value) <= 1e-9 * Math.max(1, value), `${wallet} ${day.day}`)
        t.is(day.unrealized_sol, day.value_sol - cost)
      }
      const { months } = await answerOf<CalendarAnswer>(api, wallet, `calendar?${query}`)
      const listed = months.flatMap(({ days }) => days)
      t.deepEqual(
        listed.map(({ day }) => day),
        [...model.keys()].sort(),
      )
      for (const { day, realized_sol, ...counts } of listed) {
        t.is(realized_sol, Number(model.get(day)!.realized[mode]) / 1e9)
        t.deepEqual(counts, model.get(day)!.counts, `${wallet} ${day}`)
      }
      for (const month of months) {
        t.is(month.active_days, month.days.length)
        t.is(month.win_days, month.days.filter(({ realized_sol: own }) => own > 0).length)
        t.is(month.loss_days, month.days.filter(({ realized_sol: own }) => own < 0).length)
      }
    }
  },
)

const times = (swaps: readonly Swap[]): number[] => swaps.map(({ timestamp }) => timestamp)

const TRADES: Trade[] = [
  { mint: 1, isBuy: true, tokens: 10, sol: 10, atMs: START_MS },
  { mint: 1, isBuy: false, tokens: 5, sol: 6, atMs: START_MS + DAY_MS },
  // Without a buy.
  { mint: 2, isBuy: false, tokens: 1, sol: 3, atMs: START_MS + DAY_MS },
  // Nothing arrives.
  { mint: 3, isBuy: true, tokens: 0, sol: 2, atMs: START_MS + 2 * DAY_MS },
  { mint: 2, isBuy: true, tokens: 2, sol: 4, atMs: START_MS + 31 * DAY_MS },
  // Half of it without a buy.
  { mint: 2, isBuy: false, tokens: 4, sol: 10, atMs: START_MS + 31 * DAY_MS },
]
const QUERY = 'from=2026-08-01&to=2026-09-02'

test('cost basis leaves out sells without a buy and buys of nothing, and follows a late swap', async (t) => {
  const costsOf = async (swaps: readonly Swap[]): Promise<number[]> => {
    const api = await apiUnderTest(t)
    await insertLedger(api.db, swaps)
    const { days } = await answerOf<HistoryAnswer>(api, trader(1), `history?${QUERY}`)
    t.is(days.length, 33)
    return [0, 1, 2, 31].map((at) => days[at]?.cost_basis_sol ?? Number.NaN)
  }
  const swaps = swapsOf(TRADES)
  t.deepEqual(await costsOf(swaps), [10, 5, 5, 5])
  const late = { mint: 2, isBuy: true, tokens: 2, sol: 1, atMs: START_MS }
  // Now one of the two is sold on the second day, and the other with two of 4 SOL.
  t.deepEqual(await costsOf([...swaps, { ...swapOf(7, late), slot: 1_000 }]), [11, 5.5, 5.5, 5])
})

test('a calendar has a month for each with a trade, and GraphQL answers as REST does', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(TRADES))
  const { months } = await answerOf<CalendarAnswer>(api, trader(1), `calendar?${QUERY}`)
  t.like(months, [
    {
      month: '2026-08',
      realized_sol: 1,
      trade_count: 4,
      active_days: 3,
      win_days: 1,
      loss_days: 0,
    },
    { month: '2026-09', realized_sol: 1, trade_count: 2, active_days: 1, win_days: 1 },
  ])
  const { send } = await asker(api)
  const range = `wallet: "${trader(1)}", from: "2026-08-01", to: "2026-09-02"`
  const { data, errors } = await send(
    `{ walletCalendar(${range}) { months { month days { day win_count } } }
       walletHistory(${range}) { days { day cost_basis_sol } } }`,
  )
  t.is(errors, undefined)
  const { days } = await answerOf<HistoryAnswer>(api, trader(1), `history?${QUERY}`)
  t.deepEqual(JSON.parse(JSON.stringify(data)), {
    walletCalendar: {
      months: months.map(({ month, days: own }) => ({
        month,
        days: own.map(({ day, win_count }) => ({ day, win_count })),
      })),
    },
    walletHistory: { days: days.map(({ day, cost_basis_sol }) => ({ day, cost_basis_sol })) },
  })
})

test('an unknown wallet has no days; bad ranges and a missing key are refused', async (t) => {
  const api = await apiUnderTest(t)
  t.deepEqual((await answerOf<HistoryAnswer>(api, trader(7), 'history')).days, [])
  t.deepEqual((await answerOf<CalendarAnswer>(api, trader(7), 'calendar')).months, [])
  for (const name of ['history', 'calendar']) {
    const path = `/v2/pnl/wallets/${trader(7)}/${name}`
    t.is((await api.get(`${path}?from=2026-08-02&to=2026-08-01`)).status, 400)
    t.is((await api.get(`${path}?from=x`)).status, 400)
    t.is((await api.get(`/v2/pnl/wallets/nonsense/${name}`)).status, 400)
    t.is((await api.call(path)).status, 401)
  }
  const wide = `/v2/pnl/wallets/${trader(7)}/calendar?from=2025-01-01&to=2026-08-01`
  t.is((await api.get(wide)).status, 400)
})
