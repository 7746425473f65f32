// The positions of the wallets of a file of real swaps, in three modes, against the naive model.

import type { PositionListAnswer } from '../../../../api/resources/pnl/schema.ts'
import { type ModelPosition, positionsOf } from '../../../simulation/models/ledger-model.ts'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { swapsOf, testWithText } from '../../../support/real-swaps.ts'

/** The model's position, in the form of the route; no price. */
function shownOf(token: string, model: ModelPosition, mode: 'raw' | 'strict' | 'adjusted') {
  const sol = (lamports: bigint): number => Number(lamports) / 1e9
  const cost = mode === 'strict' ? model.lots.reduce((sum, lot) => sum + lot.cost, 0n) : model.basis
  const { raw, strict, adjusted } = model.realized
  const isOften = model.arbitrageTransactions >= 3
  return {
    mint: token,
    balance_atomic: Number(model.balance),
    qty: Number(model.balance) / 10 ** model.decimals,
    price_sol: null,
    cost_basis_sol: sol(cost),
    cost_basis_lamports: Number(cost),
    realized_sol: sol(model.realized[mode]),
    unrealized_sol: null,
    current_value_sol: null,
    total_buys_sol: sol(model.bought),
    total_sells_sol: sol(model.sold),
    total_buy_count: model.buyCount,
    total_sell_count: model.sellCount,
    largest_buy_sol: sol(model.largestBuy),
    largest_sell_sol: sol(model.largestSell),
    fastest_flip_seconds: model.fastestFlipMs === null ? null : model.fastestFlipMs / 1000,
    longest_hold_seconds: model.longestHoldMs === null ? null : model.longestHoldMs / 1000,
    first_trade_ts: model.firstTradeMs,
    last_trade_ts: model.lastTradeMs,
    is_arbitrageur: isOften && model.arbitrageTransactions * 2 >= model.transactions,
    uncovered_sell_qty: Number(model.uncoveredQty) / 10 ** model.decimals,
    uncovered_sell_sol: sol(model.uncoveredSol),
    realized_breakdown: { raw: sol(raw), strict: sol(strict), adjusted: sol(adjusted) },
  }
}

testWithText(
  'venue_1_2025-09.ndjson',
  'the wallets of real swaps have the positions of the naive model',
  async (t, text) => {
    const own = await apiUnderTest(t)
    const swaps = swapsOf(text)
    await insertLedger(own.db, swaps)
    const wallets = Map.groupBy(swaps, (swap) => swap.user)
    t.is(wallets.size, 396)
    for (const [user, trades] of wallets) {
      const model = positionsOf(trades)
      for (const mode of ['raw', 'strict', 'adjusted'] as const) {
        const query = `status=all&breakdown=1&limit=200&pnl_mode=${mode}`
        const { body } = await own.get(`/v2/pnl/wallets/${user}/positions?${query}`)
        const { positions, total } = body as unknown as PositionListAnswer
        t.is(total, model.size)
        for (const shown of positions) {
          t.like(shown, shownOf(shown.mint, model.get(shown.mint)!, mode), `${user} ${shown.mint}`)
        }
        t.deepEqual(positions.map((shown) => shown.mint).sort(), [...model.keys()].sort())
      }
    }
  },
)
