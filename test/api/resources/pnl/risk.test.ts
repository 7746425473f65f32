// /v2/pnl/wallets/{wallet}/risk: hand-computed concentration and exposure, a wallet without value, refusals.

import test from 'ava'
import fc from 'fast-check'
import { concentrationOf, sumOf } from '../../../../api/resources/pnl/risk.ts'
import type { PositionListAnswer, RiskAnswer } from '../../../../api/resources/pnl/schema.ts'
import { QUOTE_MINTS, USDC } from '../../../../domain/quote-mint.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger, priceMints } from '../../../support/api/insert-ledger.ts'
import { mint, sampleSwap, trader } from '../../../support/market/sample-swap.ts'
import { swapsOf, type Trade } from './ledger-swaps.ts'

const under = apiForFile()
const MIXED = 1
const UNPRICED = 2
const CLOSED = 3
const PARTLY_SOLD = 4
const LAMPORTS_PER_SOL = 1e9

const TRADES: Trade[] = [
  { user: MIXED, mint: 1, isBuy: true, tokens: 4, sol: 1 },
  { user: MIXED, mint: 2, isBuy: true, tokens: 3, sol: 1 },
  // Open without a price: counted, without a value.
  { user: MIXED, mint: 3, isBuy: true, tokens: 3, sol: 1 },
  // Closed, and an arbitrageur's: three of three transactions.
  ...[51, 52, 53].flatMap((transaction): Trade[] => [
    { user: MIXED, mint: 4, isBuy: true, tokens: 1, sol: 0.1, transaction },
    { user: MIXED, mint: 4, isBuy: false, tokens: 1, sol: 0.11, transaction },
  ]),
  { user: UNPRICED, mint: 3, isBuy: true, tokens: 3, sol: 1, transaction: 61 },
  { user: CLOSED, mint: 1, isBuy: true, tokens: 3, sol: 1, transaction: 62 },
  { user: CLOSED, mint: 1, isBuy: false, tokens: 3, sol: 1, transaction: 63 },
  // Lots of 1 and 3 SOL, of which one is sold: 3 SOL are left by lots, 2 by the average. Worth 1.5 SOL.
  { user: PARTLY_SOLD, mint: 1, isBuy: true, tokens: 1, sol: 1, transaction: 64 },
  { user: PARTLY_SOLD, mint: 1, isBuy: true, tokens: 1, sol: 3, transaction: 65 },
  { user: PARTLY_SOLD, mint: 1, isBuy: false, tokens: 1, sol: 1, transaction: 66 },
  // Without a price: 2 SOL of cost, and no gain or loss.
  { user: PARTLY_SOLD, mint: 3, isBuy: true, tokens: 1, sol: 2, transaction: 67 },
]

test.serial.before(async () => {
  const swaps = swapsOf(TRADES)
  const dollars = { user: trader(MIXED), tokenAddress: USDC, pairAddress: USDC, slot: 5_000 }
  const bought = sampleSwap({ ...dollars, isBuy: true, tokenAmount: 200_000_000 })
  await insertLedger(under().db, [...swaps, bought])
  // 4 x 1.5 = 6 SOL, 3 x 1 = 3 SOL, 200 USDC x 0.005 = 1 SOL.
  await priceMints(under().db, { [mint(1)]: 1.5, [mint(2)]: 1, [mint(4)]: 9, [USDC]: 0.005 })
})

const riskOf = async (user: number) => under().get(`/v2/pnl/wallets/${trader(user)}/risk`)

const NO_SHARES = { top1_pct: null, top3_pct: null, top5_pct: null, hhi: null }

test('risk of a wallet with open, closed, quote and unpriced positions', async (t) => {
  const { status, body } = await riskOf(MIXED)
  t.is(status, 200)
  t.like(body, {
    wallet: trader(MIXED),
    total_open_value_sol: 10,
    total_open_value_usd: null,
    exposure: {
      open_positions: 4,
      closed_positions: 1,
      quote_positions: 1,
      arbitrageur_positions: 1,
      pct_arbitrageur: 20,
      quote_value_sol: 1,
      nonquote_value_sol: 9,
    },
    priced_position_count: 3,
    open_count: 4,
  })
  t.like(body.concentration, { top1_pct: 60, top3_pct: 100, top5_pct: 100 })
  const { hhi } = body.concentration as { hhi: number }
  // 0.6^2 + 0.3^2 + 0.1^2.
  t.true(Math.abs(hhi - 0.46) < 1e-15)
})

test('cost and unrealized of open positions go by the mode, and equal the sums of the positions', async (t) => {
  const { body } = await riskOf(PARTLY_SOLD)
  t.like(body, {
    open_cost_lamports: { raw: 4e9, strict: 5e9, adjusted: 4e9 },
    open_unrealized_sol: { raw: -0.5, strict: -1.5, adjusted: -0.5 },
  })
  for (const user of [MIXED, PARTLY_SOLD]) {
    const { body: risk } = await riskOf(user)
    for (const mode of PNL_MODES) {
      const path = `/v2/pnl/wallets/${trader(user)}/positions?pnl_mode=${mode}`
      const { positions } = (await under().get(path)).body as unknown as PositionListAnswer
      const costs = positions.map(({ cost_basis_lamports: cost }) => BigInt(cost))
      const gains = positions.flatMap(({ unrealized_sol: gain }) => gain ?? [])
      const { open_cost_lamports, open_unrealized_sol } = risk as unknown as RiskAnswer
      t.is(
        BigInt(open_cost_lamports[mode]),
        costs.reduce((sum, cost) => sum + cost, 0n),
      )
      t.is(open_unrealized_sol[mode], sumOf(gains))
      for (const { qty, price_sol: price, current_value_sol: value } of positions) {
        t.is(value, price === null ? null : qty * price)
      }
    }
  }
})

