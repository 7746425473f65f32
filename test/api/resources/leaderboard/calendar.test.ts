// /v2/pnl/leaderboard/kols/calendar: days and totals against the naive model, order and ties of KOLs,
// spans and their edges, refusals, and that answers are cached.

import test from 'ava'
import type { CalendarAnswer } from '../../../../api/resources/leaderboard/schema.ts'
import { lamportsToSol } from '../../../../domain/amount.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { dateOf } from '../../../../domain/time/utc-day.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { hoursOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { START_MS, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const PATH = '/v2/pnl/leaderboard/kols/calendar'
/** Half past noon of 2026-08-10. */
const NOW_MS = START_MS + 9 * DAY_MS + DAY_MS / 2

const TRADES: Trade[] = [
  // Wins 2 on the first day in its last millisecond, loses 1 in the next day's first.
  { user: 1, mint: 1, isBuy: true, tokens: 3, sol: 3, atMs: START_MS },
  { user: 1, mint: 1, isBuy: false, tokens: 1, sol: 3, atMs: START_MS + DAY_MS - 1 },
  { user: 1, mint: 1, isBuy: false, tokens: 1, sol: 0, atMs: START_MS + DAY_MS },
  // Two mints on one day; lots of different cost part the modes.
  { user: 2, mint: 2, isBuy: true, tokens: 1, sol: 1, atMs: START_MS + 5 * DAY_MS },
  { user: 2, mint: 2, isBuy: true, tokens: 1, sol: 3, atMs: START_MS + 5 * DAY_MS },
  { user: 2, mint: 2, isBuy: false, tokens: 1, sol: 4, atMs: START_MS + 5 * DAY_MS + 1 },
  { user: 2, mint: 3, isBuy: true, tokens: 1, sol: 1, atMs: START_MS + 5 * DAY_MS + 2 },
  { user: 2, mint: 3, isBuy: false, tokens: 1, sol: 1.5, atMs: START_MS + 5 * DAY_MS + 3 },
  // Two without realized profit: ties by wallet. And one with a loss.
  { user: 4, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs: START_MS },
  { user: 3, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs: START_MS },
  { user: 5, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs: START_MS },
  { user: 5, mint: 1, isBuy: false, tokens: 1, sol: 0, atMs: START_MS + 1 },
  // Did best of all, but is no KOL.
  { user: 6, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs: START_MS },
  { user: 6, mint: 1, isBuy: false, tokens: 1, sol: 100, atMs: START_MS + 1 },
]
const SWAPS = swapsOf(TRADES)
/** The last one never traded. */
const KOLS = [1, 2, 3, 4, 5, 7]

async function withKols(t: Parameters<typeof apiUnderTest>[0]): Promise<ApiUnderTest> {
  const under = await apiUnderTest(t, { now: () => NOW_MS })
  await insertLedger(under.db, SWAPS)
  for (const n of KOLS) {
    const handle = n === 2 ? '' : `kol_${n}`
    await under.db.query('insert into kol values ($1, $2, $3)', [trader(n), `Kol ${n}`, handle])
  }
  return under
}

const answerOf = ({ body }: { body: unknown }): CalendarAnswer => body as CalendarAnswer

test('every cell and total is the model of hours, in every mode', async (t) => {
  const under = await withKols(t)
  const [from, to] = ['2026-07-31', '2026-08-06']
  for (const mode of PNL_MODES) {
    const answer = answerOf(await under.get(`${PATH}?from=${from}&to=${to}&pnl_mode=${mode}`))
    const { rows, days, ...rest } = answer
    t.deepEqual(rest, { scope: 'kols', pnl_mode: mode, from, to, top_n: 20 })
    t.deepEqual(
      days,
      Array.from({ length: 7 }, (_, day) => dateOf(START_MS + (day - 1) * DAY_MS)),
    )
    t.is(rows.length, 5)
    for (const row of rows) {
      const own = SWAPS.filter(({ user }) => user === row.wallet)
      const hours = [...hoursOf(own)]
      const sum = (prefix: string): number =>
        lamportsToSol(
          hours
            .filter(([hour]) => hour.startsWith(prefix))
            .reduce((total, [, { realized }]) => total + realized[mode], 0n),
        )
      const cells = days.map((day) => ({ day, realized_sol: sum(day) }))
      const number = KOLS.find((n) => trader(n) === row.wallet) ?? 0
      t.deepEqual(row, {
        wallet: row.wallet,
        display_name: `Kol ${number}`,
        twitter_handle: number === 2 ? '' : `kol_${number}`,
        is_kol: true,
        all_time_realized_sol: sum(''),
        cells,
      })
    }
  }
})

test('orders KOLs by all-time realized profit for any span, ties by wallet', async (t) => {
  const under = await withKols(t)
  const order = async (query: string): Promise<string[]> =>
    answerOf(await under.get(`${PATH}?${query}`)).rows.map(({ wallet }) => wallet)
  // 2: strict 3 + 0.5, adjusted 2 + 0.5; 1: 2 - 1; 5: -1. Raw: 2: 5.5 - 5; 1: 0; 3 and 4: -1; 5: -1.
  const byProfit = [2, 1, 3, 4, 5].map(trader)
  t.deepEqual(await order('pnl_mode=strict'), byProfit)
  t.deepEqual(await order('from=2026-01-01&to=2026-01-01'), byProfit)
  t.deepEqual(await order('pnl_mode=raw'), [2, 1, 3, 4, 5].map(trader))
  t.deepEqual(await order('top_n=2'), byProfit.slice(0, 2))
  t.deepEqual(await order('top_n=30'), byProfit)
})

test('the span is by default 31 days that end today, and at most 90', async (t) => {
  const under = await withKols(t)
  const spanOf = async (query: string): Promise<[string, string, number]> => {
    const { from, to, days, rows } = answerOf(await under.get(`${PATH}?${query}`))
    t.true(rows.every(({ cells }) => cells.length === days.length))
    return [from, to, days.length]
  }
  t.deepEqual(await spanOf(''), ['2026-07-11', '2026-08-10', 31])
  t.deepEqual(await spanOf('to=2026-03-31'), ['2026-03-01', '2026-03-31', 31])
  t.deepEqual(await spanOf('from=2026-08-10'), ['2026-08-10', '2026-08-10', 1])
  t.deepEqual(await spanOf('from=2026-08-01&to=2026-10-29'), ['2026-08-01', '2026-10-29', 90])
  for (const query of [
    'from=2026-08-01&to=2026-10-30',
    'from=2026-08-02&to=2026-08-01',
    // Later than the `to` of today.
    'from=2026-08-11',
    'from=2026-02-30',
    'to=yesterday',
    'top_n=0',
    'top_n=31',
    'top_n=ten',
  ]) {
    const { status, body } = await under.get(`${PATH}?${query}`)
    t.is(status, 400, query)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, query)
  }
})

test('without KOLs there are days and no rows; without a key 401', async (t) => {
  const under = await apiUnderTest(t, { now: () => NOW_MS })
  const empty = await under.get(PATH)
  t.is(empty.status, 200)
  t.deepEqual(answerOf(empty).rows, [])
  t.is(answerOf(empty).days.length, 31)
  const { status, body } = await under.call(PATH)
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})

test('caches a calendar for 300 s', async (t) => {
  const under = await withKols(t)
  const first = await under.get(PATH)
  t.is(first.headers.get('X-Cache'), 'miss')
  t.regex(first.headers.get('Cache-Control') ?? '', /^private, max-age=(2\d\d|300)$/)
  await under.db.query('truncate kol')
  const second = await under.get(PATH)
  t.is(second.headers.get('X-Cache'), 'hit')
  t.is(second.text, first.text)
})
