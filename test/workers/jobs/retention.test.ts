/** Rows that the retention job deletes, and rows that it must not: a database with every kind of row. */
import test from 'ava'
import { verify } from '../../../workers/verify/verify.ts'
import { buy, sell } from '../../domain/ledger/histories.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { openJobBench } from '../../support/workers/jobs.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000

async function rowsOfAllAges(t: Parameters<typeof openJobBench>[0]) {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  // Swaps of years ago, with all that is folded from them.
  await insertSwaps(db, [buy(1, 5_000_000, 90_000), sell(2, 3_000_000, 80_000)], {
    hasPrices: true,
  })
  await insertLedger(db, [])
  await db.query(
    `insert into ingest_run (id, lane, accepted, updated_at)
     values ('old', 0, 1, now() - interval '31 days'), ('new', 0, 1, now() - interval '29 days')`,
  )
  await db.query(
    `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload,
       created_at, retried_at)
     select 'pool', 0, 'e', n, 0, 's', 'bad', '', now() - interval '99 days', retried_at
     from (values (1, now() - interval '8 days'), (2, now() - interval '6 days'), (3, null))
       as letter (n, retried_at)`,
  )
  await db.query(
    `insert into event_conflict (kind, event, signature, pair_address, stored_slot, kept_out_slot,
       stored, kept_out, seen_at)
     select 'fork_suspected', 'swap', 's', 'p', 1, n, '{}', n::text, now() - n * interval '1 day'
     from unnest('{4,6}'::integer[]) as n`,
  )
  const left = async () => ({
    conflicts: (await db.query('select kept_out_slot from event_conflict order by 1')).rows.map(
      (row) => row.kept_out_slot,
    ),
    runs: (await db.query('select id from ingest_run order by id')).rows.map(({ id }) => id),
    letters: (await db.query('select sequence from dead_letter order by sequence')).rows.map(
      ({ sequence }) => sequence,
    ),
  })
  return { db, databaseUrl, left }
}

test('deletes rows older than configured on its schedule, and verify stays clean', async (t) => {
  const { db, databaseUrl, left } = await rowsOfAllAges(t)
  const bench = openJobBench(t)
  bench.work({ databaseUrl, retention: { ingestRunDays: 30, deadLetterDays: 7, conflictDays: 5 } })
  await until('the old run goes', BOUND_MS, async () => (await left()).runs.length === 1)
  const signal = AbortSignal.timeout(BOUND_MS)
  await bench.queue().requestAndWait('retention', {}, signal)
  t.deepEqual(await left(), { conflicts: [4], runs: ['new'], letters: [2, 3] })
  const { clean, tables } = await verify(db, { log: recordingLog().log })
  t.true(clean, JSON.stringify(tables))
})

test('deletes nothing without configured ages', async (t) => {
  const { databaseUrl, left } = await rowsOfAllAges(t)
  const before = await left()
  const bench = openJobBench(t)
  bench.work({ databaseUrl })
  await bench.queue().requestAndWait('retention', {}, AbortSignal.timeout(BOUND_MS))
  t.deepEqual(await left(), before)
})
