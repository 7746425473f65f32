/**
 * The pool that candles by token are of, and since when: a token whose top pool changes. Every route that answers
 * with candles names the pool, and a client sees that its chart is of another one.
 */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const HOUR = 3_600_000
const SOL = 1_000_000_000
const [OLD, NEW] = [pair(1), pair(2)] as const
const TOKEN = mint(0)

const under = apiForFile()
let count = 0
const trade = (pairAddress: string, hoursAgo: number, sol: number): Swap => {
  count += 1
  return sampleSwap({
    signature: signatureOf(count),
    slot: 1_000_000 - Math.round(hoursAgo * 9_000),
    timestamp: NEWEST_MS - hoursAgo * HOUR,
    tokenAddress: TOKEN,
    pairAddress,
    solAmount: Math.round(sol * SOL),
    tokenAmount: 5_000_000,
  })
}
const insert = (swaps: Swap[]) => insertSwaps(under().db, swaps, { hasPrices: true })
const get = async (path: string) => (await under().get(path)).body as never as Answer

type Pool = { pair_address: string; token_address: string; chosen_by: string; since: number | null }
type Answer = Record<'data', { pair_address: string; token_address: string }[]> & {
  pool: Pool | null
}

test.serial.before(async () => {
  // Ten days of the old pool; the new one trades since 30 hours ago, and more than it since 5 hours ago.
  await insert(Array.from({ length: 10 }, (_, day) => trade(OLD, 240 - 24 * day - 3, 10)))
  await insert([trade(NEW, 30, 1), trade(NEW, 5, 20), trade(NEW, 0, 1)])
})

test.serial(
  'by token, rows and pool name the top pool, and since which quarter it is',
  async (t) => {
    const { data: rows, pool } = await get(`/api/v1/candles?token_address=${TOKEN}`)
    const names = { pair_address: NEW, token_address: TOKEN }
    t.is(rows.length, 3)
    for (const row of rows) t.like(row, names)
    const since = Math.floor((NEWEST_MS - 5 * HOUR) / 900_000) * 900_000
    t.deepEqual(pool, { ...names, chosen_by: 'top_pool', since })
    const latest = await get(`/api/v1/candles/latest?token_address=${TOKEN}`)
    t.deepEqual(latest.pool, pool)
    t.like(latest.data, names)
  },
)

test.serial('with from and to it is the pool with the largest volume between them', async (t) => {
  const [from, to] = [NEWEST_MS - 200 * HOUR, NEWEST_MS - 40 * HOUR]
  const { data: rows, pool } = await get(
    `/api/v1/candles?token_address=${TOKEN}&from=${from}&to=${to}`,
  )
  const names = { pair_address: OLD, token_address: TOKEN }
  t.true(rows.length > 0)
  for (const row of rows) t.like(row, names)
  t.deepEqual(pool, { ...names, chosen_by: 'range_volume', since: null })
  const range = await get(`/price/history/range?token=${TOKEN}&from=${from}&to=${to}`)
  t.like(range, { pair_address: OLD })
})

test.serial('a pool that is named is the pool, its mint alongside it', async (t) => {
  const { data: rows, pool } = await get(`/api/v1/candles?pair_address=${OLD}&fill=true`)
  const names = { pair_address: OLD, token_address: TOKEN }
  for (const row of rows) t.like(row, names)
  t.deepEqual(pool, { ...names, chosen_by: 'pair_address', since: null })
})

test.serial('an unknown token has no pool', async (t) => {
  t.like(await get(`/api/v1/candles?token_address=${mint(77)}`), { data: [], pool: null })
})

test.serial('GraphQL has the same, the pool by candlesPage and latestCandlePage', async (t) => {
  const fields = 'pair_address token_address'
  const text = `{
    candles(token_address: "${TOKEN}") { ${fields} }
    candlesPage(token_address: "${TOKEN}") { data { ${fields} } pool { ${fields} chosen_by since } }
    latestCandlePage(token_address: "${TOKEN}") { pool { ${fields} chosen_by since } }
  }`
  const requested = await get(`/graphql?query=${encodeURIComponent(text)}`)
  const { candles, candlesPage, latestCandlePage } = requested.data as never as Record<
    string,
    Answer
  >
  const { pool } = await get(`/api/v1/candles?token_address=${TOKEN}`)
  t.deepEqual(candlesPage?.pool, pool)
  t.deepEqual(latestCandlePage?.pool, pool)
  t.deepEqual(candlesPage?.data, candles as never)
})

test.serial('reports a change of the top pool, with its time', async (t) => {
  await insert([trade(OLD, 0, 100)])
  const { data: rows, pool } = await get(`/api/v1/candles?token_address=${TOKEN}&limit=4`)
  const since = Math.floor(NEWEST_MS / 900_000) * 900_000
  t.deepEqual(pool, { pair_address: OLD, token_address: TOKEN, chosen_by: 'top_pool', since })
  for (const row of rows) t.is(row.pair_address, OLD)
})

test.serial(
  'the only pool of a token is the top pool since it first traded, if that is lately',
  async (t) => {
    const of = (n: number, hoursAgo: number): Swap => ({
      ...trade(pair(10 + n), hoursAgo, 1),
      tokenAddress: mint(10 + n),
    })
    await insert([of(1, 50), of(1, 1), of(2, 400), of(2, 2), of(3, 400)])
    const sinceOf = async (n: number) =>
      (await get(`/api/v1/candles?token_address=${mint(10 + n)}`)).pool?.since
    t.is(await sinceOf(1), Math.floor((NEWEST_MS - 50 * HOUR) / 900_000) * 900_000)
    t.is(await sinceOf(2), null)
    t.is(await sinceOf(3), null)
  },
)
