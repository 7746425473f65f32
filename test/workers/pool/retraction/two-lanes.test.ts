/** Lanes that take the same blocks out at once: they wait for each other at the sums, and none is aborted by a deadlock. */
import test from 'ava'
import { type Event, isChainEvent, payloadOf } from '../../../../domain/events/event.ts'
import { LANE_COUNT, openPipeline, publishAll, until } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

const EVENTS = smallMarket(613, 600)
const BLOCKS = 60

test('lanes retract many blocks at once without a deadlock', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const slots = [...new Set(EVENTS.filter(isChainEvent).map((event) => payloadOf(event).slot))]
  await runWorker(t, pipeline, { actors: ['pool'] })
  await publishAll(pipeline, EVENTS)
  await until('swaps are stored', 60_000, async () => {
    const { rowCount } = await db.query('select from swap limit 1')
    return rowCount === 1
  })
  const gone = slots.slice(0, BLOCKS)
  await publishAll(
    pipeline,
    gone.map((slot): Event => ({ kind: 'retract', retraction: { slot } })),
  )
  await until('each lane has applied all', 120_000, async () => {
    const { rows } = await db.query<{ applied: number }>(
      'select count(*)::integer as applied from retraction where is_applied',
    )
    return rows[0]?.applied === BLOCKS * LANE_COUNT
  })
  const left = await db.query('select from swap where slot = any ($1)', [gone])
  t.is(left.rowCount, 0)
  const { rows } = await db.query<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  t.is(rows[0]?.deadlocks, 0)
})
