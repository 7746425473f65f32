/** Pool lanes stay aligned while they read a long history, and do not wait for a stopped one. */
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { encodeEventBatch } from '../../../../streams/codec/event-codec.ts'
import { streamState, swapHead } from '../../../../streams/nats/topology.ts'
import { LaneAlignment } from '../../../../workers/runtime/pacing/lane-alignment.ts'
import { assertExact } from '../../../simulation/judge.ts'
import {
  batchesOf,
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

/** A batch of a lane is eight of these. */
const MESSAGE_BYTES = 256 * 1024
const LANES = 4
const SLOW = 2
/** Twice the size of the messages: a stream is trimmed when it is half full. */
const STREAM_BYTES = 256 * 1024 * 1024
/** A batch's share of the stream where lanes read it alternately. */
const BATCH_MESSAGES = 8 * LANES

/** Pads a payload to the size of a message of a history, in a field that no consumer reads. */
function padded(payload: Uint8Array): Uint8Array {
  const [tag, length] = [(15 << 3) | 2, MESSAGE_BYTES]
  const varint = [(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14]
  return Buffer.concat([payload, Buffer.from([tag, ...varint]), Buffer.alloc(length)])
}

type Lead = { lane: number; messages: number }

/** How far a lane has read beyond the one that has read least and has more to read. */
async function leadOf(pipeline: Pipeline, lane: number): Promise<Lead> {
  const { db, jetStream, topology } = pipeline
  const { rows } = await db.query<{ lane: number; sequence: number }>(
    "select lane, sequence from checkpoint where actor = 'pool'",
  )
  const own = rows.find((row) => row.lane === lane)?.sequence ?? 0
  let messages = 0
  for (const row of rows) {
    const head = await swapHead(jetStream, topology, row.lane)
    if (head > row.sequence) messages = Math.max(messages, own - row.sequence)
  }
  return { lane, messages }
}

/** A history of small swaps in large messages, of all lanes alternately. */
async function publishHistory(pipeline: Pipeline, seed: number): Promise<void> {
  const byLane = Map.groupBy(batchesOf(pipeline, smallMarket(seed, 1_200), 6), ({ subject }) =>
    subject.split('.').at(-1),
  )
  const most = Math.max(...[...byLane.values()].map((batches) => batches.length))
  for (let at = 0; at < most; at++) {
    for (const batches of byLane.values()) {
      const batch = batches[at]
      if (batch === undefined) continue
      await pipeline.jetStream.publish(batch.subject, padded(encodeEventBatch(batch.events)))
    }
  }
}

const open = (t: ExecutionContext): Promise<Pipeline> =>
  openPipeline(t, { laneCount: LANES, swapMaxBytes: STREAM_BYTES })

test('a lane that reads history is at most some batches ahead of the slowest', async (t) => {
  const pipeline = await open(t)
  await publishHistory(pipeline, 951)
  const leads: Lead[] = []
  // Before its first commit a lane's row has no position in the stream.
  let pauseMs = 2_000
  await runWorker(t, pipeline, {
    onStep: async (step, lane) => {
      if (step === 'folded' && lane === SLOW) {
        await pause(pauseMs)
        pauseMs = 250
      }
      if (step === 'committed') leads.push(await leadOf(pipeline, lane))
    },
  })
  await untilCaughtUp(pipeline)
  t.true(leads.filter(({ lane }) => lane === SLOW).length > 3, 'the slow lane has several batches')
  const greatest = Math.max(...leads.map(({ messages }) => messages))
  t.true(greatest <= 3 * BATCH_MESSAGES, JSON.stringify(leads))
  await assertExact(t, pipeline)
})

test('a stopped lane delays the others up to a bound', async (t) => {
  const pipeline = await open(t)
  await publishHistory(pipeline, 952)
  const latch = Promise.withResolvers<void>()
  await runWorker(t, pipeline, {
    onStep: (step, lane) => (step === 'folded' && lane === SLOW ? latch.promise : undefined),
  })
  // Teardowns run from the last to the first: a worker stops once its step has ended.
  t.teardown(() => latch.resolve())
  await until('all others have read all', 60_000, async () => {
    const { rows } = await pipeline.db.query<{ lane: number; sequence: number }>(
      "select lane, sequence from checkpoint where actor = 'pool' and lane <> $1",
      [SLOW],
    )
    const heads = await Promise.all(
      rows.map(({ lane }) => swapHead(pipeline.jetStream, pipeline.topology, lane)),
    )
    return rows.length === LANES - 1 && rows.every(({ sequence }, at) => sequence === heads[at])
  })
  latch.resolve()
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
})

test('several stopped lanes delay the others no longer than one', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: LANES })
  const { db, jetStream, topology, recording } = pipeline
  await publishAll(pipeline, smallMarket(953, 200))
  await db.query(
    `insert into checkpoint (actor, lane, epoch, stream_epoch, sequence)
     select 'pool', lane, 1, $1, case lane when 0 then $2 else 0 end from generate_series(0, 3) lane`,
    [topology.swap.epoch, (await streamState(jetStream, topology.swap.stream)).last],
  )
  // The clock advances with each call: each lane is looked at once in 300 ms.
  let nowMs = 0
  const aligned = new LaneAlignment(
    { db, jetStream, topology, log: recording.log, lane: 0 },
    () => (nowMs += 100),
  )
  const message = await jetStream.messageAt(topology.swap.stream, 1)
  aligned.took([{ ...message!, payload: Buffer.alloc(8 * MESSAGE_BYTES) }])
  await aligned.untilOthers(AbortSignal.timeout(60_000))
  t.true(nowMs > 9_000 && nowMs < 18_000, `it waited ${nowMs} ms`)
})
