// /wallets/{w}/holdings against real servers: by swaps only, by a balance node over HTTP, and by one that fails; every
// figure hand-computed.

import test, { type ExecutionContext } from 'ava'
import type { HoldingsAnswer } from '../../../../api/resources/holdings/schema.ts'
import { openBalances } from '../../../../chain/accounts/providers.ts'
import type { NodeOptions } from '../../../../chain/rpc/json-rpc.ts'
import type { DexId } from '../../../../domain/venue.ts'
import {
  type ApiUnderTest,
  apiForFile,
  apiUnderTest,
  PATIENT_MS,
  SILENT,
} from '../../../support/api/api-under-test.ts'
import { insertLedger, priceMints } from '../../../support/api/insert-ledger.ts'
import { mint, pair, trader } from '../../../support/market/sample-swap.ts'
import {
  type BalanceNode,
  type Misbehave,
  startBalanceNode,
} from '../../../support/servers/balance-node.ts'
import { swapOf, type Trade } from '../pnl/ledger-swaps.ts'

const under = apiForFile()
/** Over the same kind of database, with a provider. */
let chained: { api: ApiUnderTest; node: BalanceNode }

const NEVER_TRADED = mint(77)
const OWN = 1
const DEX_2: DexId = 2
const OTHER_POOL = 90

/** Wallet 1: see each mint. */
const TRADES: (Trade & { dex?: DexId })[] = [
  // 150 of 200 left after FIFO: lots of 50 (half of 1 SOL) and 100 (3 SOL).
  { mint: 1, isBuy: true, tokens: 100, sol: 1 },
  { mint: 1, isBuy: true, tokens: 100, sol: 3 },
  { mint: 1, isBuy: false, tokens: 50, sol: 2 },
  // Sold out.
  { mint: 2, isBuy: true, tokens: 10, sol: 1 },
  { mint: 2, isBuy: false, tokens: 10, sol: 1.5 },
  // No price.
  { mint: 3, isBuy: true, tokens: 8, sol: 0.4, decimals: 0 },
  // Bought on two venues.
  { mint: 4, isBuy: true, tokens: 10, sol: 1, decimals: 9 },
  { mint: 4, isBuy: true, tokens: 30, sol: 6, decimals: 9, dex: DEX_2 },
]

async function fill({ db }: ApiUnderTest): Promise<void> {
  const swaps = TRADES.map(({ dex = 1, ...trade }, index) => {
    const swap = swapOf(index + 1, trade)
    return dex === DEX_2 ? { ...swap, dex: DEX_2, pairAddress: pair(OTHER_POOL) } : swap
  })
  await insertLedger(db, swaps)
  await priceMints(db, { [mint(1)]: 0.04, [mint(2)]: 1, [mint(4)]: 0.1 })
}

/** The database that the provider's API reads is this test file's second. */
async function withNode(
  t: Pick<ExecutionContext, 'teardown'>,
  options: Partial<NodeOptions> = {},
): Promise<{ api: ApiUnderTest; node: BalanceNode }> {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const balances = openBalances({ rpcUrl: node.rpcUrl, log: SILENT, ...options })
  return { api: await apiUnderTest(t, { balances }), node }
}

const ends: (() => unknown)[] = []
test.serial.before(async () => {
  await fill(under())
  chained = await withNode({ teardown: (end) => ends.push(end) }, { timeoutMs: PATIENT_MS })
  await fill(chained.api)
})
test.after.always(async () => {
  for (const end of ends.reverse()) await end()
})

async function holdingsOf(api: ApiUnderTest, wallet: string, query = ''): Promise<HoldingsAnswer> {
  const path = `/wallets/${wallet}/holdings${query}`
  const { status, body } = await api.get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as HoldingsAnswer
}

const BY_SWAPS: HoldingsAnswer['holdings'] = [
  {
    mint: mint(1),
    qty: 150,
    no_cost_basis: false,
    price_stale: false,
    cost_basis_sol: 3.5,
    current_value_sol: 6,
    current_value_usd: null,
    unrealized_pnl_sol: 2.5,
  },
  {
    mint: mint(4),
    qty: 40,
    no_cost_basis: false,
    price_stale: false,
    cost_basis_sol: 7,
    current_value_sol: 4,
    current_value_usd: null,
    unrealized_pnl_sol: -3,
  },
  {
    mint: mint(3),
    qty: 8,
    no_cost_basis: false,
    price_stale: true,
    cost_basis_sol: 0.4,
    current_value_sol: null,
    current_value_usd: null,
    unrealized_pnl_sol: null,
  },
]

