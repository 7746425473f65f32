/** The memory of `verify` depends on an hour of the market, not on the age of the installation. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import test from 'ava'
import type { Db } from '../../../sql/db.ts'
import type { VerifyReport } from '../../../workers/verify/verify.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const PROGRAM = new URL('../../support/programs/verify-program.ts', import.meta.url)
/** Programs and a page of rows of each kind use about 60. */
const HEAP_MB = 128
const FROM_MS = Date.parse('2026-01-01T00:00:00Z')
/** Minutes of ten venues, and of a token with 1,000 traders a minute: either would need several times the heap. */
const VENUE_MINUTES = 50_000
const TRADER_MINUTES = 20_000

async function oldInstallation(db: Db): Promise<void> {
  await insertSwaps(db, [sampleSwap()], { hasPrices: true })
  await db.query(
    "insert into checkpoint (actor, lane, stream_epoch) values ('ranking', 0, 'as it was')",
  )
  await db.query(
    `insert into venue_volume
     select 60000, $1 + minute * 60000, dex, 9, 1, 1
     from generate_series(1, $2::bigint) as minute cross join generate_series(1, 10) as dex`,
    [FROM_MS, VENUE_MINUTES],
  )
  await db.query(
    `insert into trader_minute
       (token_id, bucket_ms, buy_count, sell_count, buyers, sellers)
     select token.id, $1 + minute * 60000, 1000, 0,
       array(select generate_series(1, 1000)), '{}'
     from token cross join generate_series(1, $2::bigint) as minute`,
    [FROM_MS, TRADER_MINUTES],
  )
  await db.query('analyze')
}

test('old installations are verified in the memory of young ones', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  await oldInstallation(db)
  const program = new Worker(PROGRAM, {
    workerData: databaseUrl,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  t.teardown(() => program.terminate())
  const [report] = (await once(program, 'message')) as [VerifyReport]
  const rowsOf = (name: string) => report.tables.find((table) => table.name === name)?.rows
  // Two of the swap itself; no bucket of its traders was written, and its minute may be among theirs.
  t.is(rowsOf('venue_volume'), 10 * VENUE_MINUTES + 2)
  t.true(rowsOf('trader_minute')! >= TRADER_MINUTES)
  t.false(report.clean)
})
