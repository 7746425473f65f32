// Holders of a token over HTTP: hand-computed figures, walks by cursor, and whole markets against the naive model.

import test, { type ExecutionContext } from 'ava'
import type { HoldersAnswer } from '../../../../api/resources/tokens/schema.ts'
import { positionsOf } from '../../../simulation/models/ledger-model.ts'
import { type ApiUnderTest, apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger, priceMints } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'
import { swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const NOW_MS = 1_790_000_000_000
const under = apiForFile({ now: () => NOW_MS, solUsdFallback: 200 })

const buy = (user: number, tokens: Trade['tokens'], of = 1): Trade => ({
  user,
  mint: of,
  isBuy: true,
  tokens,
  sol: 1,
})
const sell = (user: number, tokens: number, of = 1): Trade => ({
  ...buy(user, tokens, of),
  isBuy: false,
})

/** Wallets that all hold the same of mint 2, and two that hold the most that a pool can send of mint 3. */
const EQUAL = 25
const MOST = 9_223_372_036_854_775_807n

test.serial.before(async () => {
  const trades = [
    buy(1, 60),
    buy(2, 40),
    sell(2, 10),
    buy(3, 10),
    buy(4, 10),
    buy(5, 5),
    sell(5, 5),
    ...Array.from({ length: EQUAL }, (_, n) => buy(10 + n, 7, 2)),
    buy(8, 9, 2),
    buy(9, 3, 2),
    buy(1, MOST, 3),
    buy(2, MOST, 3),
  ]
  const { db } = under()
  await insertLedger(db, swapsOf(trades))
  await priceMints(db, { [mint(1)]: 0.5 })
  await db.query(
    `insert into wallet_tag (wallet_id, token_id, tag, score, computed_ms)
     select wallet.id, token.id, tag, 1, 0
     from wallet, token, unnest(array['whale', 'sniper']) as tag
     where wallet.address = $1 and token.address = $2`,
    [trader(1), mint(1)],
  )
})

async function walk({ get }: Pick<ApiUnderTest, 'get'>, token: string, limit: number) {
  const found: HoldersAnswer['holders'] = []
  let cursor = ''
  for (;;) {
    const { status, body } = await get(`/tokens/${token}/holders?limit=${limit}${cursor}`)
    if (status !== 200) throw new Error(`status ${status}`)
    const { holders, next_cursor } = body as unknown as HoldersAnswer
    found.push(...holders)
    if (next_cursor === null) return found
    cursor = `&cursor=${next_cursor}`
  }
}

test('lists holders with their balance, share and value', async (t) => {
  const { status, body } = await under().get(`/tokens/${mint(1)}/holders`)
  t.is(status, 200)
  // 60 + 30 + 10 + 10 tokens of 6 decimals; 0.5 SOL each at 200 US dollars a SOL.
  const holder = (n: number, tokens: number, tags: string[] = []) => ({
    wallet: trader(n),
    balance_atomic: tokens * 1e6,
    qty: tokens,
    share_pct: (tokens * 100) / 110,
    current_value_sol: tokens * 0.5,
    current_value_usd: tokens * 100,
    tags,
  })
  t.deepEqual(body as object, {
    mint: mint(1),
    holder_count: 4,
    held_supply: 110e6,
    holders: [holder(1, 60, ['sniper', 'whale']), holder(2, 30), holder(3, 10), holder(4, 10)],
    next_cursor: null,
    computed_at: NOW_MS,
  })
})

test('a walk in pages of any size finds each holder once, also among many that hold the same', async (t) => {
  const whole = await walk(under(), mint(2), 1000)
  const equals = Array.from({ length: EQUAL }, (_, n) => trader(10 + n)).sort()
  t.deepEqual(
    whole.map(({ wallet }) => wallet),
    [trader(8), ...equals, trader(9)],
  )
  for (const limit of [1, 2, 5, 26, 27]) {
    t.deepEqual(await walk(under(), mint(2), limit), whole, `pages of ${limit}`)
  }
})

test('reports balances and their sum to the last digit, beyond int64 too', async (t) => {
  const { text } = await under().get(`/tokens/${mint(3)}/holders`)
  t.is(text.match(/"balance_atomic":9223372036854775807,/g)?.length, 2)
  t.true(text.includes('"held_supply":18446744073709551614,'))
  t.is(text.match(/"share_pct":50,/g)?.length, 2)
  t.is((await walk(under(), mint(3), 1)).length, 2)
})

test('an unknown mint has no holders; without a price there is no value', async (t) => {
  const unknown = await under().get(`/tokens/${mint(99)}/holders`)
  t.is(unknown.status, 200)
  t.like(unknown.body, { holder_count: 0, held_supply: 0, next_cursor: null })
  t.deepEqual(unknown.body.holders, [])
  const [first] = await walk(under(), mint(2), 1)
  t.is(first?.current_value_sol, null)
  t.is(first?.current_value_usd, null)
})

test('answers 400 that names a wrong parameter, 401 without a key', async (t) => {
  const { get, call } = under()
  const swaps = await get('/swaps?limit=1')
  const cases = [
    ['/tokens/short/holders', 'mint'],
    [`/tokens/${mint(1)}/holders?limit=0`, 'limit'],
    [`/tokens/${mint(1)}/holders?limit=1001`, 'limit'],
    [`/tokens/${mint(1)}/holders?cursor=nonsense`, 'cursor'],
    [`/tokens/${mint(1)}/holders?cursor=${swaps.body.next_cursor}`, 'cursor'],
  ] as const
  t.not(swaps.body.next_cursor, null)
  for (const [path, named] of cases) {
    const { status, body } = await get(path)
    t.is(status, 400, path)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, path)
    t.true((body.error as { message: string }).message.startsWith(named), path)
  }
  t.is((await call(`/tokens/${mint(1)}/holders`)).status, 401)
})

/** The holders and balances of every mint, by the naive model. */
function modelled(swaps: ReturnType<typeof marketSwaps>): Map<string, [string, bigint][]> {
  const byMint = new Map<string, [string, bigint][]>()
  for (const [user, own] of Map.groupBy(swaps, (swap) => swap.user)) {
    for (const [token, { balance }] of positionsOf(own)) {
      if (balance === 0n) continue
      byMint.set(token, [...(byMint.get(token) ?? []), [user, balance]])
    }
  }
  for (const held of byMint.values()) {
    held.sort(([a, left], [b, right]) =>
      left === right ? (a < b ? -1 : 1) : left > right ? -1 : 1,
    )
  }
  return byMint
}

const marketSwaps = (seed: number) =>
  smallMarket(seed, 4_000).flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))

test('holders of a simulated market equal the naive model, mint by mint', async (t: ExecutionContext) => {
  const own = await apiUnderTest(t)
  const swaps = marketSwaps(7)
  await insertLedger(own.db, swaps)
  const expected = modelled(swaps)
  t.true(expected.size > 10)
  let compared = 0
  for (const [token, held] of expected) {
    const found = await walk(own, token, 3 + (compared % 50))
    t.deepEqual(
      found.map(({ wallet, balance_atomic: balance }) => [wallet, Number(balance)]),
      held.map(([wallet, balance]) => [wallet, Number(balance)]),
      token,
    )
    const sum = held.reduce((total, [, balance]) => total + balance, 0n)
    for (const [index, { share_pct }] of found.entries()) {
      const share = (Number(held[index]?.[1]) / Number(sum)) * 100
      t.true(Math.abs(share_pct - share) <= 1e-9 * share)
    }
    compared += 1
  }
})
