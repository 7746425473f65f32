/** Workers claim and retain the lanes of the streams, however long a commit of one lasts. */
import test from 'ava'
import { assertExact } from '../../simulation/judge.ts'
import { assertTraders, untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

/** Longer than a loaded machine may delay a worker's heartbeat. */
const LEASE_MS = 12_000

test.serial('checkpoints of more lanes than the streams have do not block claims', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { db } = pipeline
  // Streams with eight lanes were lost, and made again with four.
  await db.query("insert into checkpoint (actor, lane) select 'pool', generate_series(4, 7)")
  await runWorker(t, pipeline)
  const owners = async (): Promise<number[]> => {
    const { rows } = await db.query<{ lanes: number }>(
      'select count(*)::integer as lanes from checkpoint where lane < 4 and owner is not null group by owner order by 1',
    )
    return rows.map(({ lanes }) => lanes)
  }
  await until('one has them all', 60_000, async () => (await owners()).join() === '4')
  await runWorker(t, pipeline)
  await until('two have two each', 60_000, async () => (await owners()).join() === '2,2')
  await publishAll(pipeline, smallMarket(930, 300), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
})

test.serial('takes over lanes of a worker that died before the clock was set back', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { db } = pipeline
  await db.query(
    `insert into checkpoint (actor, lane, epoch, owner, leased_until)
     select 'pool', lane, 1, 'died', now() + interval '1 hour' from generate_series(0, 3) as lane`,
  )
  await db.query(`insert into worker values ('died', '{pool}', now() + interval '1 hour')`)
  await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(932, 100), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
})

test.serial('a commit may outlast a lease, and its worker retains the lanes', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { db, recording } = pipeline
  const events = smallMarket(933, 400)
  await runWorker(t, pipeline, { leaseMs: LEASE_MS })
  await runWorker(t, pipeline, { leaseMs: LEASE_MS })
  await publishAll(pipeline, events.slice(0, 200), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  type Owned = { lane: number; epoch: number; owner: string | null }
  const owners = async (): Promise<Owned[]> =>
    (await db.query<Owned>('select lane, epoch, owner from checkpoint order by lane')).rows
  await until('two have two each', 60_000, async () => {
    const counts = Map.groupBy(await owners(), ({ owner }) => owner)
    return !counts.has(null) && [...counts.values()].map((own) => own.length).join() === '2,2'
  })
  const before = await owners()
  // Like a rebuild of the candles of a large pool.
  const holder = await db.connect()
  await holder.query('begin')
  await holder.query('select from pool for update')
  await publishAll(pipeline, events.slice(200), { eventsMax: 20 })
  await until('leases ran out under commits that wait', 90_000, async () => {
    const found = await db.query(
      `select from checkpoint where leased_until < clock_timestamp() - interval '1 second'`,
    )
    return (found.rowCount ?? 0) > 0
  })
  await holder.query('commit')
  holder.release()
  await untilCaughtUp(pipeline)
  t.deepEqual(await owners(), before)
  t.false(recording.lines.some((line) => line.includes('ended sessions of lost owners')))
  await assertExact(t, pipeline)
})

test.serial('retains a lane while a recount outlasts the lease', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { db, recording } = pipeline
  const actors = ['pool', 'ranking']
  const first = await runWorker(t, pipeline, { actors, leaseMs: LEASE_MS })
  await publishAll(pipeline, smallMarket(931, 400), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  const second = await runWorker(t, pipeline, { actors, leaseMs: LEASE_MS })
  const epoch = async (): Promise<unknown> =>
    (await db.query("select epoch, owner from checkpoint where actor = 'ranking'")).rows[0]
  const before = await epoch()
  const renewed = async (): Promise<number> => {
    const { rows } = await db.query(
      "select extract(epoch from leased_until) as at from checkpoint where actor = 'ranking'",
    )
    return Number(rows[0].at)
  }
  const holder = await db.connect()
  await holder.query('begin')
  await holder.query('lock table token_start in share row exclusive mode')
  await db.query('insert into ranking_recount default values')
  await until('the count waits', 60_000, async () => {
    const found = await db.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
    return found.rowCount !== 0
  })
  const begun = await renewed()
  await until('the lease is kept for longer than it lasts', 60_000, async () => {
    return (await renewed()) > begun + (1.5 * LEASE_MS) / 1_000
  })
  await holder.query('commit')
  holder.release()
  await untilRankingCaughtUp(pipeline)
  t.deepEqual(await epoch(), before)
  t.false(recording.lines.some((line) => line.includes('ended sessions of lost owners')))
  await assertTraders(t, pipeline)
  t.is(first.failure(), undefined)
  t.is(second.failure(), undefined)
})
