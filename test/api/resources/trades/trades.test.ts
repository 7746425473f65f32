// /wallets/{w}/trades: every sell of real wallets against the naive model in three modes, sums against the summary, pages
// that cover the list, a late swap, GraphQL and refusals.

import test from 'ava'
import type { WalletPnlAnswer } from '../../../../api/resources/summary/schema.ts'
import type { TradeAnswer, TradeListAnswer } from '../../../../api/resources/trades/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { PNL_MODES, type PnlMode } from '../../../../domain/wallet/pnl-mode.ts'
import { type ModelSell, positionsOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { busiestFirst, swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { asker } from '../../graphql/send-query.ts'
import { swapOf, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

/** Wallets of the file that are compared. */
const WALLETS = 10
const MATCHES_SHOWN = 20

async function pageOf(api: ApiUnderTest, wallet: string, query: string): Promise<TradeListAnswer> {
  const { status, body } = await api.get(`/wallets/${wallet}/trades?${query}`)
  if (status !== 200) throw new Error(`${query}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as TradeListAnswer
}

async function allOf(api: ApiUnderTest, wallet: string, query: string): Promise<TradeAnswer[]> {
  const trades: TradeAnswer[] = []
  for (let cursor = ''; ; ) {
    const page = await pageOf(api, wallet, `${query}${cursor}`)
    trades.push(...page.trades)
    if (page.next_cursor === null) return trades
    cursor = `&cursor=${page.next_cursor}`
  }
}

type Named = Pick<TradeAnswer, 'signature' | 'pair_address' | 'ix_index' | 'is_buy'>
const nameOf = ({ signature, pair_address, ix_index, is_buy, ...legs }: Named & Legs): string =>
  [signature, pair_address, ix_index, is_buy, legs.sol_amount, legs.token_amount].join(' ')
type Legs = Record<'sol_amount' | 'token_amount', unknown>
const nameOfSwap = (swap: Swap): string =>
  nameOf({
    ...{ signature: swap.signature, pair_address: swap.pairAddress, ix_index: swap.ixIndex },
    ...{ is_buy: swap.isBuy, sol_amount: swap.solAmount, token_amount: swap.tokenAmount },
  })

/** Realized and cost of a swap by the model; undefined for a buy. */
function figuresOf(swap: Swap, sell: ModelSell | undefined, mode: PnlMode) {
  if (mode === 'raw') return [BigInt(swap.solAmount) * (swap.isBuy ? -1n : 1n), null]
  if (sell === undefined) return [null, null]
  const realized = mode === 'strict' ? sell.strict : sell.adjusted
  return [realized, sell.coveredProceeds - realized]
}

const big = (value: number | bigint | null): bigint | null =>
  value === null ? null : BigInt(value)

testWithText(
  'venue_1_2025-09.ndjson',
  'trades of real wallets realize what the model says, and sum up to the summary',
  async (t, text) => {
    const api = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertLedger(api.db, swaps)
    const wallets = busiestFirst(swaps).slice(0, WALLETS)
    let sold = 0
    for (const [at, [wallet, own]] of wallets.entries()) {
      const mode = PNL_MODES[at % PNL_MODES.length]!
      const order = at % 2 === 0 ? 'asc' : 'desc'
      const trades = await allOf(api, wallet, `pnl_mode=${mode}&order=${order}&limit=37`)
      const sells = new Map(
        [...positionsOf(own).values()]
          .flatMap((position) => position.sells)
          .map((sell) => [nameOfSwap(sell.swap), sell]),
      )
      const model = new Map(own.map((swap) => [nameOfSwap(swap), swap]))
      t.is(trades.length, own.length, wallet)
      t.is(new Set(trades.map(nameOf)).size, own.length)
      let sum = 0n
      for (const trade of trades) {
        const sell = sells.get(nameOf(trade))
        const [realized, cost] = figuresOf(model.get(nameOf(trade))!, sell, mode)
        t.deepEqual([big(trade.realized_lamports), big(trade.cost_lamports)], [realized, cost])
        t.is(big(trade.covered_quantity), sell?.covered ?? null)
        t.is(trade.match_count, sell?.consumed.length ?? 0)
        t.deepEqual(
          trade.matches.map((match) => [match.signature, BigInt(match.quantity)]),
          (sell?.consumed ?? [])
            .slice(0, MATCHES_SHOWN)
            .map(({ buy, qty }) => [buy.signature, qty]),
        )
        sum += big(trade.realized_lamports) ?? 0n
        sold += sell === undefined ? 0 : 1
      }
      const { body } = await api.get(`/v2/pnl/wallets/${wallet}`)
      const { by_mode } = body as unknown as WalletPnlAnswer
      t.is(sum, BigInt(by_mode[mode].realized_lamports), wallet)
    }
    t.true(sold > WALLETS)
  },
)

const TRADES: Trade[] = [
  { mint: 1, isBuy: true, tokens: 10, sol: 10 },
  { mint: 1, isBuy: true, tokens: 10, sol: 20 },
  { mint: 1, isBuy: false, tokens: 15, sol: 18 },
  { mint: 2, isBuy: false, tokens: 1, sol: 3 },
]

test('filters leave the figures of a sell as they are, and a late buy changes them', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(TRADES))
  const wallet = trader(1)
  const [sell, ...others] = (await pageOf(api, wallet, `mint=${mint(1)}&is_buy=false`)).trades
  t.deepEqual(others, [])
  t.like(sell, {
    realized_sol: -4.5,
    cost_lamports: 22_500_000_000,
    match_count: 2,
  })
  const [strict] = (await pageOf(api, wallet, `mint=${mint(1)}&is_buy=0&pnl_mode=strict`)).trades
  t.like(strict, { realized_sol: -2, cost_lamports: 20_000_000_000 })
  const [uncovered] = (await pageOf(api, wallet, `mint=${mint(2)}`)).trades
  t.like(uncovered, { realized_sol: 0, covered_quantity: 0, match_count: 0, matches: [] })
  const late: Trade = { mint: 2, isBuy: true, tokens: 1, sol: 1 }
  await insertLedger(api.db, [{ ...swapOf(5, late), slot: 1_000 }])
  const [covered] = (await pageOf(api, wallet, `mint=${mint(2)}`)).trades
  t.like(covered, { realized_sol: 2, match_count: 1 })
})

test('GraphQL answers as REST does; an unknown wallet has none; bad parameters are refused', async (t) => {
  const api = await apiUnderTest(t)
  await insertLedger(api.db, swapsOf(TRADES))
  const { send } = await asker(api)
  const { data } = await send(
    `{ walletTrades(wallet: "${trader(1)}", limit: 2, pnl_mode: "strict") {
       trades { signature realized_lamports matches { signature quantity } } next_cursor } }`,
  )
  const { trades, next_cursor } = await pageOf(api, trader(1), 'limit=2&pnl_mode=strict')
  const expected = trades.map(({ signature, realized_lamports, matches }) => ({
    ...{ signature, realized_lamports },
    matches: matches.map(({ signature: own, quantity }) => ({ signature: own, quantity })),
  }))
  t.deepEqual(JSON.parse(JSON.stringify(data)), {
    walletTrades: { trades: expected, next_cursor },
  })
  t.deepEqual(await pageOf(api, trader(77), ''), {
    ...{ wallet: trader(77), pnl_mode: 'adjusted', trades: [], next_cursor: null },
  })
  const path = `/wallets/${trader(1)}/trades`
  for (const query of ['limit=201', 'limit=0', 'order=up', 'cursor=x', 'dex=99', 'token=1']) {
    t.is((await api.get(`${path}?${query}`)).status, 400, query)
  }
  t.is((await api.get('/wallets/nonsense/trades')).status, 400)
  t.is((await api.call(path)).status, 401)
})
