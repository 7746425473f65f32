/** Workers that start, stop and die: lanes move, and no event is lost or applied twice. */
import test from 'ava'
import type { Db } from '../../../sql/db.ts'
import { assertExact } from '../../simulation/judge.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { smallMarket } from '../../support/workers/small-market.ts'
import { publishApart, spawnWorker } from '../../support/workers/spawned-worker.ts'

const STEPS = ['pulled', 'folded', 'written', 'committed', 'published'] as const

for (const [index, step] of STEPS.entries()) {
  test.serial(`a worker killed at "${step}" is replaced without loss or duplicates`, async (t) => {
    const pipeline = await openPipeline(t, { laneCount: 4 })
    const events = smallMarket(100 + index, 400)
    const half = Math.floor(events.length / 2)
    const doomed = await spawnWorker(t, pipeline, {
      fault: { step, after: 6, signal: 'SIGKILL' },
    })
    await publishApart(pipeline, events.slice(0, half), { worker: doomed, eventsMax: 10 })
    t.is(await doomed.ended, 'SIGKILL')
    await spawnWorker(t, pipeline)
    await publishAll(pipeline, events.slice(half), { eventsMax: 25 })
    await untilCaughtUp(pipeline, 60_000)
    await assertExact(t, pipeline)
  })
}

async function lanesByOwner(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ lanes: number }>(
    `select count(*)::integer as lanes from checkpoint
     where owner is not null and leased_until > now() group by owner order by 1`,
  )
  return rows.map((row) => row.lanes)
}

test.serial(
  'two workers share the lanes evenly, and the remaining one claims them all again',
  async (t) => {
    const pipeline = await openPipeline(t, { laneCount: 4 })
    const stays = await spawnWorker(t, pipeline)
    await until('one worker owns all lanes', 60_000, async () => {
      return (await lanesByOwner(pipeline.db)).join() === '4'
    })
    const goes = await spawnWorker(t, pipeline)
    await until('two lanes each', 60_000, async () => {
      return (await lanesByOwner(pipeline.db)).join() === '2,2'
    })
    await publishAll(pipeline, smallMarket(120, 300), { eventsMax: 20 })
    await untilCaughtUp(pipeline)
    goes.signal('SIGTERM')
    t.is(await goes.ended, 0)
    await until('the other has all lanes', 60_000, async () => {
      return (await lanesByOwner(pipeline.db)).join() === '4'
    })
    await publishAll(pipeline, smallMarket(121, 300), { eventsMax: 20 })
    await untilCaughtUp(pipeline)
    await assertExact(t, pipeline)
    t.false(stays.hasEnded())
  },
)

test.serial('a signalled worker finishes its batches and releases its lanes', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const worker = await spawnWorker(t, pipeline)
  const publishing = publishAll(pipeline, smallMarket(130, 1_500), { eventsMax: 5 })
  await until('work has begun', 60_000, async () => {
    const { rows } = await pipeline.db.query<{ commits: number }>(
      'select coalesce(sum(commit_number), 0)::integer as commits from checkpoint',
    )
    return (rows[0]?.commits ?? 0) > 3
  })
  worker.signal('SIGTERM')
  t.is(await worker.ended, 0)
  t.true(worker.lines.includes('stopped'))
  const owned = await pipeline.db.query('select from checkpoint where owner is not null')
  t.is(owned.rowCount, 0)
  const alive = await pipeline.db.query('select from worker')
  t.is(alive.rowCount, 0)
  await publishing
  await spawnWorker(t, pipeline)
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
})

test.serial(
  'a worker claims lanes again after a commit with a lost answer fenced it',
  async (t) => {
    const pipeline = await openPipeline(t, { laneCount: 4 })
    const worker = await spawnWorker(t, pipeline)
    await publishAll(pipeline, smallMarket(140, 200), { eventsMax: 20 })
    await untilCaughtUp(pipeline)
    // A commit whose answer was lost goes through after the checkpoint was read again.
    await pipeline.db.query(
      "update checkpoint set commit_number = commit_number + 1, first_slots = '{}', last_slots = '{}'",
    )
    await publishAll(pipeline, smallMarket(141, 200), { eventsMax: 20 })
    await untilCaughtUp(pipeline)
    await assertExact(t, pipeline)
    t.false(worker.hasEnded())
  },
)
