/** `rebuild candles` writes what commits wrote, to the last digit, and waits for no pool while it holds others. */
import test from 'ava'
import { QUOTE_MINTS } from '../../../domain/quote-mint.ts'
import type { Db } from '../../../sql/db.ts'
import { rebuildCandles } from '../../../workers/rebuild/candles.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { until } from '../../support/workers/pipeline.ts'

const POOLS = 60
const SWAPS_A_POOL = 4
const BEGIN_MS = Date.UTC(2026, 6, 20, 23, 59)
const DOLLAR = QUOTE_MINTS.find(({ isDollar }) => isDollar)!.tokenAddress
const TABLES = ['candle_1m', 'candle_15m', 'candle_4h', 'dollar_minute', 'pool_trader', 'pool']

/** Across midnight, with sums beyond int64, a pool of dollars, and swaps too small to set a price. */
const SWAPS = Array.from({ length: POOLS * SWAPS_A_POOL }, (_, n) => {
  const pool = n % POOLS
  const round = Math.floor(n / POOLS)
  return sampleSwap({
    ...{ signature: signatureOf(n), slot: 1_000 + 150 * round, blockTxIndex: pool },
    timestamp: BEGIN_MS + 30_000 * round,
    tokenAddress: pool === 7 ? DOLLAR : mint(pool),
    ...{ pairAddress: pair(pool), user: trader(n % 5), isBuy: n % 3 > 0 },
    solAmount: pool === 3 ? 2n ** 63n - 1n : pool === 5 ? 1 : 1_000_000_000 + n,
    tokenAmount: pool === 3 ? 2n ** 63n - 1n : 1_000_000 + n,
  })
})

/** All rows as text, in the order of their keys; columns are exact. */
async function rowsOf(db: Db): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {}
  for (const table of TABLES) {
    const { rows } = await db.query(`select row::text as text from ${table} as row order by text`)
    tables[table] = rows.map(({ text }) => text as string)
  }
  return tables
}

test('rebuilds the rows of commits, and while a commit holds a pool, the other pools of its transaction', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await insertSwaps(db, SWAPS, { hasPrices: true })
  const committed = await rowsOf(db)
  t.true(committed.candle_1m!.some((row) => row.includes(String(2n ** 64n - 2n))))
  t.true(committed.dollar_minute!.length > 0 && committed.pool_trader!.length > POOLS)
  await db.query('update candle_1m set high = 2 * high, buy_count = null')
  await db.query('delete from candle_15m')
  await db.query('update candle_4h set wide_trader_count = 0, volume_units = 1')
  await db.query('delete from dollar_minute')
  await db.query(`update pool_trader set minutes = '{1}'`)
  await db.query('update pool set last_price = 1, newest_ms = 2')

  const commit = await db.connect()
  await commit.query('begin')
  const { rows } = await commit.query('select max(id) as held from pool where id < 40')
  const { held } = rows[0] as { held: number }
  await commit.query('update pool set swap_count = swap_count where id = $1', [held])
  let pools = 0
  const rebuilding = rebuildCandles(db, { onProgress: (_, done) => (pools = done) })
  // The first transaction is committed: without the held pool.
  await until('the other pools are rebuilt', 60_000, async () => {
    const { rows: left } = await db.query('select count(*) as left from pool where newest_ms = 2')
    return left[0].left < POOLS
  })
  const { rows: waiting } = await db.query('select newest_ms from pool where id = $1', [held])
  t.is(waiting[0].newest_ms, 2)
  await commit.query('commit')
  commit.release()
  t.deepEqual(await rebuilding, { swaps: SWAPS.length, pools: POOLS })
  t.is(pools, POOLS)
  t.deepEqual(await rowsOf(db), committed)
})
