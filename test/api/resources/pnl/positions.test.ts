// /v2/pnl/wallets/{wallet}/positions: every figure hand-computed in three modes, filters and order, pages that cover
// their total, refusals.

import test from 'ava'
import type { PositionAnswer, PositionListAnswer } from '../../../../api/resources/pnl/schema.ts'
import { apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger, priceMints } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { START_MS, swapsOf, type Trade } from './ledger-swaps.ts'

const under = apiForFile()

/** One mint a wallet's rule. */
const HAND = 1
/** Many mints, with ties in every order, some without a price, every fourth sold out. */
const MANY = 2
const MANY_MINTS = 23
const priceOfMany = (n: number): number | undefined => (n % 5 === 4 ? undefined : (n % 3) * 0.5)

const HAND_TRADES: Trade[] = [
  // FIFO consumes 1 SOL and half of 3; the average gives up 3 of 4.
  { mint: 1, isBuy: true, tokens: 100, sol: 1 },
  { mint: 1, isBuy: true, tokens: 100, sol: 3 },
  { mint: 1, isBuy: false, tokens: 150, sol: 6 },
  // Sold without a buy.
  { mint: 2, isBuy: false, tokens: 2.5, sol: 0.5, decimals: 9 },
  // Never priced.
  { mint: 3, isBuy: true, tokens: 7, sol: 0.7, decimals: 0 },
  // Three transactions with both sides, one without.
  ...[101, 102, 103].flatMap((transaction): Trade[] => [
    { mint: 4, isBuy: true, tokens: 1, sol: 0.1, transaction },
    { mint: 4, isBuy: false, tokens: 1, sol: 0.11, transaction },
  ]),
  { mint: 4, isBuy: true, tokens: 1, sol: 0.1, transaction: 104 },
  { mint: 4, isBuy: false, tokens: 1, sol: 0.2, transaction: 105 },
  // More than int64 holds.
  { mint: 5, isBuy: true, tokens: 9_223_372_036_854_775_807n, sol: 2, transaction: 106 },
  { mint: 5, isBuy: true, tokens: 9_223_372_036_854_775_807n, sol: 2, transaction: 107 },
]
const MANY_TRADES: Trade[] = Array.from({ length: MANY_MINTS }, (_, n) => n).flatMap((n) => {
  const bought: Trade = { user: MANY, mint: 100 + n, isBuy: true, tokens: 2 + (n % 4), sol: 1 }
  const sold: Trade = { ...bought, isBuy: false, tokens: n % 4 === 0 ? 2 : 1, sol: 1 + (n % 3) }
  return [bought, sold].map((trade) => ({ ...trade, transaction: 200 + 2 * n }))
})

test.serial.before(async () => {
  const { db } = under()
  // Another wallet trades the same mints.
  const others: Trade[] = [{ user: 3, mint: 1, isBuy: true, tokens: 5, sol: 1, transaction: 900 }]
  await insertLedger(db, swapsOf([...HAND_TRADES, ...MANY_TRADES, ...others]))
  await priceMints(db, { [mint(1)]: 0.05, [mint(4)]: 2, [mint(5)]: 1e-15 })
  for (let n = 0; n < MANY_MINTS; n++) {
    const price = priceOfMany(n)
    if (price !== undefined) await priceMints(db, { [mint(100 + n)]: price })
  }
})

async function request(user: number, query = ''): Promise<PositionListAnswer> {
  const path = `/v2/pnl/wallets/${trader(user)}/positions?${query}`
  const { status, body } = await under().get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as PositionListAnswer
}

async function positionOf(user: number, n: number, query = ''): Promise<PositionAnswer> {
  const { positions, total } = await request(user, `mint=${mint(n)}&status=all&${query}`)
  if (positions.length !== 1 || total !== 1) throw new Error(`mint ${n}: ${positions.length} rows`)
  return positions[0] as PositionAnswer
}

