// Intel and risk of tokens over HTTP: a small hand-made market, with a node that knows one mint.

import test from 'ava'
import type { IntelAnswer, RiskAnswer } from '../../../../api/resources/tokens/schema-profile.ts'
import { openMints } from '../../../../chain/accounts/providers.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { apiForFile, SILENT } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { mintValue, startBalanceNode } from '../../../support/servers/balance-node.ts'

const NOW_MS = 1_790_000_000_000
const FIRST_MS = Date.UTC(2026, 7, 1)
const HOUR_MS = 3_600_000
const SLOT_MS = 400
const FIRST_SLOT = 1_000
const BIRTH = 1
const SOL = 1e9

const node = await startBalanceNode()
test.after.always(() => node.stop())
const under = apiForFile({
  now: () => NOW_MS,
  solUsdFallback: 100,
  mints: openMints({ rpcUrl: node.rpcUrl, log: SILENT, timeoutMs: 60_000 }),
  deadlineMs: 60_000,
})

type Trade = Omit<Partial<Swap>, 'user'> & {
  n: number
  user: number
  slot: number
  tokens: number
  sol: number
}

/** Buys when tokens are above 0, sells when below; 52.5 SOL are left in the pool. */
const trade = ({ n, user, slot, tokens, sol, ...more }: Trade): Swap =>
  sampleSwap({
    signature: signatureOf(n),
    slot,
    blockTxIndex: n,
    timestamp: FIRST_MS + (slot - FIRST_SLOT) * SLOT_MS,
    user: trader(user),
    tokenAddress: mint(1),
    pairAddress: pair(1),
    isBuy: tokens > 0,
    tokenAmount: Math.abs(tokens) * 1e6,
    solAmount: Math.round(sol * SOL),
    realSolReserves: 52.5 * SOL,
    ...more,
  })

const slotAt = (hours: number): number => FIRST_SLOT + (hours * HOUR_MS) / SLOT_MS
const RUG = { tokenAddress: mint(2), pairAddress: pair(3), realSolReserves: SOL }

const SWAPS = [
  trade({ n: BIRTH, user: 1, slot: 1_000, tokens: 100, sol: 10 }),
  trade({ n: 2, user: 2, slot: 1_000, tokens: 100, sol: 10 }),
  trade({ n: 3, user: 3, slot: 1_002, tokens: 600, sol: 60 }),
  trade({ n: 4, user: 4, slot: 1_010, tokens: 100, sol: 10 }),
  trade({ n: 5, user: 5, slot: 1_020, tokens: 50, sol: 5 }),
  trade({ n: 6, user: 1, slot: 1_030, tokens: -50, sol: 15 }),
  trade({ n: 7, user: 6, slot: slotAt(2), tokens: 10, sol: 0.1, dex: 2, pairAddress: pair(2) }),
  // Two days later: no early buy, and the newest swap of all.
  trade({ n: 8, user: 7, slot: slotAt(48), tokens: 90, sol: 9 }),
  trade({ n: 9, user: 8, slot: slotAt(47), tokens: 100, sol: 10, ...RUG }),
  trade({ n: 10, user: 8, slot: slotAt(47) + 1, tokens: -90, sol: 0.9, ...RUG }),
]

/** Within 24 hours of the first, after the early buys, and the newest of all is later still. */
const DAY_LONG = [22, 45.9, 46.1].map((hours, index) =>
  trade({
    ...{ n: 21 + index, user: 21 + index, slot: slotAt(hours), tokens: 10, sol: 1 },
    ...{ tokenAddress: mint(9), pairAddress: pair(9) },
  }),
)

