/**
 * Swaps that a lane has decoded and not applied do not wait for a stopped pool lane, and meanwhile no present message
 * counts as lost.
 */
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { feedSubject } from '../../../streams/nats/subject.ts'
import { feedHead, swapHead, trimStream } from '../../../streams/nats/topology.ts'
import { ledgerActor } from '../../../workers/ledger/actor.ts'
import { History } from '../../../workers/ledger/history.ts'
import type { Actor } from '../../../workers/runtime/actor.ts'
import { buy } from '../../domain/ledger/histories.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { assertAsRebuilt, assertLedger, untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  LANE_COUNT,
  openPipeline,
  type Pipeline,
  publishAll,
  readFeed,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runLanes } from '../../support/workers/running-lanes.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const LANES = Array.from({ length: LANE_COUNT }, (_, lane) => lane)
/** Higher than that of any lane. */
const NOBODYS_LANE = LANE_COUNT + 3
/** Swaps that are held back for good would not come in any time. */
const BOUND_MS = 120_000
/** A clock of the test: how long a query takes does not count. */
const LOOK_EVERY_MS = 100
const WAIT_MS_MAX = 30_000
/** Slightly longer than an idle lane waits before it checks for missed messages. */
const LOOKED_AROUND_MS = 9_000

async function checkpointOf({ db }: Pipeline, lane: number): Promise<number> {
  const { rows } = await db.query<{ sequence: number }>(
    "select sequence from checkpoint where actor = 'ledger' and lane = $1",
    [lane],
  )
  return rows[0]?.sequence ?? 0
}

test.serial('a message of FEED that does not parse is read like any other', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, jetStream, prefix, recording } = pipeline
  const start = async () => [
    await runWorker(t, pipeline),
    await runWorker(t, pipeline, { actors: ['ledger'] }),
  ]
  const first = await start()
  await publishAll(pipeline, smallMarket(750, 400), { eventsMax: 40 })
  await untilLedgerCaughtUp(pipeline)
  // The first message that a lane decodes after a restart; and the newest message of a pool lane.
  for (const worker of first) await worker.stop()
  for (const poolLane of [0, NOBODYS_LANE]) {
    const subject = feedSubject(prefix, 1, 1, poolLane)
    const { sequence } = await jetStream.publish(subject, Buffer.from('this is no protobuf'))
    const again = await start()
    await until('it is read', 60_000, async () => (await checkpointOf(pipeline, 1)) === sequence)
    for (const worker of again) await worker.stop()
  }
  await start()
  await publishAll(pipeline, smallMarket(751, 400), { eventsMax: 40 })
  await untilLedgerCaughtUp(pipeline)
  const { rows } = await db.query<{ reason: string }>('select reason from dead_letter')
  t.is(rows.length, 2)
  for (const { reason } of rows) t.regex(reason, /^does not parse: /)
  await assertLedger(t, pipeline)
  t.false(recording.lines.some((line) => line.includes('restarting lane from checkpoint')))
})

test.serial('a slot far ahead does not hold swaps back for long while CPU is short', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const ledger = await runLanes(pipeline, ledgerActor, { isCpuShort: () => true })
  t.teardown(() => ledger.stop())
  const user = poolOf(7_500)
  const lane = laneOf(user, LANE_COUNT)
  const of = (slot: number): Event => ({ kind: 'swap', swap: buy(slot, 1_000, 1_000, { user }) })
  await publishAll(pipeline, [of(2 ** 40)])
  await untilCaughtUp(pipeline)
  const ahead = await feedHead(pipeline.jetStream, pipeline.topology, lane)
  // Without a pause in which all would be applied.
  let slot = 1
  const untilMs = performance.now() + BOUND_MS
  while (performance.now() < untilMs && (await checkpointOf(pipeline, lane)) < ahead) {
    await publishAll(pipeline, [of(slot++)])
    await pause(20)
  }
  t.true((await checkpointOf(pipeline, lane)) >= ahead, `${slot} swaps came behind it`)
  await untilLedgerCaughtUp(pipeline)
  await assertAsRebuilt(t, pipeline)
})

