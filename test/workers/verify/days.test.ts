/**
 * Verifying days finds what verifying everything finds, and names the table and the day, whichever table differs. Times run
 * backwards in places, also across midnight.
 */
import test, { type ExecutionContext } from 'ava'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { type DayResult, verifyDays } from '../../../workers/verify/days/verify-days.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const DAYS = 3
const FROM_MS = Date.UTC(2026, 6, 1)
const SWAPS = 900
const SLOT_MS = 400
const SKEW_MS = 600_000
const NAMES = Array.from({ length: DAYS }, (_, day) =>
  new Date(FROM_MS + day * DAY_MS).toISOString().slice(0, 10),
)

/** Some swaps have times of minutes earlier or later than their slots. */
function market(): MarketEvent[] {
  const events = [...simulate({ seed: 11, swaps: SWAPS, fromMs: FROM_MS, swapsPerSlot: 10 })]
  const slots = events.flatMap((event) => (event.kind === 'swap' ? [event.swap.slot] : []))
  const [first, last] = [Math.min(...slots), Math.max(...slots)]
  // A slot of the simulated market becomes so many, so that its swaps last for the days.
  const stretch = Math.floor((DAYS * DAY_MS - 2 * SKEW_MS) / SLOT_MS / (last - first))
  const moved = (slot: number, index: number) => {
    const later = (slot - first) * stretch
    const skew = index % 5 === 0 ? ((index % 3) - 1) * SKEW_MS : 0
    return { slot: first + later, timestamp: Math.max(FROM_MS + later * SLOT_MS + skew, FROM_MS) }
  }
  return events.map((event, index) => {
    if (event.kind === 'swap') {
      return { ...event, swap: { ...event.swap, ...moved(event.swap.slot, index) } }
    }
    if (event.kind !== 'pool_event') return event
    return { ...event, poolEvent: { ...event.poolEvent, ...moved(event.poolEvent.slot, 1) } }
  })
}

/** Each error concerns one row of a day, whose first and last Unix ms are $1 and $2. */
const ERRORS: readonly (readonly [table: string, statement: string])[] = [
  [
    'swap',
    `update swap set price_impact_bps = coalesce(price_impact_bps, 0) + 1 where (slot, signature) = (
    select slot, signature from swap where timestamp_ms between $1::bigint and $2::bigint order by slot limit 1)`,
  ],
  [
    'swap',
    `insert into swap select * from swap where timestamp_ms between $1::bigint and $2::bigint order by slot limit 1`,
  ],
  [
    'swap_signature',
    `delete from swap_signature where slot = (
    select max(slot) from swap where timestamp_ms between $1::bigint and $2::bigint)`,
  ],
  [
    'slot_span',
    `update slot_span set first_ms = first_ms - 1 where width = 100 and bucket = (
    select max(slot) / 100 * 100 from swap where timestamp_ms between $1::bigint + 43200000 and $2::bigint - 21600000)`,
  ],
  [
    'slot_span',
    `delete from slot_span where width = 10000 and bucket = (
    select max(slot) / 10000 * 10000 from swap where timestamp_ms between $1::bigint + 43200000 and $2::bigint - 21600000)`,
  ],
  [
    'venue_volume',
    `update venue_volume set trade_count = trade_count + 1 where bucket_ms = (
    select min(bucket_ms) from venue_volume where bucket_ms between $1::bigint and $2::bigint and width = 60000)`,
  ],
  [
    'candle_1m',
    `update candle_1m set close = close * 2 where (pool_id, bucket_ms) = (
    select pool_id, bucket_ms from candle_1m where close is not null and bucket_ms between $1::bigint and $2::bigint
    order by bucket_ms limit 1)`,
  ],
  [
    'candle_1m',
    `insert into candle_1m select pool_id, 1, $1::bigint + 60000 * (
      select min(minute) from generate_series(0, 1439) as minute
      where not exists (select from candle_1m where bucket_ms = $1::bigint + 60000 * minute)
    ), 1, 1, 1, 1, 5, 5, 7 from candle_1m where bucket_ms <= $2::bigint limit 1`,
  ],
  [
    'candle_15m',
    `delete from candle_15m where (pool_id, bucket_ms) = (
    select pool_id, bucket_ms from candle_15m where bucket_ms between $1::bigint and $2::bigint order by bucket_ms desc limit 1)`,
  ],
  [
    'candle_4h',
    `update candle_4h set wide_trader_count = wide_trader_count + 1 where (pool_id, bucket_ms) = (
    select pool_id, bucket_ms from candle_4h where bucket_ms between $1::bigint and $2::bigint order by bucket_ms limit 1)`,
  ],
  [
    'pool_trader',
    `delete from pool_trader where (pool_id, day, wallet_id) = (
    select pool_id, day, wallet_id from pool_trader where day = $1::bigint / 86400000 and $2::bigint > 0 limit 1)`,
  ],
]

const wrongOf = (tables: readonly { name: string; equal: boolean }[]): string[] =>
  tables.flatMap(({ name, equal }) => (equal ? [] : [name]))

async function daysOf(t: ExecutionContext, db: Db): Promise<DayResult[]> {
  const { signal } = new AbortController()
  const times = { fromMs: 0, toMs: FROM_MS + 10 * DAY_MS }
  const results = await verifyDays(db, {
    ...{ ...times, version: '1', now: () => 0, store: undefined, signal, onDay() {} },
  })
  t.deepEqual(
    results.map(({ day }) => day),
    NAMES,
  )
  return results
}

test('days find every difference that the whole finds, by table and day', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, recording } = pipeline
  await runWorker(t, pipeline, { actors: ['pool'] })
  await publishAll(pipeline, market(), { eventsMax: 40 })
  await untilCaughtUp(pipeline, 60_000)

  const whole = await verify(db, { log: recording.log, waitMs: 0 })
  t.deepEqual(wrongOf(whole.tables), [])
  const clean = await daysOf(t, db)
  t.deepEqual(
    clean.flatMap(({ tables }) => wrongOf(tables)),
    [],
  )
  t.deepEqual(
    clean.map(({ swaps }) => swaps > SWAPS / 5),
    [true, true, true],
  )
  for (const { name, rows } of whole.tables) {
    const ofDays = clean.map(({ tables }) => tables.find((table) => table.name === name)?.rows)
    // Runs of slots at midnight are in two days, and the widest in none.
    if (ofDays[0] === undefined || name === 'slot_span') continue
    t.is(
      ofDays.reduce((sum, count) => sum! + count!, 0),
      rows,
      name,
    )
  }

  for (const [index, [table, statement]] of ERRORS.entries()) {
    const day = (5 * index + SWAPS) % DAYS
    const fromMs = FROM_MS + day * DAY_MS
    await db.query(`create table saved as select * from ${table}`)
    const { rowCount } = await db.query(statement, [fromMs, fromMs + DAY_MS - 1])
    t.true((rowCount ?? 0) > 0, statement)
    const found = wrongOf((await verify(db, { log: recording.log, waitMs: 0 })).tables)
    const byDay = await daysOf(t, db)
    t.true(found.includes(table), `${table}: ${found.join()}`)
    t.deepEqual(
      byDay.map(({ tables }) => wrongOf(tables)),
      NAMES.map((_, other) => (other === day ? found.filter((name) => name !== 'pool') : [])),
      statement,
    )
    await db.query(`delete from ${table}`)
    await db.query(`insert into ${table} select * from saved`)
    await db.query('drop table saved')
  }
  t.deepEqual(
    (await daysOf(t, db)).flatMap(({ tables }) => wrongOf(tables)),
    [],
  )
})
