/**
 * Late swaps and rebuilds where candles are compressed, as TimescaleDB's community build does: a statement that changes
 * rows unpacks only the batches of its pools, of any number. The embedded stack has the Apache build, which does not
 * compress: there the rows end the same without unpacking.
 */
import test from 'ava'
import { connect, type Db, pipelinedBeside, sqlCode } from '../../../sql/db.ts'
import { rebuildCandles } from '../../../workers/rebuild/candles.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const LIMIT = 'timescaledb.max_tuples_decompressed_per_dml_transaction'
/** The build's default limit of a statement; the candles of a day exceed it. */
const LIMIT_DEFAULT = 100_000
const POOLS = 200
const DAY_MS = Date.parse('2026-02-01T00:00:00Z')
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const swapOf = (n: number, pool: number, timestamp: number) =>
  sampleSwap({
    ...{ signature: signatureOf(n), slot: Math.floor(timestamp / 400), timestamp },
    ...{ tokenAddress: mint(pool), pairAddress: pair(pool), solAmount: 20_000 + n },
  })

/** A day of candles in every minute of every pool, whose ends alone are swaps; compressed where the build can. */
async function compressedDay(db: Db): Promise<boolean> {
  const ends = Array.from({ length: POOLS }, (_, pool) => [
    swapOf(2 * pool, pool, DAY_MS),
    swapOf(2 * pool + 1, pool, DAY_MS + 24 * HOUR_MS - MINUTE_MS),
  ])
  await insertSwaps(db, ends.flat(), { hasPrices: true })
  await db.query(
    `insert into candle_1m
     select pool_id, 1, ms, 1, 1, 1, 1, 1, 1, 1
     from (select distinct pool_id from candle_1m) as pool
     cross join generate_series($1::bigint, $2::bigint, 60000) as ms
     on conflict do nothing`,
    [DAY_MS, DAY_MS + 24 * HOUR_MS - MINUTE_MS],
  )
  const { rows } = await db.query('select count(*) as count from candle_1m')
  if (rows[0].count <= LIMIT_DEFAULT) throw new Error('a day of candles does not pass the limit')
  try {
    for (const table of ['candle_1m', 'candle_15m', 'candle_4h'])
      await db.query(`select compress_chunk(chunk) from show_chunks($1::regclass) as chunk`, [
        table,
      ])
    return true
  } catch (error) {
    if (sqlCode(error) === '0A000') return false
    throw error
  }
}

/** Rows of compressed chunks that are unpacked. */
async function unpackedOf(db: Db): Promise<number> {
  const { rows: chunks } = await db.query(
    `select format('%I.%I', chunk_schema, chunk_name) as chunk
     from timescaledb_information.chunks
     where hypertable_name = 'candle_1m' and is_compressed`,
  )
  let unpacked = 0
  for (const { chunk } of chunks) {
    const { rows } = await db.query(`select count(*) as count from only ${chunk}`)
    unpacked += rows[0].count
  }
  return unpacked
}

test('a late swap unpacks only the candles of its pool, even repeatedly', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const isCompressed = await compressedDay(db)
  t.is(await unpackedOf(db), 0)
  const lateMs = DAY_MS + 7 * HOUR_MS
  for (let n = 0; n < 12; n++) {
    await insertSwaps(db, [swapOf(1_000 + n, n, lateMs)], { hasPrices: true })
    const unpacked = await unpackedOf(db)
    t.is(unpacked > 0, isCompressed)
    t.true(unpacked <= (n + 1) * 1_440, `${unpacked}`)
  }
  const { rows } = await db.query(
    'select trade_count, open, close from candle_1m where bucket_ms = $1 and trade_count = 2',
    [lateMs],
  )
  t.is(rows.length, 12)
  // The only stored swap of its minute: it replaces the candle that was stored without a swap.
  for (const { open, close } of rows) t.true(open === close && open < 1)
})

test('commits late swaps of more candles than a statement unpacks by default', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const isCompressed = await compressedDay(db)
  const late = Array.from({ length: POOLS }, (_, pool) =>
    [5, 20].map((hour) => swapOf(1_000 + 2 * pool + hour, pool, DAY_MS + hour * HOUR_MS)),
  ).flat()
  await insertSwaps(db, late, { hasPrices: true })
  t.is((await unpackedOf(db)) > LIMIT_DEFAULT, isCompressed)
  const { rows } = await db.query('select from candle_1m where trade_count = 2')
  t.is(rows.length, late.length)
})

test('candles are rebuilt some pools at a time, without the others', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const isCompressed = await compressedDay(db)
  const url = new URL(databaseUrl)
  // Plans of a connection that has deleted candles before; the pools of a transaction have less, all of them far more.
  url.searchParams.set('options', `-c ${LIMIT}=80000 -c plan_cache_mode=force_generic_plan`)
  const bounded = connect(url.href, { max: 1 })
  t.teardown(() => bounded.end())
  const report = await rebuildCandles(bounded)
  t.is(report.pools, POOLS)
  const { rows } = await db.query('select from candle_1m')
  t.is(rows.length, 2 * POOLS)
  t.is(await unpackedOf(db), isCompressed ? rows.length : 0)
})

test('every connection unpacks without a limit, unless the URL sets one', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const limitOf = async (requested: Db): Promise<string> => {
    await requested.query('select from swap limit 1')
    const { rows } = await requested.query('select current_setting($1) as setting', [LIMIT])
    return rows[0].setting
  }
  t.is(await limitOf(db), '0')
  const pipelined = pipelinedBeside(db)
  t.teardown(() => pipelined.end())
  t.is(await limitOf(pipelined), '0')
  const url = new URL(databaseUrl)
  // Simulates an older build, which does not know a name: it answers all the same.
  url.searchParams.set('options', `-c ${LIMIT}=7 -c timescaledb.known_to_no_build=0`)
  const own = connect(url.href, { max: 1 })
  t.teardown(() => own.end())
  t.is(await limitOf(own), '7')
})