test('a position shows each figure of its mode', async (t) => {
  const common = {
    mint: mint(1),
    balance_atomic: 50_000_000,
    qty: 50,
    price_sol: 0.05,
    current_value_sol: 2.5,
    total_buys_sol: 4,
    total_sells_sol: 6,
    total_buy_count: 2,
    total_sell_count: 1,
    largest_buy_sol: 3,
    largest_sell_sol: 6,
    // From the second buy, and from the first.
    fastest_flip_seconds: 1,
    longest_hold_seconds: 2,
    first_trade_ts: START_MS + 1_000,
    last_trade_ts: START_MS + 3_000,
    is_arbitrageur: false,
    tags: [],
    uncovered_sell_qty: 0,
    uncovered_sell_sol: 0,
    realized_usd: null,
    unrealized_usd: null,
    current_value_usd: null,
    cost_basis_usd: null,
  }
  const byMode = {
    strict: { cost_basis_sol: 1.5, avg_cost_per_token: 0.03, unrealized_sol: 1, realized_sol: 3.5 },
    adjusted: { cost_basis_sol: 1, avg_cost_per_token: 0.02, unrealized_sol: 1.5, realized_sol: 3 },
    raw: { cost_basis_sol: 1, avg_cost_per_token: 0.02, unrealized_sol: 1.5, realized_sol: 2 },
  }
  for (const [mode, own] of Object.entries(byMode)) {
    t.deepEqual(
      await positionOf(HAND, 1, `pnl_mode=${mode}`),
      { ...common, ...own, cost_basis_lamports: own.cost_basis_sol * 1e9 },
      mode,
    )
  }
})

test('every row has the requested breakdown, in any mode', async (t) => {
  for (const mode of ['raw', 'strict', 'adjusted']) {
    for (const flag of ['1', 'true']) {
      const shown = await positionOf(HAND, 1, `breakdown=${flag}&pnl_mode=${mode}`)
      t.deepEqual(shown.realized_breakdown, { raw: 2, strict: 3.5, adjusted: 3 })
    }
  }
  t.false('realized_breakdown' in (await positionOf(HAND, 1, 'breakdown=0')))
  const { positions } = await request(MANY, 'status=all&breakdown=1')
  t.true(positions.every((position) => position.realized_breakdown !== undefined))
})

test('reports uncovered sells separately, and realizes them in raw mode only', async (t) => {
  const sold = { uncovered_sell_qty: 2.5, uncovered_sell_sol: 0.5, total_sells_sol: 0.5 }
  const nothing = { fastest_flip_seconds: null, longest_hold_seconds: null, avg_cost_per_token: 0 }
  t.like(await positionOf(HAND, 2), { ...sold, ...nothing, realized_sol: 0, balance_atomic: 0 })
  t.like(await positionOf(HAND, 2, 'pnl_mode=strict'), { ...sold, realized_sol: 0 })
  t.like(await positionOf(HAND, 2, 'pnl_mode=raw'), { ...sold, realized_sol: 0.5 })
})

test('a position without a price has no value, is listed last and is below any least value', async (t) => {
  const unpriced = { current_value_sol: null, unrealized_sol: null, cost_basis_sol: 0.7 }
  t.like(await positionOf(HAND, 3), unpriced)
  for (const sort of ['value', 'unrealized']) {
    const { positions } = await request(HAND, `sort=${sort}`)
    t.is(positions.at(-1)?.mint, mint(3), sort)
    const priced = await request(HAND, `sort=${sort}&min_value_sol=0`)
    t.is(priced.total, positions.length - 1)
    t.false(priced.positions.some((position) => position.mint === mint(3)))
  }
})

test('three transactions on both sides and half of all make an arbitrageur', async (t) => {
  // 3 of 5.
  t.like(await positionOf(HAND, 4), { is_arbitrageur: true, current_value_sol: 0 })
  t.like(await positionOf(HAND, 5), { is_arbitrageur: false })
})

test('a balance beyond int64 is written to the last digit', async (t) => {
  const path = `/v2/pnl/wallets/${trader(HAND)}/positions?mint=${mint(5)}`
  const { text } = await under().get(path)
  t.true(text.includes('"balance_atomic":18446744073709551614,'))
})

test('reads an unknown or repeated pnl_mode as adjusted', async (t) => {
  for (const query of ['', 'pnl_mode=fifo', 'pnl_mode=RAW']) {
    const { pnl_mode, positions } = await request(HAND, `${query}&mint=${mint(1)}`)
    t.is(pnl_mode, 'adjusted', query)
    t.is(positions[0]?.realized_sol, 3, query)
  }
})

