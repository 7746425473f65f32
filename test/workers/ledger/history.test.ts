/**
 * A ledger that reads history keeps the newest swaps back and takes them in by slots: whatever becomes of its lanes
 * meanwhile, its rows end as those of the model, and it takes in what it kept when nothing more is to come.
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

/** Its batches are of some messages. */
const live: Actor = { ...ledgerActor, batching: { bytesMax: 8 * 1024, waitMs: 0, everyMs: 0 } }
/** Keeps back from the first batch on. */
const orderly = (depth: number): Actor => ({
  ...live,
  openLane: (context) => openLedgerLane(context, { fromBytes: 0, depth }),
})

for (const { kept, actor, isCpuShort, seed } of [
  { kept: '20 swaps', actor: orderly(20), isCpuShort: false, seed: 700 },
  { kept: '400 swaps', actor: orderly(400), isCpuShort: false, seed: 710 },
  { kept: 'slots that are under way', actor: live, isCpuShort: true, seed: 740 },
]) {
  test.serial(`lanes that keep ${kept} back fail here and there and lose nothing`, async (t) => {
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
    for (const half of [0, 1]) {
      await publishAll(pipeline, smallMarket(seed + half, 2_500), { eventsMax: 40 })
      await untilLedgerCaughtUp(pipeline)
    }
    const { rows } = await pipeline.db.query<{ lane: number }>('select lane from ledger_ahead')
    t.is(rows.length, LANE_COUNT)
    t.true(failures > 10, `${failures} failures`)
    await assertLedger(t, pipeline)
  })
}

test.serial('finds by counting what a lane held back when FEED was trimmed', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(720, 2_000), { eventsMax: 40 })
  await untilCaughtUp(pipeline)
  // All that is heard is kept back, and no lane lives until it is quiet.
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
  'history comes as long as the lane has not read what FEED had when the pools had read all',
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
    // What comes after that is no history.
    t.true(await history.isComing(end - 1, end - 1))
    await publishAll(pipeline, smallMarket(731, 100), { eventsMax: 40 })
    await runWorker(t, pipeline)
    await untilCaughtUp(pipeline)
    t.false(await history.isComing(end, end - 1))
  },
)

test.serial('a flood is history until nothing of it is under way', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, jetStream, topology, recording } = pipeline
  const history = new History({ db, jetStream, topology, log: recording.log, lane: 0 })
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
