// Cursors: whatever the page sizes, filters and ties, walking a list gives its sorted whole, once.
// The judge is the canonical comparison over swaps in memory.

import test from 'ava'
import fc from 'fast-check'
import { compareSwaps, type Swap } from '../../streams/swap.ts'
import { type ApiUnderTest, apiForFile } from './api-under-test.ts'
import { insertSwaps } from './insert-swaps.ts'
import { mint, pair, tiedSwaps, trader } from './sample-swap.ts'

const under = apiForFile()
const tables = 'swap, swap_signature, slot_span, pool, wallet, token, pool_event'

/** Fields that tell swaps of distinct identity apart. */
const keyOfAnswer = (row: Record<string, unknown>): string =>
  [
    row.slot,
    row.block_tx_index,
    row.ix_index,
    row.dex,
    row.is_buy,
    row.signature,
    row.pair_address,
    row.user,
    row.sol_amount,
    row.token_amount,
  ].join()

const keyOfSwap = (swap: Swap): string =>
  [
    swap.slot,
    swap.blockTxIndex,
    swap.ixIndex,
    swap.dex,
    swap.isBuy,
    swap.signature,
    swap.pairAddress,
    swap.user,
    swap.solAmount,
    swap.tokenAmount,
  ].join()

type Case = { path: string; holds: (swap: Swap) => boolean }

const from = Date.UTC(2026, 6, 1) + 101 * 400
const to = Date.UTC(2026, 6, 1) + 162_000 * 400
const cases: Case[] = [
  { path: '/swaps?', holds: () => true },
  { path: '/swaps?is_buy=true&dex=2&', holds: ({ isBuy, dex }) => isBuy && dex === 2 },
  { path: `/swaps?pair_address=${pair(1)}&`, holds: (swap) => swap.pairAddress === pair(1) },
  { path: '/swaps/whale?', holds: ({ solAmount }) => solAmount >= 50_000_000_000 },
  {
    path: `/swaps?user=${trader(1)}&token_address=${mint(0)}&`,
    holds: (swap) => swap.user === trader(1) && swap.tokenAddress === mint(0),
  },
  { path: `/swaps/trader/${trader(0)}?`, holds: (swap) => swap.user === trader(0) },
  { path: `/swaps/token/${mint(2)}?`, holds: (swap) => swap.tokenAddress === mint(2) },
  {
    path: `/swaps/range?from=${from}&to=${to}&`,
    holds: ({ timestamp }) => timestamp >= from && timestamp <= to,
  },
  {
    path: `/swaps/token/${mint(1)}?from=${from}&`,
    holds: (swap) => swap.tokenAddress === mint(1) && swap.timestamp >= from,
  },
]

async function walk(
  { get }: ApiUnderTest,
  path: string,
  limits: readonly number[],
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const limit = limits[page % limits.length] ?? 1
    const after: string = cursor === null ? '' : `&cursor=${cursor}`
    const { status, body } = await get(`${path}limit=${limit}${after}`)
    if (status !== 200) throw new Error(`${path}: ${status} ${body.message}`)
    seen.push(...body.data.map(keyOfAnswer))
    cursor = body.next_cursor
  }
  return seen
}

test.serial('walking any list by cursors gives the sorted whole, in both orders', async (t) => {
  const limits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })
  const property = fc.asyncProperty(
    tiedSwaps({ minLength: 0, maxLength: 60 }),
    limits,
    fc.constantFrom(...cases),
    async (swaps, sizes, { path, holds }) => {
      await under().db.query(`truncate ${tables} restart identity cascade`)
      if (swaps.length > 0) await insertSwaps(under().db, swaps)
      const whole = swaps.filter(holds).sort(compareSwaps).map(keyOfSwap)
      t.deepEqual(await walk(under(), `${path}order=asc&`, sizes), whole)
      t.deepEqual(await walk(under(), `${path}order=desc&`, sizes), whole.toReversed())
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

test.serial(
  'rows that arrive while a list is walked make it neither skip nor repeat',
  async (t) => {
    await under().db.query(`truncate ${tables} restart identity cascade`)
    const [swaps = []] = fc.sample(tiedSwaps({ minLength: 60, maxLength: 60 }), {
      numRuns: 1,
      seed: 5,
    })
    const early = swaps.slice(0, 40)
    const late = swaps.slice(40)
    await insertSwaps(under().db, early)
    const first = await under().get('/swaps?limit=15')
    await insertSwaps(under().db, late)
    const second = await under().get(`/swaps?limit=1000&cursor=${first.body.next_cursor}`)
    const seen = [...first.body.data, ...second.body.data].map(keyOfAnswer)
    t.is(new Set(seen).size, seen.length)
    for (const swap of early) t.true(seen.includes(keyOfSwap(swap)))
  },
)
