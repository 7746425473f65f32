/**
 * A ledger that reads history holds back the newest swaps and applies them by slots: for any failures of its lanes its
 * rows end as those of the model, and it applies the held swaps when history has ended.
 */
import test from 'ava'
import { feedHead, trimStream } from '../../../streams/nats/topology.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { ledgerActor, openLedgerLane } from '../../../workers/ledger/actor.ts'
import { History } from '../../../workers/ledger/history.ts'
import type { Actor, Step } from '../../../workers/runtime/actor.ts'
import { assertLedger, untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  LANE_COUNT,
  openPipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runLanes } from '../../support/workers/running-lanes.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const FAILURES_MIN = 10
const PARTS_MAX = 9
/** An actor whose batches have a few messages. */
const live: Actor = { ...ledgerActor, batching: { bytesMax: 8 * 1024, waitMs: 0, everyMs: 0 } }
/** Holds back from the first batch on. */
const orderly = (depth: number): Actor => ({
  ...live,
  openLane: (context) => openLedgerLane(context, { fromBytes: 0, depth }),
})

for (const { stored, actor, isCpuShort, seed } of [
  { stored: '20 swaps', actor: orderly(20), isCpuShort: false, seed: 700 },
  { stored: '400 swaps', actor: orderly(400), isCpuShort: false, seed: 710 },
  { stored: 'slots that are under way', actor: live, isCpuShort: true, seed: 740 },
]) {
  test.serial(`lanes that hold back ${stored} and fail at random lose no swap`, async (t) => {
    const pipeline = await openPipeline(t)
    const prng = new Prng([seed, 17])
    let failures = 0
    const onStep = (step: Step): void => {
      if ((step === 'written' || step === 'committed') && failures < 25 && prng.chance(0.15)) {
        failures += 1
        throw new Error(`the lane fails when it has ${step}`)
      }
    }
    const ledger = await runLanes(pipeline, actor, { onStep, isCpuShort: () => isCpuShort })
    t.teardown(() => ledger.stop())
    await runWorker(t, pipeline)
    // A slow pool worker publishes all that waits in few messages, of which few steps come.
    for (let part = 0; part < 2 || (failures <= FAILURES_MIN && part < PARTS_MAX); part++) {
      await publishAll(pipeline, smallMarket(seed + part, 2_500), { eventsMax: 40 })
      await untilLedgerCaughtUp(pipeline)
    }
    const { rows } = await pipeline.db.query<{ lane: number }>('select lane from ledger_ahead')
    t.is(rows.length, LANE_COUNT)
    t.true(failures > FAILURES_MIN, `${failures} failures`)
    await assertLedger(t, pipeline)
  })
}

test.serial('recounts the swaps that a lane held back when FEED was trimmed', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(720, 2_000), { eventsMax: 40 })
  await untilCaughtUp(pipeline)
  // All decoded swaps are held back, and no lane lives until the end of history.
  const held = new Set<number>()
  const onStep = (step: Step, lane: number): void => {
    if (step === 'committed') held.add(lane)
    if (step === 'folded' && held.has(lane)) throw new Error('the lane fails')
  }
  const dying = await runLanes(pipeline, orderly(100_000), { onStep })
  await until('every lane has kept something back', 60_000, () => held.size === LANE_COUNT)
  await dying.stop()
  t.is((await pipeline.db.query('select from position')).rowCount, 0)
  await publishAll(pipeline, smallMarket(721, 200), { eventsMax: 40 })
  await untilCaughtUp(pipeline)
  await worker.stop()
  const { jetStream, topology } = pipeline
  const { state } = await jetStream.manager.streams.info(topology.feed.stream)
  await trimStream(jetStream, topology.feed.stream, state.last_seq - 3)
  const ledger = await runLanes(pipeline, orderly(100))
  t.teardown(() => ledger.stop())
  await runWorker(t, pipeline)
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
})

test.serial(
  'reports history until the lane has read the messages that FEED held when the pools had read all',
  async (t) => {
    const pipeline = await openPipeline(t)
    await publishAll(pipeline, smallMarket(730, 500), { eventsMax: 40 })
    const { db, jetStream, topology, recording } = pipeline
    const history = new History({ db, jetStream, topology, log: recording.log, lane: 0 })
    t.true(await history.isComing(0, 0), 'pools that have read nothing')
    const worker = await runWorker(t, pipeline)
    await untilCaughtUp(pipeline)
    await worker.stop()
    const end = await feedHead(jetStream, topology, 0)
    t.true(await history.isComing(end - 1, end - 1), 'a message is unread')
    t.false(await history.isComing(end, end), 'all is read')
    // Later messages are no history.
    t.true(await history.isComing(end - 1, end - 1))
    await publishAll(pipeline, smallMarket(731, 100), { eventsMax: 40 })
    await runWorker(t, pipeline)
    await untilCaughtUp(pipeline)
    t.false(await history.isComing(end, end - 1))
  },
)

test.serial('reports large batches as history until no message of them is in flight', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, jetStream, topology, recording } = pipeline
  // A fixed clock: on a busy machine the bound for large batches would pass while a worker starts.
  const history = new History({ db, jetStream, topology, log: recording.log, lane: 0 }, () => 0)
  const take = async (seed: number) => {
    const worker = await runWorker(t, pipeline)
    await publishAll(pipeline, smallMarket(seed, 200), { eventsMax: 40 })
    await untilCaughtUp(pipeline)
    await worker.stop()
    return feedHead(jetStream, topology, 0)
  }
  const first = await take(732)
  t.true(await history.isComing(first - 1, 0), 'a message is unread')
  await publishAll(pipeline, smallMarket(733, 100), { eventsMax: 40 })
  t.true(await history.isComing(first, first), 'the pools are behind again')
  const second = await take(734)
  t.true(second > first)
  t.true(await history.isComing(first, first), 'they are not any more, but the lane is')
  t.false(await history.isComing(second, first), 'all is read, and the flood is over')
})
