// Whales and smart money over HTTP: hand-computed figures, and the answer of each tier, cached or not.

import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import type { HolderPositionsAnswer } from '../../../../api/resources/tokens/schema.ts'
import { TIERS, type Tier } from '../../../../api/routing/caller.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger, insertPass, priceMints } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { START_MS, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const NOW_MS = 1_790_000_000_000
const UPGRADE_URL = 'https://example.org/upgrade'
const under = apiForFile({ now: () => NOW_MS, solUsdFallback: 100, upgradeUrl: UPGRADE_URL })
const keys = new Map<Tier, string>()

const trade = (user: number, isBuy: boolean, tokens: number, sol: number, of = 1): Trade => ({
  user,
  mint: of,
  isBuy,
  tokens,
  sol,
})

test.serial.before(async () => {
  const { db } = under()
  const trades = [
    // One buy of 60 SOL, all sold for 90: a whale by its earlier buy.
    trade(1, true, 1_000, 60),
    trade(1, false, 1_000, 90),
    // 30 + 30 SOL in two buys, 6,000 tokens left of 10,000: 300 SOL at 0.05, cost 36 of 60.
    trade(2, true, 5_000, 30),
    trade(2, true, 5_000, 30),
    trade(2, false, 4_000, 20),
    // Neither: 49 SOL at once, and 4,999 tokens are 249.95 SOL.
    trade(3, true, 4_999, 49),
    // On the edge of both rules: 50 SOL at once, 5,000 tokens are 250 SOL.
    trade(4, true, 1, 50),
    trade(5, true, 5_000, 10),
    // More than a score holds.
    trade(6, true, 100, 1_500),
    // Smart money elsewhere, of which one never traded mint 1.
    trade(7, true, 1_000, 2),
    trade(7, false, 500, 4),
    trade(8, true, 1, 1, 2),
    // In mint 3 each has 300 SOL by the ledger, and one a buy of 60.
    ...[11, 12, 13, 14].map((user) => trade(user, true, 6_000, 30, 3)),
    trade(15, true, 6_000, 60, 3),
  ]
  const [priced = [], others = []] = [true, false].map((isThird) =>
    swapsOf(trades).filter(({ tokenAddress }) => isThird === (tokenAddress === mint(3))),
  )
  // Intel looks for early buyers where there are candles.
  await insertSwaps(db, priced, { hasPrices: true })
  await insertLedger(db, others)
  await priceMints(db, { [mint(1)]: 0.05, [mint(3)]: 0.05 })
  // 11 was never reconciled, 12 has some on chain; 13, 14 and 15 have none there any more.
  await insertPass(db, trader(12), { [mint(3)]: 1 })
  await insertPass(db, trader(13), { [mint(3)]: 0, [mint(1)]: 5 })
  for (const user of [14, 15]) await insertPass(db, trader(user), { [mint(1)]: 5 })
  await db.query(
    `insert into wallet_tag (wallet_id, token_id, tag, score, computed_ms)
     select wallet.id, token.id, given.tag, given.score, 0
     from (values
       ($1, $4, 'smart_money', 0.5), ($1, $5, 'smart_money', 0.5), ($2, $5, 'smart_money', 0.9),
       ($3, $5, 'smart_money', 0.7), ($3, $4, 'whale', 1)
     ) as given (wallet, mint, tag, score)
     join wallet on wallet.address = given.wallet
     join token on token.address = given.mint`,
    [trader(7), trader(8), trader(5), mint(1), mint(2)],
  )
  for (const tier of TIERS) {
    const wanted = { tier, environment: 'test', account: tier, by: 'test' } as const
    keys.set(tier, (await createKey(db, wanted)).key)
  }
})

const as = (tier: Tier, path: string) =>
  under().call(path, { 'X-API-Key': keys.get(tier) ?? 'missing' })

const LOCKED = {
  results: [],
  tier_locked: true,
  tier_required: 'developer',
  upgrade_url: UPGRADE_URL,
  computed_at: NOW_MS,
}

