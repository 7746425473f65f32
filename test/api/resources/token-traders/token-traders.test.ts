// /v2/pnl/tokens/{token}/traders and /first-buyers: order and figures of real tokens against the naive ledger and the
// swaps, pages that cover the list, a late swap, GraphQL and refusals.

import test from 'ava'
import type {
  FirstBuyersAnswer,
  TradersAnswer,
} from '../../../../api/resources/token-traders/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { PNL_MODES, type PnlMode } from '../../../../domain/wallet/pnl-mode.ts'
import { canonically } from '../../../simulation/model.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { positionsOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { swapsOf as realSwapsOf, testWithText } from '../../../support/real-swaps.ts'
import { asker } from '../../graphql/send-query.ts'
import { START_MS, swapOf, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const DAY_MS = 86_400_000
const SOL = 1_000_000_000n
/** Tokens of the file that are compared, the busiest. */
const TOKENS = 6

async function answerOf<Answer>(
  api: ApiUnderTest,
  token: string,
  requested: string,
): Promise<Answer> {
  const { status, body } = await api.get(`/v2/pnl/tokens/${token}/${requested}`)
  if (status !== 200) throw new Error(`${requested}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as Answer
}

async function allTraders(api: ApiUnderTest, token: string, query: string) {
  const rows: TradersAnswer['traders'] = []
  for (let cursor = ''; ; ) {
    const page = await answerOf<TradersAnswer>(api, token, `traders?${query}${cursor}`)
    rows.push(...page.traders)
    if (page.next_cursor === null) return { rows, total: page.total }
    cursor = `&cursor=${page.next_cursor}`
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Wallets and what they realized, in the order of the list. */
function naiveTraders(own: readonly Swap[], mode: PnlMode): [wallet: string, sol: number][] {
  return [...Map.groupBy(own, ({ user }) => user)]
    .map(([wallet, swaps]) => {
      const [position] = [...positionsOf(swaps).values()]
      return { wallet, realized: position!.realized[mode] }
    })
    .sort((a, b) =>
      a.realized === b.realized ? byText(a.wallet, b.wallet) : a.realized > b.realized ? -1 : 1,
    )
    .map(({ wallet, realized }) => [wallet, signedSol(realized)])
}

const signedSol = (lamports: bigint): number =>
  lamports < 0n ? -exactQuotient(-lamports, SOL) : exactQuotient(lamports, SOL)

/** First buys in order, among the first 1,000 swaps of the first day. */
function naiveFirstBuys(own: readonly Swap[]): Swap[] {
  const [first] = own.toSorted(canonically)
  const early = own
    .toSorted(canonically)
    .slice(0, 1_000)
    .filter(({ timestamp }) => timestamp < first!.timestamp + DAY_MS)
  const seen = new Set<string>()
  return early.filter(({ isBuy, user }) => {
    if (!isBuy || seen.has(user)) return false
    seen.add(user)
    return true
  })
}

testWithText(
  'venue_1_2025-09.ndjson',
  'traders and first buyers of real tokens are those of the models',
  async (t, text) => {
    const api = await apiUnderTest(t)
    const swaps = realSwapsOf(text)
    await insertSwaps(api.db, swaps, { hasPrices: true })
    await insertLedger(api.db, [])
    const tokens = [...Map.groupBy(swaps, ({ tokenAddress }) => tokenAddress)]
      .sort(([, one], [, other]) => other.length - one.length)
      .slice(0, TOKENS)
    for (const [at, [token, own]] of tokens.entries()) {
      const mode = PNL_MODES[at % PNL_MODES.length]!
      const model = naiveTraders(own, mode)
      const { rows, total } = await allTraders(api, token, `pnl_mode=${mode}&limit=7`)
      t.is(total, model.length, token)
      t.deepEqual(
        rows.map(({ wallet, realized_sol }) => [wallet, realized_sol]),
        model,
        `${token} ${mode}`,
      )
      const { buyers } = await answerOf<FirstBuyersAnswer>(api, token, 'first-buyers?limit=20')
      const first = naiveFirstBuys(own).slice(0, 20)
      t.deepEqual(
        buyers.map(({ wallet, signature, sol_amount }) => [wallet, signature, sol_amount]),
        first.map(({ user, signature, solAmount }) => [user, signature, solAmount]),
        token,
      )
      for (const { wallet, state, position } of buyers) {
        const ofWallet = own.filter(({ user }) => user === wallet)
        const [model] = [...positionsOf(ofWallet).values()]
        const isEmpty = model!.balance === 0n
        const expected = isEmpty ? 'sold_all' : model!.sellCount > 0 ? 'sold_some' : 'holds_all'
        t.is(state, expected, wallet)
        t.is(BigInt(position!.balance_atomic), model!.balance)
        t.is(position!.realized_sol, signedSol(model!.realized.adjusted))
      }
    }
  },
)

const TRADES: Trade[] = [
  { user: 1, mint: 1, isBuy: true, tokens: 10, sol: 10 },
  { user: 2, mint: 1, isBuy: true, tokens: 10, sol: 5 },
  { user: 1, mint: 1, isBuy: false, tokens: 10, sol: 12 },
  { user: 2, mint: 1, isBuy: false, tokens: 5, sol: 1 },
  { user: 3, mint: 1, isBuy: true, tokens: 1, sol: 1 },
  { user: 4, mint: 1, isBuy: false, tokens: 1, sol: 1 },
]

test('first buyers have a state, and a late buy takes the first place', async (t) => {
  const statesOf = async (swaps: readonly Swap[]) => {
    const api = await apiUnderTest(t)
    await insertSwaps(api.db, swaps, { hasPrices: true })
    await insertLedger(api.db, [])
    const { buyers } = await answerOf<FirstBuyersAnswer>(api, mint(1), 'first-buyers')
    return buyers.map(({ place: position, wallet, state }) => [position, wallet, state])
  }
  const swaps = swapsOf(TRADES)
  t.deepEqual(await statesOf(swaps), [
    [1, trader(1), 'sold_all'],
    [2, trader(2), 'sold_some'],
    [3, trader(3), 'holds_all'],
  ])
  const late = swapOf(9, { user: 4, mint: 1, isBuy: true, tokens: 3, sol: 1, atMs: START_MS })
  const [first] = await statesOf([...swaps, { ...late, slot: 1_000 }])
  t.deepEqual(first, [1, trader(4), 'sold_some'])
})

test('GraphQL answers as REST does; unknown tokens, bad parameters and cursors are refused', async (t) => {
  const api = await apiUnderTest(t)
  await insertSwaps(api.db, swapsOf(TRADES), { hasPrices: true })
  await insertLedger(api.db, [])
  const { send } = await asker(api)
  const { data, errors } = await send(
    `{ tokenTraders(token: "${mint(1)}", limit: 2) { total traders { wallet realized_sol } next_cursor }
       firstBuyers(token: "${mint(1)}") { buyers { wallet state position { mint } } } }`,
  )
  t.is(errors, undefined)
  const traders = await answerOf<TradersAnswer>(api, mint(1), 'traders?limit=2')
  const { buyers } = await answerOf<FirstBuyersAnswer>(api, mint(1), 'first-buyers')
  const { total, next_cursor } = traders
  t.deepEqual(JSON.parse(JSON.stringify(data)), {
    tokenTraders: {
      ...{ total, next_cursor },
      traders: traders.traders.map(({ wallet, realized_sol }) => ({ wallet, realized_sol })),
    },
    firstBuyers: {
      buyers: buyers.map(({ wallet, state }) => ({ wallet, state, position: { mint: mint(1) } })),
    },
  })
  const other = `traders?pnl_mode=raw&cursor=${next_cursor}`
  t.is((await api.get(`/v2/pnl/tokens/${mint(1)}/${other}`)).status, 400)
  const unknown = await answerOf<TradersAnswer>(api, mint(70), 'traders')
  t.like(unknown, { total: 0, traders: [], next_cursor: null })
  t.is((await api.get(`/v2/pnl/tokens/${mint(70)}/first-buyers`)).status, 404)
  for (const name of ['traders', 'first-buyers']) {
    t.is((await api.get(`/v2/pnl/tokens/${mint(1)}/${name}?limit=201`)).status, 400)
    t.is((await api.get(`/v2/pnl/tokens/x/${name}`)).status, 400)
    t.is((await api.call(`/v2/pnl/tokens/${mint(1)}/${name}`)).status, 401)
  }
})
