/**
 * The model of capacity: hand-computed plans, its inputs against the documents that they come from and against a database, and
 * the outputs that docs/capacity.md shows.
 */
import test from 'ava'
import { type Costs, STEADY, TABLES } from '../../../bench/capacity/inputs.ts'
import { type Load, planFor } from '../../../bench/capacity/model.ts'
import { capacityHelp, printCapacity, readLoad } from '../../../bench/capacity/report.ts'
import { readText } from '../../support/sources.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const PAGE = 'docs/capacity.md'
const GIB = 1024 ** 3
const LOAD: Load = {
  ...{ peak: 1_000, averagePercent: 50, wallets: 1_000, days: 1, lanes: 2, reads: 0 },
  ...{ subscribers: 0, standbys: 1, streamCopies: 3, apiProcesses: 1 },
  ...{ swapBytes: 4 * GIB, feedBytes: 8 * GIB, sealHours: 0, diskBytes: 2e12 },
}

/** Costs by which every plan below was computed by hand. */
const COSTS: Costs = {
  swap: {
    pool: { steady: 114, full: 13.2 },
    ledger: { steady: 41, full: 13.5 },
    ranking: { steady: 137, full: 5 },
    PostgreSQL: { steady: 289, full: 27.1 },
    NATS: { steady: 82, full: 3.2 },
    API: { steady: 76, full: 76 },
  },
  read: { API: 617, PostgreSQL: 850 },
  eventsPerCore: 463_000,
}
const planOf = (load: Load) => planFor(load, COSTS)

const near = (found: number, expected: number): boolean =>
  Math.abs(found - expected) <= Math.abs(expected) * 1e-6

