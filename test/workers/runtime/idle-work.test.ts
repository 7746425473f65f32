/** Idle work runs when it is due, and the messages until then are applied before it. */
import test from 'ava'
import { connect } from '../../../sql/db.ts'
import { poolActor } from '../../../workers/pool/actor.ts'
import type { Actor, Grant, LaneMemory } from '../../../workers/runtime/actor.ts'
import { runActor } from '../../../workers/runtime/lane/lane-runner.ts'
import { assertExact } from '../../simulation/judge.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

/** Longer than the test may last. */
const BATCH_MS = 600_000
const ROUND_MS = 300

test.serial('a long micro-batch ends when idle work is due', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology, recording } = pipeline
  const db = connect(pipeline.databaseUrl, { max: 4, isPipelined: true })
  let rounds = 0
  const patient: Actor = {
    ...poolActor,
    batching: { bytesMax: 2 * 1024 * 1024, waitMs: BATCH_MS, everyMs: 0 },
    openLane(context) {
      const lane = poolActor.openLane(context)
      let dueMs = performance.now() + ROUND_MS
      const memory: LaneMemory = {
        fold: (messages) => lane.fold(messages),
        foldIdle(sequence) {
          rounds += 1
          dueMs = performance.now() + ROUND_MS
          return lane.foldIdle(sequence)
        },
        idleDueMs: () => dueMs,
        afterRefusal: (refusal) => lane.afterRefusal?.(refusal),
      }
      return memory
    },
  }
  const stop = new AbortController()
  const lanes = Array.from({ length: topology.laneCount }, (_, lane) => lane)
  await db.query(
    "insert into checkpoint (actor, lane, epoch) select 'pool', lane, 1 from unnest($1::integer[]) lane",
    [lanes],
  )
  const deps = { db, jetStream, topology, log: recording.log }
  const running = Promise.all(
    lanes.map((lane) => {
      const grant: Grant = { lane, epoch: 1, signal: stop.signal }
      return runActor(patient, grant, deps)
    }),
  )
  t.teardown(async () => {
    stop.abort()
    await running
    await db.end()
  })
  await publishAll(pipeline, smallMarket(951, 300), { eventsMax: 20 })
  await untilCaughtUp(pipeline, 60_000)
  await assertExact(t, pipeline)
  const before = rounds
  await until('idle work has its turn where nothing comes, too', 60_000, () => rounds > before)
})
