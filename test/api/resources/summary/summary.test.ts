// /v2/pnl/wallets/{wallet}: figures against the naive model and the positions they are sums of, the rate with its time
// and source, a late swap, and refusals.

import test from 'ava'
import type { PositionListAnswer } from '../../../../api/resources/pnl/schema.ts'
import type { WalletPnlAnswer } from '../../../../api/resources/summary/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { positionsOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger, insertPass, priceMints } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { busiestFirst, swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { asker } from '../../graphql/send-query.ts'
import { START_MS, swapOf, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const SOL = 1_000_000_000n
/** Wallets of the file that are compared. */
const WALLETS = 25

async function summaryOf(api: ApiUnderTest, wallet: string): Promise<WalletPnlAnswer> {
  const { status, body } = await api.get(`/v2/pnl/wallets/${wallet}`)
  if (status !== 200) throw new Error(`${wallet}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as WalletPnlAnswer
}

async function uncachedOf({ api, key }: ApiUnderTest, wallet: string): Promise<WalletPnlAnswer> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ wallets: [wallet] })
  const response = await fetch(`${api.url}/wallets/batch`, { method: 'POST', headers, body })
  const { wallets } = (await response.json()) as { wallets: WalletPnlAnswer[] }
  return wallets[0]!
}

const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n)

/** Figures of the model that need no price. */
function modelOf(own: readonly Swap[]) {
  const positions = [...positionsOf(own).values()]
  const open = positions.filter(({ balance }) => balance > 0n)
  const cost = sum(open.map(({ basis }) => basis))
  const lotsCost = sum(open.flatMap(({ lots }) => lots.map((lot) => lot.cost)))
  return {
    open_count: open.length,
    closed_count: positions.length - open.length,
    total_buy_count: own.filter(({ isBuy }) => isBuy).length,
    total_sell_count: own.filter(({ isBuy }) => !isBuy).length,
    win_count: positions.reduce((count, { winCount }) => count + winCount, 0),
    covered_sell_count: positions.reduce((count, position) => count + position.coveredSellCount, 0),
    realized: Object.fromEntries(
      PNL_MODES.map((mode) => [mode, sum(positions.map(({ realized }) => realized[mode]))]),
    ),
    cost: { raw: cost, strict: lotsCost, adjusted: cost },
  }
}

testWithText(
  'venue_1_2025-09.ndjson',
  'summaries of real wallets have the figures of the model and of their positions',
  async (t, text) => {
    const api = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertLedger(api.db, swaps)
    const wallets = busiestFirst(swaps).slice(0, WALLETS)
    for (const [wallet, own] of wallets) {
      const answer = await summaryOf(api, wallet)
      const { realized, cost, ...counts } = modelOf(own)
      t.like(answer, counts, wallet)
      for (const mode of PNL_MODES) {
        const figures = answer.by_mode[mode]
        t.is(BigInt(figures.realized_lamports), realized[mode] as bigint, mode)
        t.is(BigInt(figures.cost_basis_lamports), cost[mode], mode)
        t.is(figures.cost_basis_sol, exactQuotient(cost[mode], SOL))
      }
      const { body } = await api.get(`/v2/pnl/wallets/${wallet}/positions?limit=200&pnl_mode=raw`)
      const { positions } = body as unknown as PositionListAnswer
      const value = positions.reduce((all, { current_value_sol: own = 0 }) => all + (own ?? 0), 0)
      t.true(Math.abs(answer.current_value_sol - value) <= 1e-9 * Math.max(1, value), wallet)
    }
  },
)

const TRADES: Trade[] = [
  { mint: 1, isBuy: true, tokens: 10, sol: 10 },
  { mint: 1, isBuy: true, tokens: 10, sol: 20 },
  { mint: 1, isBuy: false, tokens: 15, sol: 18 },
  { mint: 2, isBuy: true, tokens: 4, sol: 8 },
  { mint: 2, isBuy: false, tokens: 4, sol: 7 },
  { mint: 3, isBuy: false, tokens: 1, sol: 3 },
]

test('a summary has each hand-computed figure, and follows a late swap and a pass on chain', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(TRADES))
  await priceMints(api.db, { [mint(1)]: 2 })
  const answer = await summaryOf(api, trader(1))
  t.like(answer, {
    open_count: 1,
    closed_count: 2,
    priced_position_count: 1,
    current_value_sol: 10,
    current_value_usd: null,
    total_buys_sol: 38,
    total_sells_sol: 28,
    win_count: 0,
    covered_sell_count: 2,
    win_rate: 0,
    first_trade_ts: START_MS + 1_000,
    last_trade_ts: START_MS + 6_000,
    sol_usd: null,
    sol_usd_timestamp: null,
    sol_usd_source: null,
  })
  // FIFO gives up 10 and half of 20; the average three quarters of 30.
  const { raw, strict, adjusted } = answer.by_mode
  t.like(strict, { realized_sol: -3, cost_basis_sol: 10, unrealized_sol: 0, realized_usd: null })
  t.like(adjusted, { realized_sol: -5.5, cost_basis_sol: 7.5, unrealized_sol: 2.5 })
  t.like(raw, { realized_sol: -10, cost_basis_sol: 7.5, unrealized_sol: 2.5 })
  // Before all others: now the sell without a buy is covered, with a profit.
  const late = { ...swapOf(7, { mint: 3, isBuy: true, tokens: 1, sol: 1 }), slot: 1_000 }
  await insertLedger(api.db, [late])
  // The summary itself is cached for seconds; a batch is not.
  const after = await uncachedOf(api, trader(1))
  t.like(after, { win_count: 1, covered_sell_count: 3, total_buy_count: 4 })
  t.is(after.by_mode.adjusted.realized_sol, -3.5)
  // Nothing is held on chain: all are closed.
  const moved = await apiUnderTest(t)
  await insertLedger(moved.db, swapsOf(TRADES))
  await insertPass(moved.db, trader(1), {})
  const closed = await summaryOf(moved, trader(1))
  t.like(closed, { open_count: 0, closed_count: 3, current_value_sol: 0 })
  t.is(closed.by_mode.strict.cost_basis_sol, 0)
})

test('dollars name the minute of their rate and its source', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(TRADES))
  const minutes = [1, 2, 3].map((n) => START_MS - n * 60_000)
  await api.db.query(
    `insert into dollar_minute
     select unnest($1::bigint[]), 1, 6, 2000000000, unnest($2::numeric[])`,
    [minutes, [300e6, 310e6, 290e6]],
  )
  const answer = await summaryOf(api, trader(1))
  t.like(answer, { sol_usd: 150, sol_usd_timestamp: minutes[0], sol_usd_source: 'swaps' })
  t.is(answer.by_mode.raw.realized_usd, -10 * 150)
})

test('GraphQL answers as REST does; unknown wallets have zeros, others are refused', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(TRADES))
  const { send } = await asker(api)
  const { data } = await send(
    `{ walletPnl(wallet: "${trader(1)}") { open_count win_rate by_mode { strict { realized_lamports } } } }`,
  )
  const { open_count, win_rate, by_mode } = await summaryOf(api, trader(1))
  const strict = { realized_lamports: by_mode.strict.realized_lamports }
  t.deepEqual(JSON.parse(JSON.stringify(data?.walletPnl)), {
    open_count,
    win_rate,
    by_mode: { strict },
  })
  t.like(await summaryOf(api, trader(77)), { open_count: 0, win_rate: 0, first_trade_ts: null })
  t.is((await api.get('/v2/pnl/wallets/nonsense')).status, 400)
  t.is((await api.get(`/v2/pnl/wallets/${trader(1)}?mode=raw`)).status, 400)
  t.is((await api.call(`/v2/pnl/wallets/${trader(1)}`)).status, 401)
})
