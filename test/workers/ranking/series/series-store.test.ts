/**
 * Time series are read in pages bounded in rows, however much tokens trade and however many change; together they equal
 * the result of one read.
 */
import test from 'ava'
import type { Db } from '../../../../sql/db.ts'
import { query } from '../../../../sql/query.ts'
import { emptySeries, readTokens } from '../../../../workers/ranking/ranked/index-store.ts'
import { RankingIndex } from '../../../../workers/ranking/ranked/ranking-index.ts'
import { type Reach, readFrom } from '../../../../workers/ranking/series/series-store.ts'
import {
  buyersOf,
  SERIES_MINUTES,
  type TokenSeries,
} from '../../../../workers/ranking/series/token-series.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { plainMinutes } from '../../../support/ranking/packed-series.ts'
import { testDatabase } from '../../../support/servers/database.ts'

type Torn = { teardown: (end: () => unknown) => void }
type Requested = { name: string; values: readonly unknown[]; rows: number }

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const END = Math.floor(NEWEST_MS / 60_000)
const FROM = END - SERIES_MINUTES
const ROW_BYTES = 716
const estimateMinutes = query<Estimate>('ranking/estimate_minutes')
type Estimate = { token_id: number; minute_count: number; buyer_count: number }

/** Each token has a pool of a swap a minute, in every so many of its minutes. */
async function market(t: Torn, everyMinutes: readonly number[]): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const swaps = everyMinutes.flatMap((every, token) =>
    Array.from({ length: Math.ceil(SERIES_MINUTES / every) }, (_, n) =>
      sampleSwap({
        signature: signatureOf(token * 10_000 + n),
        slot: 1_000_000 - n * every,
        timestamp: NEWEST_MS - n * every * 60_000,
        tokenAddress: mint(token),
        pairAddress: pair(token),
        user: trader(n % 3),
        solAmount: 20_000 + n,
      }),
    ),
  )
  await insertSwaps(db, swaps, { hasPrices: true })
  await recountAll(db)
  return db
}

/** Records the statements that the pool of connections executes from now on, with the number of their rows. */
function overheard(db: Db): Requested[] {
  const requested: Requested[] = []
  const request = db.query.bind(db) as (...of: unknown[]) => Promise<{ rows: unknown[] }>
  const listen = async (
    prepared: Omit<Requested, 'rows'>,
    ...rest: unknown[]
  ): Promise<unknown> => {
    const result = await request(prepared, ...rest)
    const { name, values } = prepared
    requested.push({ name, values, rows: result.rows.length })
    return result
  }
  db.query = listen as never
  return requested
}

const rowsOf = (requested: readonly Requested[], name: string): number[] =>
  requested.filter((each) => each.name === `ranking.${name}`).map(({ rows }) => rows)

async function readAllSeries(db: Db): Promise<TokenSeries[]> {
  const { rows } = await db.query<{ id: number }>('select id from token order by id')
  const tokens = await readTokens(
    db,
    rows.map(({ id }) => id),
  )
  return tokens.sort((a, b) => a.token_id - b.token_id).map(emptySeries)
}

const plain = (allSeries: readonly TokenSeries[]) =>
  allSeries.map((series) => ({
    pools: [...series.pools.values()].map((pool) => [pool.pair, plainMinutes(pool.minutes)]),
    buyers: [0, 7, 65, 600, SERIES_MINUTES].map((back) =>
      buyersOf(series, END - back, END + 1).map(({ cells, from, to, bucketCount, below }) => [
        Array.from(cells).slice(from, to),
        bucketCount,
        below,
      ]),
    ),
  }))

test('reads busy tokens in steps of some hours, others together', async (t) => {
  const db = await market(t, [1, 2, 40, 90, 200])
  const [once, paged] = [await readAllSeries(db), await readAllSeries(db)]
  const reach: Reach = { from: FROM, before: END, end: END }
  await readFrom(db, once, reach)
  const requested = overheard(db)
  const pageRows = 500
  await readFrom(db, paged, reach, pageRows * ROW_BYTES)
  t.deepEqual(plain(paged), plain(once))
  const minutes = rowsOf(requested, 'list_minutes')
  // 2,940, 1,470 and 74 + 33 + 15 minutes.
  t.is(
    minutes.reduce((a, b) => a + b),
    2_940 + 1_470 + 122,
  )
  t.true(Math.max(...minutes) <= pageRows + 120, `${minutes}`)
  t.true(minutes.length <= 14, `${minutes}`)
  t.true(Math.max(...rowsOf(requested, 'list_buyer_minutes')) <= pageRows + 120)
  // Again, now that the amount to read is known from the series.
  requested.length = 0
  await readFrom(db, paged, { ...reach, from: END - 800 }, pageRows * ROW_BYTES)
  t.deepEqual(plain(paged), plain(once))
  t.true(Math.max(...rowsOf(requested, 'list_minutes')) <= pageRows + 120)
  t.deepEqual(rowsOf(requested, 'estimate_minutes'), [])
  t.true(rowsOf(requested, 'list_minutes').length >= 3)
})

test('estimates no fewer rows of a token than are read', async (t) => {
  const db = await market(t, [1, 3, 90])
  const allSeries = await readAllSeries(db)
  const ids = allSeries.map(({ tokenId }) => tokenId)
  await readFrom(db, allSeries, { from: FROM, before: END, end: END })
  const fromMs = Math.floor(FROM / 240) * 240 * 60_000
  const estimates = await estimateMinutes(db, [ids, fromMs])
  for (const [index, series] of allSeries.entries()) {
    const [pool] = series.pools.values()
    const estimate = estimates.find((row) => row.token_id === ids[index])
    t.is(estimate?.minute_count, pool!.minutes.count)
    t.is(estimate?.buyer_count, series.buyerMinutes.walletsFrom(0))
  }
})

test('reads at most a thousand tokens at once, however many have another creator', async (t) => {
  const db = await market(t, Array(1_100).fill(SERIES_MINUTES))
  const rankingIndex = new RankingIndex(db, async () => [])
  await rankingIndex.refresh()
  t.is(rankingIndex.tokenCount, 1_100)
  await db.query('update token set creator = $1', [trader(0)])
  const requested = overheard(db)
  await rankingIndex.refresh()
  for (const name of ['list_tokens', 'list_minutes', 'list_buyer_minutes', 'list_buyer_hours']) {
    const rows = rowsOf(requested, name)
    t.true(rows.length >= 2, name)
    t.true(Math.max(...rows) <= 1_000, `${name}: ${rows}`)
  }
  t.is(
    rowsOf(requested, 'list_tokens').reduce((a, b) => a + b),
    1_100,
  )
})