test('without a provider lists the open positions, the most valuable first', async (t) => {
  const requestedAt = Date.now()
  const { computed_at, ...answer } = await holdingsOf(under(), trader(OWN))
  t.deepEqual(answer, {
    wallet: trader(OWN),
    holdings_source: 'fifo_fallback',
    holdings: BY_SWAPS,
  })
  t.true(computed_at >= requestedAt && computed_at <= Date.now())
})

test('with one lists on-chain holdings, at the cost of their lots', async (t) => {
  const { api, node } = chained
  node.hold(trader(OWN), [
    // Two accounts of a mint, together more than the lots: 3.5 SOL, not more.
    { mint: mint(1), quantity: 100_000_000n, decimals: 6 },
    { mint: mint(1), quantity: 200_000_000n, decimals: 6 },
    // Sold out by the swaps: the holding came from outside. Its on-chain decimals differ from those of its price: the
    // on-chain ones count.
    { mint: mint(2), quantity: 5_000_000n, decimals: 8, isToken2022: true },
    // A quarter of the lots: 1.75 SOL.
    { mint: mint(4), quantity: 10_000_000_000n, decimals: 9 },
    // Never seen.
    { mint: NEVER_TRADED, quantity: 123n, decimals: 2 },
  ])
  const { holdings, holdings_source } = await holdingsOf(api, trader(OWN))
  t.is(holdings_source, 'onchain')
  t.deepEqual(holdings, [
    {
      ...BY_SWAPS[0]!,
      qty: 300,
      current_value_sol: 12,
      unrealized_pnl_sol: 8.5,
    },
    {
      mint: mint(2),
      qty: 5,
      no_cost_basis: true,
      price_stale: false,
      cost_basis_sol: null,
      current_value_sol: 5,
      current_value_usd: null,
      unrealized_pnl_sol: null,
    },
    {
      ...BY_SWAPS[1]!,
      qty: 10,
      cost_basis_sol: 1.75,
      current_value_sol: 1,
      unrealized_pnl_sol: -0.75,
    },
    {
      mint: NEVER_TRADED,
      qty: 1.23,
      no_cost_basis: true,
      price_stale: true,
      cost_basis_sol: null,
      current_value_sol: null,
      current_value_usd: null,
      unrealized_pnl_sol: null,
    },
  ])
})

test('dex limits only the cost basis to its venue', async (t) => {
  const costs = ({ holdings }: HoldingsAnswer) =>
    Object.fromEntries(holdings.map((each) => [each.mint, [each.qty, each.cost_basis_sol]]))
  const expected: Record<string, object> = {
    // Mint 4: 10 for 1 SOL here, 30 for 6 there; 40 are held.
    '?dex=1': { [mint(1)]: [150, 3.5], [mint(4)]: [40, 1], [mint(3)]: [8, 0.4] },
    '?dex=2': { [mint(1)]: [150, null], [mint(4)]: [40, 6], [mint(3)]: [8, null] },
    '?dex=3': { [mint(1)]: [150, null], [mint(4)]: [40, null], [mint(3)]: [8, null] },
  }
  for (const [query, rows] of Object.entries(expected)) {
    t.deepEqual(costs(await holdingsOf(under(), trader(OWN), query)), rows, query)
  }
  const { api, node } = await withNode(t, { timeoutMs: PATIENT_MS })
  await fill(api)
  // 15 of the 30 bought on venue 2.
  node.hold(trader(OWN), [{ mint: mint(4), quantity: 15_000_000_000n, decimals: 9 }])
  t.deepEqual(costs(await holdingsOf(api, trader(OWN), '?dex=2')), { [mint(4)]: [15, 3] })
  t.deepEqual(costs(await holdingsOf(api, trader(OWN))), { [mint(4)]: [15, 2.625] })
})