for (const route of ['whales', 'smart-money']) {
  test(`${route}: below developer the answer is 200, locked and empty for any mint`, async (t) => {
    for (const n of [1, 99]) {
      const { status, body } = await as('free', `/tokens/${mint(n)}/${route}?limit=7`)
      t.is(status, 200)
      t.deepEqual(body as object, { mint: mint(n), ...LOCKED })
    }
  })

  test(`${route}: from developer on it is open, and never the cached response of another tier`, async (t) => {
    const path = `/tokens/${mint(1)}/${route}?limit=9`
    const requested: [Tier, 'hit' | 'miss', boolean][] = [
      ['free', 'miss', true],
      ['developer', 'miss', false],
      ['free', 'hit', true],
      ['pro', 'hit', false],
      ['enterprise', 'hit', false],
      ['developer', 'hit', false],
    ]
    for (const [tier, stored, isLocked] of requested) {
      const { status, headers, body } = await as(tier, path)
      t.is(status, 200)
      t.is(headers.get('X-Cache'), stored, tier)
      t.is(body.tier_locked, isLocked, tier)
      t.is((body.results as unknown[]).length > 0, !isLocked, tier)
    }
  })

  test(`${route}: an unknown mint is an empty list, a malformed one is 400, no key is 401`, async (t) => {
    const unknown = await as('pro', `/tokens/${mint(99)}/${route}`)
    t.deepEqual(unknown.body as object, {
      mint: mint(99),
      results: [],
      total: 0,
      tier_locked: false,
      computed_at: NOW_MS,
    })
    for (const tier of ['free', 'pro'] as const) {
      for (const path of [`/tokens/short/${route}`, `/tokens/${mint(1)}/${route}?limit=1001`]) {
        const { status, body } = await as(tier, path)
        t.is(status, 400, path)
        t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
      }
    }
    t.is((await under().call(`/tokens/${mint(1)}/${route}`)).status, 401)
  })
}

test('recognizes whales by one buy of 50 SOL or an open value of 250 SOL, the largest stake first', async (t) => {
  const { body } = await as('developer', `/tokens/${mint(1)}/whales`)
  const { results, total } = body as unknown as HolderPositionsAnswer
  t.is(total, 5)
  t.deepEqual(
    results.map(({ wallet, tag, score }) => [wallet, tag, score]),
    [
      [trader(6), 'whale', 1],
      [trader(2), 'whale', 0.3],
      [trader(5), 'whale', 0.25],
      [trader(1), 'whale', 0.06],
      [trader(4), 'whale', 0.05],
    ],
  )
  // Held: 6,000 + 4,999 + 1 + 5,000 + 100 + 500 = 16,600. Average cost: 60 of 10,000 is 36 of 6,000, so
  // that the sell of 4,000 for 20 lost 4.
  const second = results[1]
  t.deepEqual(second, {
    wallet: trader(2),
    tag: 'whale',
    score: 0.3,
    position: {
      balance_atomic: 6_000_000_000 as unknown as bigint,
      qty: 6_000,
      share_pct: 600_000 / 16_600,
      current_value_sol: 300,
      current_value_usd: 30_000,
      cost_basis_sol: 36,
      unrealized_sol: 264,
      total_buys_sol: 60,
      total_sells_sol: 20,
      largest_buy_sol: 30,
      first_trade_ts: START_MS + 3_000,
      last_trade_ts: START_MS + 5_000,
    },
    realized_sol: -4,
    realized_usd: -400,
  })
  const short = await as('developer', `/tokens/${mint(1)}/whales?limit=2`)
  t.is(short.body.total, 5)
  t.deepEqual(short.body.results, results.slice(0, 2))
})

test('a value is open while the mint is held on chain, where that is known', async (t) => {
  const { body } = await as('developer', `/tokens/${mint(3)}/whales`)
  const { results, total } = body as unknown as HolderPositionsAnswer
  t.is(total, 3)
  t.deepEqual(
    results.map(({ wallet, score }) => [wallet, score]),
    [
      ...[trader(11), trader(12)].sort().map((wallet) => [wallet, 0.3]),
      // By its earlier buy.
      [trader(15), 0.06],
    ],
  )
  // The holding by the ledger is reported as for every wallet.
  t.like(results[2], { position: { qty: 6_000, current_value_sol: 300 } })
  const intel = await as('developer', `/tokens/${mint(3)}/intel`)
  t.like(intel.body, { early_buyers: { count: 5, whale: 3 } })
})

test('recognizes smart money by its tags in any mint, once a wallet, if it traded this one', async (t) => {
  const { body } = await as('developer', `/tokens/${mint(1)}/smart-money`)
  const { results, total } = body as unknown as HolderPositionsAnswer
  t.is(total, 2)
  t.deepEqual(
    results.map(({ wallet, tag, score }) => [wallet, tag, score]),
    [
      [trader(5), 'smart_money', 0.7],
      [trader(7), 'smart_money', 0.5],
    ],
  )
  t.like(results[1], { realized_sol: 3, position: { qty: 500, cost_basis_sol: 1 } })
})

test('recognizes whales only by their buys without a price', async (t) => {
  const { body } = await as('pro', `/tokens/${mint(2)}/whales`)
  t.is(body.total, 0)
})