test('a wallet without value has no shares', async (t) => {
  for (const [user, open_count, closed] of [
    [UNPRICED, 1, 0],
    [CLOSED, 0, 1],
    // Unknown.
    [77, 0, 0],
  ] as const) {
    const { status, body } = await riskOf(user)
    t.is(status, 200)
    const cost = open_count * LAMPORTS_PER_SOL
    const unrealized = open_count === 0 ? 0 : null
    t.deepEqual<object, object>(body, {
      wallet: trader(user),
      concentration: NO_SHARES,
      total_open_value_sol: 0,
      total_open_value_usd: null,
      exposure: {
        open_positions: open_count,
        closed_positions: closed,
        quote_positions: 0,
        arbitrageur_positions: 0,
        pct_arbitrageur: 0,
        quote_value_sol: 0,
        nonquote_value_sol: 0,
      },
      priced_position_count: 0,
      open_count,
      open_cost_lamports: { raw: cost, strict: cost, adjusted: cost },
      open_unrealized_sol: { raw: unrealized, strict: unrealized, adjusted: unrealized },
    })
  }
})

test('an empty portfolio is 0 dollars once a rate is known', async (t) => {
  const own = await apiUnderTest(t)
  await insertLedger(own.db, swapsOf(TRADES.filter(({ user }) => user === CLOSED)))
  await own.db.query(
    `insert into dollar_minute (bucket_ms, pool_id, decimals, volume_lamports, volume_units)
     values (0, 1, 6, 1000000000, 150000000)`,
  )
  for (const user of [CLOSED, 77]) {
    const { body } = await own.get(`/v2/pnl/wallets/${trader(user)}/risk`)
    t.like(body, { total_open_value_sol: 0, total_open_value_usd: 0 })
  }
})

test('caches a wallet that traded in the last five minutes for 5 seconds, another for 30', async (t) => {
  // By the wall clock, not by the newest swap: five minutes after the busy wallet's last one.
  const atMs = Date.UTC(2026, 8, 1)
  const own = await apiUnderTest(t, { now: () => atMs + 5 * 60_000 })
  const trades: Trade[] = [
    { user: 1, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs },
    { user: 2, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs: atMs - 1 },
    // Canonically last, but long ago.
    { user: 1, mint: 1, isBuy: true, tokens: 1, sol: 1, atMs: atMs - 1_000_000 },
  ]
  await insertLedger(own.db, swapsOf(trades))
  for (const [user, above, seconds] of [
    [1, -1, 5],
    [2, 5, 30],
    [77, 5, 30],
  ] as const) {
    const { headers } = await own.get(`/v2/pnl/wallets/${trader(user)}/risk`)
    t.is(headers.get('X-Cache'), 'miss')
    const stored = Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1])
    // Rounded down: some of the life is over when the answer leaves.
    t.true(stored > above && stored <= seconds, `${user}: ${stored}`)
    // Five seconds may be over before a loaded machine sends the next request.
    if (seconds === 5) continue
    const again = await own.get(`/v2/pnl/wallets/${trader(user)}/risk`)
    t.is(again.headers.get('X-Cache'), 'hit')
  }
})

test('refuses risk of an invalid wallet, and without a key', async (t) => {
  const { status, body } = await under().get('/v2/pnl/wallets/0x1234/risk')
  t.is(status, 400)
  t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
  t.is((await under().call(`/v2/pnl/wallets/${trader(1)}/risk`)).status, 401)
})

test('shares equal hand-computed ones', (t) => {
  t.deepEqual(concentrationOf([]), NO_SHARES)
  t.deepEqual(concentrationOf([0, 0]), NO_SHARES)
  t.deepEqual(concentrationOf([7]), { top1_pct: 100, top3_pct: 100, top5_pct: 100, hhi: 1 })
  // Eight equal ones; order is of no matter.
  t.deepEqual(concentrationOf(Array.from({ length: 8 }, () => 0.25)), {
    top1_pct: 12.5,
    top3_pct: 37.5,
    top5_pct: 62.5,
    hhi: 0.125,
  })
  t.deepEqual(concentrationOf([1, 4, 1, 1, 1]), concentrationOf([4, 1, 1, 1, 1]))
})

test('shares are ordered and bounded for any values', (t) => {
  const values = fc.array(fc.double({ min: 0, max: 1e12, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(values, (some) => {
      const { top1_pct, top3_pct, top5_pct, hhi } = concentrationOf(some)
      fc.pre(sumOf(some) > 0)
      t.true(top1_pct! <= top3_pct! && top3_pct! <= top5_pct! && top5_pct! <= 100 + 1e-9)
      t.true(hhi! <= top1_pct! / 100 + 1e-9 && hhi! >= 1 / some.length - 1e-9)
    }),
  )
})

test('quote mints are addresses, each once', (t) => {
  t.is(new Set(QUOTE_MINTS.map(({ tokenAddress }) => tokenAddress)).size, 5)
})