const event = (fields: Partial<PoolEvent> & Pick<PoolEvent, 'event' | 'slot'>): PoolEvent => ({
  signature: signatureOf(BIRTH),
  timestamp: FIRST_MS + (fields.slot - FIRST_SLOT) * SLOT_MS,
  pairAddress: pair(1),
  tokenAddress: mint(1),
  dex: 1,
  blockTxIndex: BIRTH,
  ixIndex: 0,
  ...fields,
})
const OTHERS = { tokenAddress: mint(4), signature: signatureOf(60) }
const MIGRATED_SLOT = slotAt(2) - 10
const EVENTS = [
  event({ event: 'created', slot: 1_000, creator: trader(1) }),
  event({
    event: 'migrated',
    slot: MIGRATED_SLOT,
    signature: signatureOf(50),
    pairAddress: pair(2),
    fromPair: pair(1),
    dex: 2,
  }),
  // 1 made a second pool of a mint that is 9's.
  event({ ...OTHERS, event: 'created', slot: 500, pairAddress: pair(5), creator: trader(9) }),
  event({ ...OTHERS, event: 'created', slot: 600, pairAddress: pair(6), creator: trader(1) }),
]

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, [...SWAPS, ...DAY_LONG], { hasPrices: true })
  await insertEvents(db, EVENTS)
  await insertLedger(db, [])
  await db.query(
    `update token set symbol = 'ONE', name = 'One', supply = 9007199254740993, decimals = 6,
       sector = 'memes'
     where address = $1`,
    [mint(1)],
  )
  await db.query(
    `insert into token (address, creator) values ($1, $2)`,
    // Another mint of the same creator, by its token line only.
    [mint(3), trader(1)],
  )
  await db.query(
    `insert into wallet_tag (wallet_id, token_id, tag, score, computed_ms)
     select wallet.id, token.id, 'smart_money', 1, 0
     from wallet, token where wallet.address = $1 and token.address = $2`,
    [trader(4), mint(2)],
  )
  await db.query('analyze')
  node.setAccount(mint(2), mintValue({ mintAuthority: trader(9) }))
})

const isNear = (value: unknown, expected: number): boolean =>
  Math.abs(Number(value) - expected) <= 1e-9 * Math.max(1, Math.abs(expected))

test('intel describes the token, its creator, and its origin', async (t) => {
  const { status, text, body } = await under().get(`/tokens/${mint(1)}/intel`)
  t.is(status, 200)
  t.true(text.includes('"supply":9007199254740993,'))
  const intel = body as unknown as IntelAnswer
  t.like(intel, {
    mint: mint(1),
    symbol: 'ONE',
    name: 'One',
    decimals: 6,
    sector: 'memes',
    price_sol: 0.1,
    price_usd: 10,
    top_pair: pair(1),
    liquidity_sol: 105,
    liquidity_usd: 10_500,
    pool_count: 2,
    first_trade_at: FIRST_MS,
    computed_at: NOW_MS,
  })
  t.deepEqual(intel.creator, {
    wallet: trader(1),
    mints_created: 2,
    held_pct: 5,
    total_buys_sol: 10,
    total_sells_sol: 15,
  })
  t.deepEqual(intel.first_pool, {
    pair_address: pair(1),
    dex: 1,
    protocol: 'venue_1',
    created_at: FIRST_MS,
    slot: 1_000,
    signature: signatureOf(BIRTH),
  })
  t.deepEqual(intel.migration, {
    pair_address: pair(2),
    dex: 2,
    protocol: 'venue_2',
    from_pair: pair(1),
    migrated_at: FIRST_MS + (MIGRATED_SLOT - FIRST_SLOT) * SLOT_MS,
    slot: MIGRATED_SLOT,
    signature: signatureOf(50),
  })
})

test('intel describes the early buyers and the distribution of the token', async (t) => {
  const intel = (await under().get(`/tokens/${mint(1)}/intel`)).body as unknown as IntelAnswer
  // 1 created it, 2 was the first other buyer of its slot, 3 came two slots later with 60 SOL, 4 is smart money
  // elsewhere, 5 and 6 have no tags; 7 bought after the first day. They have 910 of 1,000 left.
  t.deepEqual(intel.early_buyers, {
    count: 6,
    sniper: 3,
    insider: 2,
    whale: 1,
    smart_money: 1,
    untagged: 2,
    held_pct: 91,
  })
  const { hhi, ...spread } = intel.concentration
  t.deepEqual(spread, {
    holder_count: 7,
    held_supply: 1_000_000_000 as unknown as bigint,
    top1_pct: 60,
    top10_pct: 100,
  })
  // 5 %, 10 %, 60 %, 10 %, 5 %, 1 %, 9 %.
  t.true(isNear(hhi, 0.0025 + 0.01 + 0.36 + 0.01 + 0.0025 + 0.0001 + 0.0081))
})

test('early buyers are the buyers of 24 hours from the first trade', async (t) => {
  const intel = (await under().get(`/tokens/${mint(9)}/intel`)).body as unknown as IntelAnswer
  t.is(intel.early_buyers.count, 2)
})