test('dollars are SOL by the rate of now', async (t) => {
  const own = await apiUnderTest(t)
  await insertLedger(own.db, swapsOf(HAND_TRADES.slice(0, 3)))
  await priceMints(own.db, { [mint(1)]: 0.05 })
  await own.db.query(
    `create or replace function sol_usd() returns double precision language sql stable return 150.5`,
  )
  const { body } = await own.get(`/v2/pnl/wallets/${trader(HAND)}/positions`)
  t.like(body.positions, {
    0: {
      realized_usd: 3 * 150.5,
      unrealized_usd: 1.5 * 150.5,
      current_value_usd: 2.5 * 150.5,
      cost_basis_usd: 150.5,
    },
  })
})

test('a reconciled wallet has its on-chain positions open, and reports holdings without swaps', async (t) => {
  const own = await apiUnderTest(t)
  await insertLedger(own.db, swapsOf(HAND_TRADES))
  const ofHand = async (query: string): Promise<PositionListAnswer> => {
    const { body } = await own.get(`/v2/pnl/wallets/${trader(HAND)}/positions?${query}`)
    return body as unknown as PositionListAnswer
  }
  const mintsOf = async (query: string): Promise<string[]> =>
    (await ofHand(query)).positions.map((position) => position.mint).sort()
  const all = [1, 2, 3, 4, 5].map(mint).sort()
  t.deepEqual(await mintsOf('status=open'), [1, 3, 5].map(mint).sort())
  // Held: one open by the ledger, one closed there, three without a swap, and one account that is empty.
  const held = [1, 4, 70, 71, 72].map(mint)
  await own.db.query(
    `with found as (select id from wallet where address = $1),
       pass as (insert into reconciliation select id, 1 from found)
     insert into held_token
     select id, unnest($2::text[]), unnest($3::numeric[]), 6 from found`,
    [trader(HAND), [...held, mint(3)], [...held.map(() => 5), 0]],
  )
  t.deepEqual(await mintsOf('status=open'), [mint(1)])
  t.deepEqual(await mintsOf('status=closed'), [2, 3, 4, 5].map(mint).sort())
  t.deepEqual(await mintsOf('status=all'), all)
  const counts = { reconciled: true, onchain_held_count: 5, unmatched_onchain_count: 3 }
  // The counts are the wallet's, for any filter.
  for (const query of ['', 'offset=9', `mint=${mint(2)}`, 'status=closed&limit=1']) {
    t.like(await ofHand(query), counts, query)
  }
  const { body } = await own.get(`/v2/pnl/wallets/${trader(HAND)}/risk`)
  t.like(body, { open_count: 1, exposure: { open_positions: 1, closed_positions: 4 } })
})

test('a position has the tags that the wallet has in its mint', async (t) => {
  const tags: [user: number, n: number, tag: string][] = [
    [MANY, 101, 'whale'],
    [MANY, 101, 'insider'],
    [MANY, 102, 'sniper'],
    [3, 103, 'smart_money'],
  ]
  for (const [user, n, tag] of tags) {
    await under().db.query(
      `insert into wallet_tag select wallet.id, token.id, $3, 1, 1 from wallet, token
       where wallet.address = $1 and token.address = $2`,
      [trader(user), mint(n), tag],
    )
  }
  t.deepEqual((await positionOf(MANY, 101)).tags, ['insider', 'whale'])
  t.deepEqual((await positionOf(MANY, 102)).tags, ['sniper'])
  t.deepEqual((await positionOf(MANY, 103)).tags, [])
})

type Sort = 'value' | 'realized' | 'unrealized'
const FIELDS = {
  value: 'current_value_sol',
  realized: 'realized_sol',
  unrealized: 'unrealized_sol',
} as const

/** The expected order of a list, from its rows. */
function inOrder(rows: readonly PositionAnswer[], sort: Sort): string[] {
  const figure = (row: PositionAnswer): number => row[FIELDS[sort]] ?? Number.NEGATIVE_INFINITY
  const byMint = (a: PositionAnswer, b: PositionAnswer): number => (a.mint < b.mint ? -1 : 1)
  return rows
    .toSorted((a, b) => Math.sign(figure(b) - figure(a)) || byMint(a, b))
    .map((row) => row.mint)
}

