/** Retractions and closed days of charts: two days back they are computed again, older ones stay and refuse. */
import test from 'ava'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { swapEvent } from '../../../support/events/sample-event.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, publishAll, until } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const NOON_MS = Date.parse('2026-07-20T12:00:00Z')

const swapOn = (day: number) =>
  swapEvent({
    slot: 1_000 * (day + 1),
    timestamp: NOON_MS + day * DAY_MS,
    signature: encodeBase58(new Uint8Array(64).fill(day + 1)),
  })

test('a slot of an old day is refused, one of two days ago reopens the stored days', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, topology } = pipeline
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  await publishAll(pipeline, [0, 3, 4, 5].map(swapOn))
  await untilLedgerCaughtUp(pipeline)
  await db.query(
    `insert into chart_day
     select wallet.id, day * $2::bigint + $1::bigint / $2::bigint * $2::bigint, 1
     from wallet, unnest(array[0, 3, 4]) as day`,
    [NOON_MS, DAY_MS],
  )
  await publishAll(pipeline, [
    { kind: 'retract', retraction: { slot: 1_000 } },
    { kind: 'retract', retraction: { slot: 5_000 } },
  ])
  await until('all lanes have read', 60_000, async () => {
    const { rows } = await db.query<{ refused: number; applied: number }>(
      `select (select count(*)::integer from dead_letter) as refused,
         (select count(*)::integer from retraction where is_applied) as applied`,
    )
    return rows[0]?.refused === topology.laneCount && rows[0].applied === topology.laneCount
  })
  await untilLedgerCaughtUp(pipeline)
  const slots = await db.query<{ slot: number }>('select slot from swap order by slot')
  t.deepEqual(
    slots.rows.map(({ slot }) => Number(slot)),
    [1_000, 4_000, 6_000],
  )
  const { rows: dead } = await db.query<{ reason: string }>('select reason from dead_letter')
  t.regex(dead[0]?.reason ?? '', /^retraction of slot 1000: its day 2026-07-20 is closed/)
  const days = await db.query<{ day: number }>(
    'select ((day_ms - $1::bigint) / $2::bigint)::integer as day from chart_day order by 1',
    [NOON_MS - DAY_MS / 2, DAY_MS],
  )
  t.deepEqual(
    days.rows.map(({ day }) => day),
    [0, 3],
  )
})
