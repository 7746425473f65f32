// /stats/trader/{wallet} and /stats/global against scans of the swaps and the naive ledger; GraphQL and refusals.

import test from 'ava'
import type {
  GlobalTotalsAnswer,
  TraderTotalsAnswer,
} from '../../../../api/resources/totals/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { positionsOf } from '../../../simulation/models/ledger-model.ts'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { busiestFirst, swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { asker } from '../../graphql/send-query.ts'

const WALLETS = 15
const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n)
const legs = (swaps: readonly Swap[]): bigint =>
  sum(swaps.map(({ solAmount }) => BigInt(solAmount)))
const distinct = (values: readonly unknown[]): number => new Set(values).size

function traderOf(own: readonly Swap[]) {
  const positions = [...positionsOf(own).values()]
  const count = (name: 'coveredSellCount' | 'winCount' | 'transactions') =>
    positions.reduce((total, position) => total + position[name], 0)
  return {
    counts: {
      trade_count: own.length,
      buy_count: own.filter(({ isBuy }) => isBuy).length,
      transaction_count: count('transactions'),
      token_count: positions.length,
      covered_sell_count: count('coveredSellCount'),
      win_count: count('winCount'),
      first_trade_ts: Math.min(...positions.map(({ firstTradeMs }) => firstTradeMs)),
      last_trade_ts: Math.max(...positions.map(({ lastTradeMs }) => lastTradeMs)),
    },
    sums: {
      volume_lamports: legs(own),
      buys_lamports: legs(own.filter(({ isBuy }) => isBuy)),
      sells_lamports: legs(own.filter(({ isBuy }) => !isBuy)),
      uncovered_sell_lamports: sum(positions.map(({ uncoveredSol }) => uncoveredSol)),
      realized_raw_lamports: sum(positions.map(({ realized }) => realized.raw)),
      realized_strict_lamports: sum(positions.map(({ realized }) => realized.strict)),
      realized_adjusted_lamports: sum(positions.map(({ realized }) => realized.adjusted)),
    },
  }
}

testWithText(
  'venue_1_2025-09.ndjson',
  'totals of real traders, and of all, are those of their swaps',
  async (t, text) => {
    const api = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertSwaps(api.db, swaps, { hasPrices: true })
    await insertLedger(api.db, [])
    const wallets = busiestFirst(swaps).slice(0, WALLETS)
    for (const [wallet, own] of wallets) {
      const { body } = await api.get(`/stats/trader/${wallet}`)
      const answer = body.data as unknown as TraderTotalsAnswer
      const { counts, sums } = traderOf(own)
      t.like(answer, counts, wallet)
      const shown = Object.fromEntries(
        (Object.keys(sums) as (keyof typeof sums)[]).map((name) => [name, BigInt(answer[name])]),
      )
      t.deepEqual(shown, sums, wallet)
    }
    const { body } = await api.get('/stats/global')
    const answer = body.data as unknown as GlobalTotalsAnswer
    const times = swaps.map(({ timestamp }) => timestamp)
    t.like(answer, {
      trade_count: swaps.length,
      trader_count: distinct(swaps.map(({ user }) => user)),
      token_count: distinct(swaps.map(({ tokenAddress }) => tokenAddress)),
      pool_count: distinct(swaps.map((swap) => `${swap.pairAddress} ${swap.tokenAddress}`)),
      first_timestamp: Math.min(...times),
      newest_timestamp: Math.max(...times),
      newest_slot: Math.max(...swaps.map(({ slot }) => slot)),
    })
    t.is(BigInt(answer.volume_lamports), legs(swaps))
  },
)

test('GraphQL answers as REST does; an unknown wallet has zeros, a bad one is refused', async (t) => {
  const api = await apiUnderTest(t)
  const { body: empty } = await api.get('/stats/global')
  t.like(empty.data, { trade_count: 0, newest_slot: null, first_timestamp: null })
  const { body } = await api.get(`/stats/trader/${trader(7)}`)
  t.like(body.data, { wallet: trader(7), trade_count: 0, win_rate: 0, first_trade_ts: null })
  const { send } = await asker(api)
  const { data } = await send(
    `{ traderTotals(wallet: "${trader(7)}") { trade_count volume_sol } globalTotals { pool_count } }`,
  )
  t.deepEqual(JSON.parse(JSON.stringify(data)), {
    traderTotals: { trade_count: 0, volume_sol: 0 },
    globalTotals: { pool_count: 0 },
  })
  t.is((await api.get('/stats/trader/nonsense')).status, 400)
  t.is((await api.get('/stats/global?window=1d')).status, 400)
  for (const path of ['/stats/global', `/stats/trader/${trader(7)}`]) {
    t.is((await api.call(path)).status, 401)
  }
})
