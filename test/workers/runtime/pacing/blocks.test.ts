/** Blocks: a lane commits its part of one at once, and a reader sees all of the part or nothing. */
import test from 'ava'
import { type Event, isChainEvent, payloadOf } from '../../../../domain/events/event.ts'
import { createPublisher } from '../../../../streams/ingest/publisher.ts'
import { BLOCK_HEADER } from '../../../../streams/nats/micro-batch.ts'
import { laneOfSubject, swapStreamSubject, swapSubjects } from '../../../../streams/nats/subject.ts'
import { streamState } from '../../../../streams/nats/topology.ts'
import { runSource } from '../../../../streams/sources/run-source.ts'
import type { Source } from '../../../../streams/sources/source.ts'
import { assertExact } from '../../../simulation/judge.ts'
import {
  batchesOf,
  openPipeline,
  type Pipeline,
  readStream,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

const BOUND_MS = 60_000
/** Longer than the test waits for anything; a worker with an incomplete block ends after it. */
const NEVER_MS = 2 * BOUND_MS
/** Each takes longer than a commit. */
const LOOKS = 10

type Block = { slot: number; events: Event[] }

/** Events by their slots, ascending; a token line belongs to the event after it. */
function blocksOf(events: readonly Event[]): Block[] {
  const bySlot = new Map<number, Event[]>()
  let tokens: Event[] = []
  for (const event of events) {
    tokens.push(event)
    if (!isChainEvent(event)) continue
    const { slot } = payloadOf(event)
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), ...tokens])
    tokens = []
  }
  return [...bySlot].sort(([a], [b]) => a - b).map(([slot, own]) => ({ slot, events: own }))
}

/** Stored swaps by slot and lane. */
async function storedParts({ db, prefix, laneCount }: Pipeline, events: readonly Event[]) {
  // A transaction may trade in pools of several lanes.
  const { rows } = await db.query<{ name: string }>(
    `select signature || '/' || pair_address as name from swap join pool on pool.id = swap.pool_id`,
  )
  const stored = new Set(rows.map(({ name }) => name))
  const parts = new Map<string, { stored: number; all: number }>()
  for (const event of events) {
    if (event.kind !== 'swap') continue
    const [subject = ''] = swapSubjects(prefix, event, laneCount)
    const key = `${event.swap.slot}/${laneOfSubject(subject)}`
    const part = parts.get(key) ?? { stored: 0, all: 0 }
    part.all++
    if (stored.has(`${event.swap.signature}/${event.swap.pairAddress}`)) part.stored++
    parts.set(key, part)
  }
  return [...parts.values()]
}

test('a reader sees the part of a block that a lane commits whole or not at all', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology, recording } = pipeline
  const events = smallMarket(4_801, 120)
  const commits = new Map<number, number>()
  await runWorker(t, pipeline, {
    commitEveryMs: 1,
    blockWaitMs: NEVER_MS,
    onStep: (step, lane, batch) => {
      const isOfEvents = step === 'committed' && (batch?.eventCount ?? 0) > 0
      if (isOfEvents) commits.set(lane, (commits.get(lane) ?? 0) + 1)
    },
  })
  const publisher = createPublisher(jetStream, topology, { log: recording.log })
  t.teardown(() => publisher.close())
  const published: Event[] = []
  let [halves, laneBlocks] = [0, 0]
  for (const { slot, events: own } of blocksOf(events)) {
    const lanes = Map.groupBy(batchesOf(pipeline, own), ({ subject }) => laneOfSubject(subject))
    laneBlocks += lanes.size
    const marked = [...lanes.values()].map((batches) =>
      batches.map((batch) => ({ ...batch, block: { slot, messages: batches.length } })),
    )
    for (const batch of marked.flatMap((batches) => batches.slice(0, -1))) {
      await publisher.publish(batch)
      halves++
    }
    const whole = await storedParts(pipeline, published)
    for (let look = 0; look < (halves > 0 ? LOOKS : 1); look++) {
      const parts = await storedParts(pipeline, [...published, ...own])
      const stored = parts.reduce((sum, part) => sum + part.stored, 0)
      const before = whole.reduce((sum, part) => sum + part.stored, 0)
      t.is(stored, before, `nothing of block ${slot} is seen before all of a lane has come`)
    }
    for (const batches of marked) await publisher.publish(batches.at(-1)!)
    published.push(...own)
    await until('the block is stored', BOUND_MS, async () => {
      const parts = await storedParts(pipeline, published)
      return parts.every((part) => part.stored === part.all)
    })
  }
  t.true(halves > 0, 'some lanes had several messages of a block')
  await untilCaughtUp(pipeline, BOUND_MS)
  const total = [...commits.values()].reduce((sum, count) => sum + count, 0)
  t.true(total <= laneBlocks, `${total} commits of ${laneBlocks} parts of blocks`)
  await assertExact(t, pipeline)
})

test('a live source marks the messages of a block with their number in each lane', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology, recording } = pipeline
  const blocks = blocksOf(smallMarket(4_803, 60))
  const publisher = createPublisher(jetStream, topology, { log: recording.log })
  t.teardown(() => publisher.close())
  const source: Source = {
    isLive: true,
    async *open() {
      let batches = 0
      for (const { slot, events } of blocks) {
        batches += batchesOf(pipeline, events).length
        const rest = { units: 1, newest: undefined, notices: [] }
        yield { events, endsSlot: slot, cursor: String(slot), ...rest }
        await until('the block is in SWAP', BOUND_MS, async () => {
          return (await streamState(jetStream, topology.swap.stream)).last === batches
        })
      }
    },
  }
  const signal = new AbortController().signal
  await runSource(source, { publish: publisher.publish, ...topology, signal, onNotice: () => {} })
  const subjects = swapStreamSubject(pipeline.prefix)
  const seen = new Map<string, number>()
  for await (const message of readStream(jetStream, topology.swap, subjects)) {
    const mark = message.header(BLOCK_HEADER)
    t.truthy(mark)
    const key = `${laneOfSubject(message.subject)} ${mark}`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  t.true(seen.size >= blocks.length)
  for (const [key, count] of seen) t.is(count, Number(key.split(' ')[2]), key)
})

test('a lost message of a block delays the others, and loses none', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology, recording } = pipeline
  const batches = batchesOf(pipeline, smallMarket(4_802, 200), 20)
  await runWorker(t, pipeline, { commitEveryMs: 1 })
  const publisher = createPublisher(jetStream, topology, { log: recording.log })
  t.teardown(() => publisher.close())
  for (const [at, batch] of batches.entries()) {
    // Each is one of two messages of a block whose other one never comes.
    await publisher.publish({ ...batch, block: { slot: at, messages: 2 } })
  }
  await until('all swaps are stored', BOUND_MS, async () => {
    const parts = await storedParts(
      pipeline,
      batches.flatMap(({ events }) => events),
    )
    return parts.every((part) => part.stored === part.all)
  })
  await untilCaughtUp(pipeline, BOUND_MS)
  await assertExact(t, pipeline)
})