for (const sort of ['value', 'realized', 'unrealized'] as const) {
  for (const status of ['open', 'closed', 'all'] as const) {
    for (const least of [undefined, 0, 0.5, 1.75]) {
      const filter = least === undefined ? '' : `&min_value_sol=${least}`
      test(`walking pages covers the total: ${status} by ${sort}${filter}`, async (t) => {
        for (const mode of ['raw', 'strict', 'adjusted']) {
          const query = `status=${status}&sort=${sort}&pnl_mode=${mode}`
          const every = await request(MANY, `${query.replace(status, 'all')}&limit=200`)
          const expected = every.positions
            .filter((row) => status === 'all' || (status === 'open') === row.balance_atomic > 0n)
            .filter((row) => least === undefined || (row.current_value_sol ?? -1) >= least)
          const walked: string[] = []
          let total = 1
          while (walked.length < total) {
            const page = await request(MANY, `${query}${filter}&limit=4&offset=${walked.length}`)
            total = page.total
            t.is(page.positions.length, Math.min(4, total - walked.length))
            walked.push(...page.positions.map((row) => row.mint))
          }
          t.is(total, expected.length)
          t.deepEqual(walked, inOrder(expected, sort))
          const beyond = await request(MANY, `${query}${filter}&offset=${total}`)
          t.like(beyond, { total, offset: total, limit: 50 })
          t.deepEqual(beyond.positions, [])
        }
      })
    }
  }
}

test('a wallet of many mints has the positions of its trades', async (t) => {
  const all = await request(MANY, 'status=all&limit=200')
  t.is(all.total, MANY_MINTS)
  const open = await request(MANY, 'limit=200')
  t.is(open.total, all.positions.filter((row) => row.balance_atomic > 0n).length)
  const closed = await request(MANY, 'status=closed&limit=200')
  // n % 4 === 0 buys 2 and sells 2.
  t.is(closed.total, Math.ceil(MANY_MINTS / 4))
  t.is(open.total + closed.total, all.total)
  for (let n = 0; n < MANY_MINTS; n++) {
    const shown = all.positions.find((row) => row.mint === mint(100 + n))
    const price = priceOfMany(n)
    const left = n % 4 === 0 ? 0 : 1 + (n % 4)
    t.is(shown?.current_value_sol, price === undefined ? null : left * price)
  }
})

test('an unknown wallet has no positions, and a wallet has none in a mint that it never traded', async (t) => {
  const nothing = {
    pnl_mode: 'adjusted',
    total: 0,
    limit: 50,
    offset: 0,
    positions: [],
    onchain_held_count: null,
    unmatched_onchain_count: null,
    reconciled: false,
  }
  t.deepEqual(await request(77), { wallet: trader(77), ...nothing })
  for (const n of [100, 999]) {
    const requested = await request(HAND, `mint=${mint(n)}&status=all`)
    t.deepEqual(requested, { wallet: trader(HAND), ...nothing })
  }
})

test('the limits of limit and offset are themselves allowed', async (t) => {
  for (const query of [
    'limit=1',
    'limit=200',
    'offset=0',
    'offset=2147483647',
    'min_value_sol=0.0',
  ]) {
    t.is((await under().get(`/v2/pnl/wallets/${trader(1)}/positions?${query}`)).status, 200, query)
  }
})

test('bad parameters of positions are named', async (t) => {
  const refused: [string, RegExp][] = [
    ['limit=0', /^limit "0": expected an integer of 1 to 200$/],
    ['limit=201', /^limit "201"/],
    ['limit=ten', /^limit "ten"/],
    ['offset=-1', /^offset "-1": expected an integer of 0 to/],
    ['status=held', /^status "held": use one of open closed all$/],
    ['sort=mint', /^sort "mint": use one of value realized unrealized$/],
    ['min_value_sol=-1', /^min_value_sol "-1": expected a decimal of 0 to/],
    ['min_value_sol=much', /^min_value_sol "much"/],
    ['mint=abc', /^mint "abc": expected an address/],
    ['breakdown=2', /^breakdown "2": use one of true false 1 0$/],
    ['pnl_mode=raw&pnl_mode=strict', /^pnl_mode is given 2 times: give it once$/],
  ]
  for (const [query, text] of refused) {
    const path = `/v2/pnl/wallets/${trader(1)}/positions?${query}`
    const { status, body } = await under().get(path)
    t.is(status, 400, query)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, query)
    t.regex((body.error as { message: string }).message, text)
  }
  const { status, body } = await under().get('/v2/pnl/wallets/not-a-wallet/positions')
  t.is(status, 400)
  t.regex((body.error as { message: string }).message, /^wallet "not-a-wallet"/)
})

test('positions without a key are 401', async (t) => {
  const { status, body } = await under().call(`/v2/pnl/wallets/${trader(1)}/positions`)
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