test('a token of which only its line is known has intel without a market', async (t) => {
  const { body } = await under().get(`/tokens/${mint(3)}/intel`)
  const intel = body as unknown as IntelAnswer
  t.like(intel, { price_sol: null, top_pair: null, liquidity_sol: null, first_trade_at: null })
  t.is(intel.first_pool, null)
  t.is(intel.migration, null)
  t.is(intel.creator?.wallet, trader(1))
  t.is(intel.early_buyers.count, 0)
  t.deepEqual(intel.concentration, {
    holder_count: 0,
    held_supply: 0 as unknown as bigint,
    top1_pct: null,
    top10_pct: null,
    hhi: null,
  })
})

test('without a created event the first pool is that of the first swap', async (t) => {
  const { body } = await under().get(`/tokens/${mint(2)}/intel`)
  t.deepEqual((body as unknown as IntelAnswer).first_pool, {
    pair_address: pair(3),
    dex: 1,
    protocol: 'venue_1',
    created_at: null,
    slot: null,
    signature: null,
  })
})

const pointsOf = ({ factors }: RiskAnswer): Record<string, number | null> =>
  Object.fromEntries(factors.map(({ name, points }) => [name, points]))

test('risk adds up its factors, each with its evidence', async (t) => {
  const { status, body } = await under().get(`/tokens/${mint(1)}/risk`)
  t.is(status, 200)
  const risk = body as unknown as RiskAnswer
  t.like(risk, { mint: mint(1), onchain_status: 'absent', computed_at: NOW_MS })
  const expected: Record<string, number | null> = {
    rugged: 0,
    // From 0.3 to 0.1 are 66.67 %, of 50 .. 95.
    fallen_from_peak: ((200 / 3 - 50) / 45) * 10,
    top10_concentration: 20,
    creator_holds: 0,
    // Brought 15, and 50 left at 0.1: 75 %, of 25 .. 100.
    creator_sold: 10,
    single_pool: 0,
    low_liquidity: 7.5,
    few_holders: 10,
    // 48 hours, of 72 .. 1.
    fresh_mint: (24 / 71) * 10,
    mint_authority: null,
    freeze_authority: null,
    token_extensions: null,
  }
  const points = pointsOf(risk)
  t.deepEqual(Object.keys(points), Object.keys(expected))
  for (const [name, value] of Object.entries(expected)) {
    if (value === null) t.is(points[name], null, name)
    else t.true(isNear(points[name], value), `${name} ${points[name]}`)
  }
  // 54.58.
  t.is(risk.score, 55)
  t.is(risk.level, 'high')
  const evidenceOf = (name: string) => risk.factors.find((each) => each.name === name)?.evidence
  t.deepEqual(evidenceOf('creator_sold'), {
    creator: trader(1),
    sold_sol: 15,
    left_sol: 5,
    sold_pct: 75,
  })
  t.deepEqual(evidenceOf('few_holders'), { holder_count: 7 })
})

test('a rug with an authority left is critical', async (t) => {
  const { body } = await under().get(`/tokens/${mint(2)}/risk`)
  const risk = body as unknown as RiskAnswer
  t.is(risk.onchain_status, 'mint')
  t.like(pointsOf(risk), { rugged: 40, mint_authority: 15, freeze_authority: 0, single_pool: 5 })
  t.like(
    risk.factors.find(({ name }) => name === 'mint_authority'),
    { evidence: { holder: trader(9) } },
  )
  t.is(risk.score, 100)
  t.is(risk.level, 'critical')
})

for (const route of ['intel', 'risk']) {
  test(`${route}: an unknown mint is 404, a malformed one 400, no key is 401`, async (t) => {
    const { get, call } = under()
    const unknown = await get(`/tokens/${mint(99)}/${route}`)
    t.is(unknown.status, 404)
    t.like(unknown.body, { success: false, error: { code: 'NOT_FOUND' } })
    const malformed = await get(`/tokens/${mint(1)}x/${route}`)
    t.is(malformed.status, 400)
    t.like(malformed.body, { success: false, error: { code: 'INVALID_PARAM' } })
    t.is((await call(`/tokens/${mint(1)}/${route}`)).status, 401)
    t.false(node.questions.some(({ params: [requested] }) => requested === mint(99)))
  })
}