test.serial('does not wait for a stopped pool lane, whatever the others do', async (t) => {
  const pipeline = await openPipeline(t)
  await publishAll(pipeline, smallMarket(760, 500), { eventsMax: 40 })
  const { db, jetStream, topology, recording } = pipeline
  const heads = await Promise.all(LANES.map((lane) => swapHead(jetStream, topology, lane)))
  t.true(heads.every((head) => head > 1))
  // Lane 0 died midway; the others have read all, and read new messages.
  await db.query(
    `insert into checkpoint (actor, lane, epoch, sequence)
     select 'pool', at - 1, 1, case at when 1 then 1 else head end
     from unnest($1::bigint[]) with ordinality as of (head, at)`,
    [heads],
  )
  let waitedMs = 0
  const history = new History(
    { db, jetStream, topology, log: recording.log, lane: 0 },
    () => waitedMs,
  )
  t.true(await history.isComing(0, 0), 'it may go on')
  for (let at = 1; (await history.isComing(at, at)) && waitedMs < WAIT_MS_MAX; at++) {
    await db.query(
      "update checkpoint set sequence = sequence + 1 where lane > 0 and actor = 'pool'",
    )
    waitedMs += LOOK_EVERY_MS
  }
  t.true(waitedMs > 1_000 && waitedMs < WAIT_MS_MAX, `it waited ${waitedMs} ms`)
})

for (const { brought, step } of [
  { brought: 'nothing', step: 0 },
  { brought: 'no more than a live market', step: 1 },
]) {
  test.serial(`history that brings ${brought} for some seconds counts as ended`, async (t) => {
    const pipeline = await openPipeline(t)
    await publishAll(pipeline, smallMarket(761, 500), { eventsMax: 40 })
    const { db, jetStream, topology, recording } = pipeline
    await db.query("insert into checkpoint (actor, lane, epoch) select 'pool', 0, 1")
    let waitedMs = 0
    const history = new History(
      { db, jetStream, topology, log: recording.log, lane: 0 },
      () => waitedMs,
    )
    let at = 1
    for (; (await history.isComing(at, 1)) && waitedMs < WAIT_MS_MAX; at += step) {
      await db.query('update checkpoint set sequence = 1 - sequence')
      waitedMs += LOOK_EVERY_MS
    }
    t.true(waitedMs < WAIT_MS_MAX)
    t.true(waitedMs > 3_000, 'a lane gets on all the time')
    t.true(await history.isComing(at + 1, at + 1), 'a flood came')
  })
}

test.serial('neither misses nor rereads what a lane holds back', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology, recording } = pipeline
  await runWorker(t, pipeline)
  const taken = new Map<number, number>()
  const gaps: number[] = []
  const patient: Actor = {
    ...ledgerActor,
    noteGap: async ({ lane }) => void gaps.push(lane),
    openLane: ({ lane }) => ({
      async fold(messages) {
        taken.set(lane, (taken.get(lane) ?? 0) + messages.length)
        const [eventCount, readTo] = [0, 0]
        return { eventCount, readTo, deadLetters: [], write: async () => {}, publish: () => [] }
      },
      foldIdle: async () => undefined,
    }),
  }
  const lanes = await runLanes(pipeline, patient)
  t.teardown(() => lanes.stop())
  await until(
    'every lane asked whether it had missed something',
    60_000,
    () => gaps.length === LANE_COUNT,
  )
  const events = smallMarket(770, 500)
  await publishAll(pipeline, events.slice(0, 400), { eventsMax: 40 })
  await untilCaughtUp(pipeline)
  const inFeed = (await readFeed(pipeline)).length
  await until(
    'all is taken',
    BOUND_MS,
    () => [...taken.values()].reduce((a, b) => a + b, 0) >= inFeed,
  )
  await pause(LOOKED_AROUND_MS)
  // All of it was read, none is applied: FEED may trim it.
  const { state } = await jetStream.manager.streams.info(topology.feed.stream)
  await trimStream(jetStream, topology.feed.stream, state.last_seq)
  const before = new Map(taken)
  t.is(before.size, LANE_COUNT)
  await publishAll(pipeline, events.slice(400), { eventsMax: 40 })
  await untilCaughtUp(pipeline)
  await until('more came', 60_000, () => [...taken].every(([lane, n]) => n > before.get(lane)!))
  t.is(gaps.length, LANE_COUNT)
  t.deepEqual(
    recording.lines.filter((line) => /nothing came|no longer holds|from the checkpoint/.test(line)),
    [],
  )
  // A server that lost power has fewer messages than were read.
  const { stream } = topology.feed
  const { config } = await jetStream.manager.streams.info(stream)
  await jetStream.manager.streams.delete(stream)
  await jetStream.manager.streams.add(config)
  await until('the lanes notice', 60_000, () => gaps.length >= 2 * LANE_COUNT)
  t.true(
    recording.lines.some((line) => /stream that lost its end|end that the stream lost/.test(line)),
  )
})