test('values are in US dollars as well where there is a rate', async (t) => {
  const api = await apiUnderTest(t, { solUsdFallback: 150 })
  await fill(api)
  const { holdings } = await holdingsOf(api, trader(OWN))
  t.deepEqual(
    holdings.map((each) => each.current_value_usd),
    [900, 600, null],
  )
})

test('a price is stale when it is over a day older than the newest indexed swap', async (t) => {
  const api = await apiUnderTest(t)
  await fill(api)
  const DAY_MS = 86_400_000
  const set = (n: number, ageMs: number) =>
    api.db.query(
      `update pool set last_price_ms = (select max(last_ms) from slot_span) - $2::bigint
       from token where token.id = token_id and address = $1`,
      [mint(n), ageMs],
    )
  await set(1, DAY_MS)
  await set(4, DAY_MS + 1)
  const { holdings } = await holdingsOf(api, trader(OWN))
  const stale = Object.fromEntries(holdings.map((each) => [each.mint, each.price_stale]))
  t.deepEqual(stale, { [mint(1)]: false, [mint(4)]: true, [mint(3)]: true })
})

test('an unknown wallet has no holdings, or its on-chain ones', async (t) => {
  const wallet = trader(1234)
  for (const query of ['', '?dex=2']) {
    t.like(await holdingsOf(under(), wallet, query), {
      wallet,
      holdings_source: 'fifo_fallback',
      holdings: [],
    })
  }
  t.like(await holdingsOf(chained.api, wallet), { holdings_source: 'onchain', holdings: [] })
  const stranger = trader(1235)
  chained.node.hold(stranger, [{ mint: mint(1), quantity: 1_000_000n, decimals: 6 }])
  const { holdings } = await holdingsOf(chained.api, stranger)
  t.deepEqual(
    holdings.map((each) => [each.qty, each.no_cost_basis, each.current_value_sol]),
    [[1, true, 0.04]],
  )
})

test('any failure of the provider gives 200 by the swaps only', async (t) => {
  const wrong: Record<string, Misbehave | 'away'> = {
    down: 'away',
    'HTTP 503': (response) => response.writeHead(503).end(),
    'never answers': () => {},
    'not JSON': (response) => response.end('<html>'),
    'a JSON-RPC error': (response) => response.end('{"error":{"code":-32005,"message":"behind"}}'),
    'half a body': (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setImmediate(() => response.destroy())
    },
  }
  const { api, node } = await withNode(t, { restMs: 0, timeoutMs: 10_000 })
  await fill(api)
  node.hold(trader(OWN), [{ mint: mint(1), quantity: 1n, decimals: 6 }])
  for (const [index, [name, how]] of Object.entries(wrong).entries()) {
    if (how === 'away') await node.away()
    else node.misbehave(how)
    // Another dex each time: another cached answer.
    const { holdings_source, holdings } = await holdingsOf(api, trader(OWN), `?dex=${index + 1}`)
    t.is(holdings_source, 'fifo_fallback', name)
    t.is(holdings.length, 3, name)
    if (how === 'away') await node.back()
    node.misbehave(undefined)
  }
  t.is((await holdingsOf(api, trader(OWN))).holdings_source, 'onchain')
})

test('a silent provider is waited for within the deadline of a request, as it comes', async (t) => {
  const { api, node } = await withNode(t)
  await fill(api)
  node.misbehave(() => {})
  const requestedAt = performance.now()
  t.is((await holdingsOf(api, trader(OWN))).holdings_source, 'fifo_fallback')
  // The provider never would.
  t.true(performance.now() - requestedAt < PATIENT_MS)
})

test('a refused request does not reach the provider', async (t) => {
  const { api, node } = await withNode(t)
  const wallet = trader(OWN)
  for (const path of [
    '/wallets/short/holdings',
    `/wallets/${wallet}/holdings?dex=11`,
    `/wallets/${wallet}/holdings?dex=0`,
    `/wallets/${wallet}/holdings?dex=Venue_1`,
  ]) {
    const { status, body } = await api.get(path)
    t.is(status, 400, path)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
  }
  const { status, body } = await api.call(`/wallets/${wallet}/holdings`)
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
  t.deepEqual(node.questions, [])
})