test('the hours that FEED holds in docs/webhooks.md are those of the document', (t) => {
  const few = /--swaps 500 [^`]*```/.exec(readText(PAGE))?.[0] ?? ''
  const hours = /^FEED holds, at the peak +(.+)$/m.exec(few)?.[1] ?? 'absent'
  t.true(readText('docs/webhooks.md').includes(`${hours} of 500 swaps/s`), hours)
})

test('bytes of tables in the document are those of the model', (t) => {
  for (const [name, { rowBytes, rowsPerSwap }] of Object.entries(TABLES))
    t.true(readText(PAGE).includes(`| ${name} | ${rowBytes} | ${rowsPerSwap} |`), name)
})

test('plans for a day of 1,000 swaps/s as computed by hand', (t) => {
  const plan = planOf(LOAD)
  // 500 swaps/s on average.
  t.is(plan.swaps, 43_200_000)
  // (114 - 13.2) us x 2,000 + 13.2 us x 1,000
  t.true(near(plan.cores.pool, 0.2148))
  // (289 - 27.1) us x 2,000 + 27.1 us x 1,000
  t.true(near(plan.cores.PostgreSQL, 0.5509))
  t.true(near(plan.cores.API, 0.076))
  // 0.2148 + 0.0685 + 0.269 + 0.5509 + 0.1608 + 0.076 = 1.34 cores, half used.
  t.is(plan.coresPlanned, 3)
  // 501.3 + 100.2 + 436 x 0.328 + 239.8 x 0.344 + 127 x 0.417 + 86.1
  t.true(near(plan.disk.swap, 966.0582))
  t.true(near(plan.disk.database, 43_200_000 * 966.0582 + 306_600))
  t.true(near(plan.disk.databases, 2 * plan.disk.database))
  // 627 bytes a swap exceed the bounds of the streams, 12 GiB, three times.
  t.is(plan.disk.streams, 3 * 12 * 1024 ** 3)
  // 2 x 306 + 4 x 321 + 2 x 627 = 3,150 bytes a swap.
  t.true(near(plan.network.nats, 25_200_000))
  t.true(near(plan.network.database, 27_328_000))
  t.true(near(plan.buffered.swap, 4_294_967_296 / 306_000))
  t.true(near(plan.buffered.feed, 8_589_934_592 / 321_000))
  const larger = planOf({ ...LOAD, swapBytes: 16 * GIB, feedBytes: 80 * GIB })
  t.true(near(larger.buffered.swap, 4 * plan.buffered.swap))
  t.true(near(larger.buffered.feed, 10 * plan.buffered.feed))
  t.is(larger.disk.streams, 3 * 43_200_000 * 627)
  // 1 swap/s would need 310 days to fill it: FEED drops messages at the age of 7 days.
  t.is(planOf({ ...LOAD, peak: 1 }).buffered.feed, 7 * 86_400)
})

test('sealing saves what swaps and signatures take, but for the newest hours', (t) => {
  const never = planOf({ ...LOAD, days: 100 })
  const sealed = planOf({ ...LOAD, days: 100, sealHours: 18 })
  // 501.3 + 100.2 - 102 = 499.5 B less; 18 and 6 hours stay, which is a day.
  t.true(near(never.disk.swap - sealed.disk.sealedSwap, 499.5))
  t.true(near(never.disk.database - sealed.disk.database, 99 * 43_200_000 * 499.5))
  // 2e12 B / (43,200,000 x 966.0582 B) = 47.9 days
  t.is(never.disk.days, 47)
  // (2e12 - 306,600 - 43,200,000 x 499.5) / (43,200,000 x 466.5582) = 98.16 days
  t.is(sealed.disk.days, 98)
  t.is(planOf({ ...LOAD, sealHours: 18 }).disk.database, planOf(LOAD).disk.database)
  t.is(planOf({ ...LOAD, sealHours: 18, diskBytes: 1e9 }).disk.days, 0)
})

test('the model returns what was measured at the steady load', (t) => {
  const { cores } = planOf({ ...LOAD, peak: STEADY.swapsPerSecond, lanes: STEADY.lanes })
  // 739 us x 2,000 swaps/s
  t.true(
    near(
      Object.values(cores).reduce((sum, each) => sum + each, 0),
      1.478,
    ),
  )
})

test('reads, subscribers, lanes and copies cost what they should, and the ranking has one lane', (t) => {
  const alone = planOf(LOAD)
  const read = planOf({ ...LOAD, reads: 1_000 })
  t.true(near(read.cores.API - alone.cores.API, 0.617))
  t.true(near(read.cores.PostgreSQL - alone.cores.PostgreSQL, 0.85))
  const reported = planOf({ ...LOAD, subscribers: 463 })
  t.true(near(reported.cores.API - alone.cores.API, 1))
  t.true(near(reported.network.clients, 1_000 * 463 * 864 * 8))
  const wide = planOf({ ...LOAD, lanes: 4 })
  t.true(near(wide.cores.pool - alone.cores.pool, 0.2016))
  t.is(wide.cores.ranking, alone.cores.ranking)
})

test('a second API and a second standby double the bound of reads', (t) => {
  const quiet = { ...LOAD, peak: 1 }
  const { api, database } = planOf(quiet).readBound
  // (1 - 0.000076 cores) / 617 us, and 1 core / 850 us
  t.true(near(api, 1_620.622366))
  t.true(near(database, 1_176.470588))
  const doubled = planOf({ ...quiet, apiProcesses: 2, standbys: 2 }).readBound
  t.true(near(doubled.api, 2 * api))
  t.true(near(doubled.database, 2 * database))
  t.is(planOf({ ...quiet, standbys: 0 }).readBound.database, database)
  // Reads of the load are no part of what is left for reads.
  t.is(planOf({ ...quiet, reads: 1_000 }).readBound.api, api)
  t.is(planOf({ ...LOAD, subscribers: 463 }).readBound.api, 0)
})

test('refuses wrong options with what is accepted, and its help fits a terminal', (t) => {
  const message = { message: '--swaps "0": expected an integer of 1 to 1000000' }
  t.throws(() => readLoad(['--swaps', '0']), message)
  t.throws(() => readLoad(['--average', '101']), { message: /1 to 100$/ })
  t.throws(() => readLoad(['--swap', '1']), { message: /did you mean "--swaps"/ })
  t.throws(() => readLoad(['5000']), { message: 'unexpected argument "5000"' })
  t.true(
    capacityHelp()
      .split('\n')
      .every((line) => line.length <= 80),
  )
  t.like(JSON.parse(printCapacity(['--json', '--swaps', '7'])), { load: { peak: 7 } })
})

test('rows of a database take the bytes of the model, by the statement of the document', async (t) => {
  const pipeline = await openPipeline(t)
  await publishAll(pipeline, smallMarket(61, 20_000))
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  await untilLedgerCaughtUp(pipeline)
  const statement = /psql -c "(select name[^"]*)"/.exec(readText(PAGE))?.[1] ?? ''
  const { rows } = await pipeline.db.query<{ name: string; bytes: string }>(statement)
  const bytesOf = (name: string): number => Number(rows.find((row) => row.name === name)?.bytes)
  const count = async (table: string): Promise<number> => {
    const counted = await pipeline.db.query(`select count(*)::integer as rows from ${table}`)
    return counted.rows[0].rows
  }
  t.true((await count('swap')) > 15_000)
  t.true(bytesOf('swap') > 0)
  // Plain tables; those of TimescaleDB have chunks, whose empty pages weigh more than so few rows.
  for (const name of ['swap_signature', 'position'] as const) {
    const measured = bytesOf(name) / (await count(name))
    const { rowBytes } = TABLES[name]
    t.true(
      measured > rowBytes * 0.6 && measured < rowBytes * 1.7,
      `${name}: ${measured} bytes a row`,
    )
  }
})
