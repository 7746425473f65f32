// The first pool of a mint and its creator, where a pool without a `created` event traded before one with it: over
// HTTP, in both orders of arrival.

import test from 'ava'
import { startApi } from '../../../../api/main.ts'
import type { IntelAnswer, RiskAnswer } from '../../../../api/resources/tokens/schema-profile.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import {
  type ApiUnderTest,
  apiUnderTest,
  PATIENT_MS,
  SILENT,
} from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const FIRST_MS = Date.UTC(2026, 7, 1)
const MINT = mint(1)
const SOL = 1e9

const swapIn = (pool: number, slot: number, n: number) =>
  sampleSwap({
    signature: signatureOf(n),
    slot,
    timestamp: FIRST_MS + slot * 400,
    tokenAddress: MINT,
    pairAddress: pair(pool),
    user: trader(n),
    solAmount: SOL,
    tokenAmount: 1e6,
    dex: 1,
    isBuy: true,
  })
const created = (pool: number, slot: number, by: number): PoolEvent => ({
  event: 'created',
  signature: signatureOf(900 + pool),
  slot,
  blockTxIndex: 0,
  ixIndex: 0,
  timestamp: FIRST_MS + slot * 400,
  dex: 2,
  pairAddress: pair(pool),
  tokenAddress: MINT,
  creator: trader(by),
})
// 3 bought in the slot in which 9 made pool 2, 20 slots after pool 1 began to trade.
const SWAPS = [swapIn(1, 1_000, 1), swapIn(2, 1_020, 3), swapIn(2, 1_021, 9)]

/** The answer of an API process with an empty cache. */
async function request<Answer>({ databaseUrl, key }: ApiUnderTest, path: string): Promise<Answer> {
  const bounds = { deadlineMs: PATIENT_MS, walkMs: PATIENT_MS }
  const api = await startApi({ databaseUrl, port: 0, log: SILENT, ...bounds })
  try {
    const response = await fetch(api.url + path, { headers: { 'X-API-Key': key } })
    return (await response.json()) as Answer
  } finally {
    await api.stop()
  }
}

const intelOf = (under: ApiUnderTest) => request<IntelAnswer>(under, `/tokens/${MINT}/intel`)

async function createdBy(under: ApiUnderTest, n: number): Promise<string[]> {
  type Screen = { results: { mint: string }[] }
  const { results } = await request<Screen>(under, `/screener?creator=${trader(n)}`)
  return results.map((each) => each.mint)
}

for (const first of ['swaps', 'event']) {
  test(`ignores a pool that was created after the first swap of another, the ${first} first`, async (t) => {
    const under = await apiUnderTest(t)
    const { db } = under
    if (first === 'swaps') await insertSwaps(db, SWAPS, { hasPrices: true })
    await insertEvents(db, [created(2, 1_020, 9)])
    if (first === 'event') await insertSwaps(db, SWAPS, { hasPrices: true })
    await insertLedger(db, [])
    const intel = await intelOf(under)
    t.deepEqual(intel.first_pool, {
      pair_address: pair(1),
      dex: 1,
      protocol: 'venue_1',
      created_at: null,
      slot: null,
      signature: null,
    })
    t.is(intel.first_trade_at as number, FIRST_MS + 1_000 * 400)
    t.is(intel.creator, null)
    t.like(intel.early_buyers, { count: 3, insider: 0 })
    const risk = await request<RiskAnswer>(under, `/tokens/${MINT}/risk`)
    const own = risk.factors.filter(({ name }) => name.startsWith('creator_'))
    t.deepEqual(
      own.map(({ points }) => points),
      [null, null],
    )
    t.deepEqual(await createdBy(under, 9), [])

    // The creator of the first pool arrives at last, at a position after the pool's first swap.
    await insertEvents(db, [created(1, 1_001, 8)])
    const reported = await intelOf(under)
    t.like(reported.first_pool, { pair_address: pair(1), slot: 1_001, signature: signatureOf(901) })
    t.like(reported.creator, { wallet: trader(8), mints_created: 1 })
    t.deepEqual(await createdBy(under, 8), [MINT])
  })
}

test('a created event precedes a swap of its position; an earlier late swap precedes both', async (t) => {
  const under = await apiUnderTest(t)
  const { db } = under
  await insertSwaps(db, [swapIn(1, 1_020, 1)], { hasPrices: true })
  await insertEvents(db, [created(2, 1_020, 9)])
  const before = await intelOf(under)
  t.is(before.creator?.wallet, trader(9))
  t.like(before.first_pool, { pair_address: pair(2), dex: 2, slot: 1_020 })
  await insertSwaps(db, [swapIn(1, 1_019, 2)], { hasPrices: true })
  const after = await intelOf(under)
  t.is(after.creator, null)
  t.like(after.first_pool, { pair_address: pair(1), created_at: null })
  // A line names the creator, whichever pool was first.
  await db.query('update token set creator = $2 where address = $1', [MINT, trader(7)])
  t.is((await intelOf(under)).creator?.wallet, trader(7))
})
