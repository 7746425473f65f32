/**
 * Owners that do not know that they lost their lane: neither their commits nor their publications have an effect.
 * FEED's de-duplication window is so short that it cannot hide duplicates.
 */
import test from 'ava'
import { connect } from '../../../sql/db.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { poolActor } from '../../../workers/pool/actor.ts'
import type { Grant } from '../../../workers/runtime/actor.ts'
import { runActor } from '../../../workers/runtime/lane/lane-runner.ts'
import { assertExact } from '../../simulation/judge.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { smallMarket } from '../../support/workers/small-market.ts'
import { publishApart, spawnWorker } from '../../support/workers/spawned-worker.ts'

const SHORTEST_WINDOW_NANOS = 100 * 1e6

async function withoutDeduplication(pipeline: Pipeline): Promise<void> {
  await pipeline.jetStream.manager.streams.update(pipeline.topology.feed.stream, {
    duplicate_window: SHORTEST_WINDOW_NANOS,
  })
}

for (const [index, step] of (['pulled', 'folded', 'written', 'committed'] as const).entries()) {
  test.serial(
    `a worker frozen at "${step}" past its lease has no effect once it is revived`,
    async (t) => {
      const pipeline = await openPipeline(t)
      await withoutDeduplication(pipeline)
      const events = smallMarket(200 + index, 450)
      const third = Math.floor(events.length / 3)
      const frozen = await spawnWorker(t, pipeline, {
        fault: { step, after: 5, signal: 'SIGSTOP' },
      })
      await publishApart(pipeline, events.slice(0, third), { worker: frozen, eventsMax: 10 })
      await frozen.untilFrozen()
      const other = await spawnWorker(t, pipeline)
      await publishAll(pipeline, events.slice(third, 2 * third), { eventsMax: 10 })
      await untilCaughtUp(pipeline, 60_000)
      frozen.signal('SIGCONT')
      await publishAll(pipeline, events.slice(2 * third), { eventsMax: 10 })
      // Fenced at its commit, or by the lease of another owner.
      const fenced = ['warn restarting lane from checkpoint', 'warn lost lane'].map((said) =>
        frozen.untilSaid(said),
      )
      await Promise.any(fenced)
      await untilCaughtUp(pipeline)
      await assertExact(t, pipeline)
      t.false(frozen.hasEnded())
      t.false(other.hasEnded())
    },
  )
}

/** Runs a lane again and again, even alongside another owner: fenced, it resumes with the same epoch. */
async function insist(pipeline: Pipeline, lane: number, signal: AbortSignal): Promise<void> {
  const { prefix, laneCount, recording } = pipeline
  const log = recording.log
  const db = connect(pipeline.databaseUrl, { max: 4, isPipelined: true })
  const jetStream = await connectJetStream(pipeline.natsUrl, { name: 'insisting', log })
  const topology = await ensureTopology(jetStream, { prefix, laneCount })
  const grant: Grant = { lane, epoch: 1, signal }
  try {
    const deps = { db, jetStream, topology, log, commitEveryMs: 0 }
    while (!signal.aborted) await runActor(poolActor, grant, deps)
  } finally {
    await jetStream.close()
    await db.end()
  }
}

test.serial(
  'two owners of one lane with one epoch fence each other and leave exact tables',
  async (t) => {
    const pipeline = await openPipeline(t)
    await withoutDeduplication(pipeline)
    await pipeline.db.query(
      `insert into checkpoint (actor, lane, epoch) select 'pool', lane, 1 from generate_series(0, 3) lane`,
    )
    const stop = new AbortController()
    const insisting = [0, 0, 1, 1, 2, 2, 3, 3].map((lane) => insist(pipeline, lane, stop.signal))
    const running = Promise.all(insisting)
    t.teardown(async () => {
      stop.abort()
      await running
    })
    await publishAll(pipeline, smallMarket(210, 1_200), { eventsMax: 12 })
    await Promise.race([untilCaughtUp(pipeline, 60_000), running])
    await assertExact(t, pipeline)
    const fenced = pipeline.recording.lines.filter((line) => line.includes('lost lane'))
    t.true(fenced.length > 0, 'they met')
    stop.abort()
    await t.notThrowsAsync(running)
  },
)
