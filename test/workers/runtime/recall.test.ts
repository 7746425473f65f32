/**
 * The messages of a commit are not stored: they are rebuilt from the rows. Here after every single commit, before its
 * publication, as the next owner of the lane would; then compared with FEED.
 */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { decodeFeedBatch } from '../../../streams/codec/event-codec.ts'
import type { Publication } from '../../../workers/runtime/feed/feed-publisher.ts'
import { deliveriesOf } from '../../simulation/scenario.ts'
import { swapEvent } from '../../support/events/sample-event.ts'
import {
  openPipeline,
  publishAll,
  publishBatches,
  readFeed,
  recalled,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

/** Parts, of which each is at least a commit of every lane. */
const PARTS = 12

/** The events of a message, but for the bytes that they came as. */
const saidIn = (payload: Uint8Array) => decodeFeedBatch(payload).map(({ bytes, ...said }) => said)

test('rebuilds the messages of every commit from its rows, part for part', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const found: Publication[] = []
  await runWorker(t, pipeline, {
    onStep: async (step, lane) => {
      if (step === 'committed') found.push(...(await recalled(pipeline, pipeline.topology, lane)))
    },
  })
  // Late, repeated and contradicting events, and changes of liquidity: stored impacts change too.
  const deliveries = deliveriesOf(77, pipeline)
  // In parts: else all of it may be folded by one commit, which changes no impact that it stored before.
  const size = Math.ceil(deliveries.length / PARTS)
  for (let from = 0; from < deliveries.length; from += size) {
    await publishBatches(pipeline, deliveries.slice(from, from + size))
    await untilCaughtUp(pipeline, 60_000)
  }
  const feed = await readFeed(pipeline)
  const published = feed.map(({ subject, mark, events }) => ({
    name: `${mark.poolLane} ${mark.commitNumber} ${mark.part} ${subject}`,
    said: events.map(({ bytes, ...said }) => said),
  }))
  const made = found.map(({ subject, commitNumber, part, payload }) => ({
    name: `${subject.at(-1)} ${commitNumber} ${part} ${subject}`,
    said: saidIn(payload),
  }))
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  t.true(feed.length > 5 * PARTS, `${feed.length} messages`)
  t.deepEqual(made.sort(byName), published.sort(byName))
  // The run did hold swaps whose impact a later commit changed: rows that it did not store.
  const { rows } = await pipeline.db.query<{ signature: string; price_impact_bps: number | null }>(
    'select signature, price_impact_bps from swap',
  )
  const stored = Map.groupBy(rows, (row) => row.signature)
  const changed = feed
    .flatMap(({ events }) => events)
    .filter(
      (event) =>
        event.kind === 'swap' &&
        !stored
          .get(event.swap.signature)
          ?.some((row) => row.price_impact_bps === event.priceImpactBps),
    )
  t.true(changed.length > 0)
})

/** A swap of one pool that is measured by the price before it. */
function swapAt(slot: number, priceAfter: number): Event {
  const signature = encodeBase58(new Uint8Array(64).fill(slot))
  return swapEvent({ dex: 7, slot, signature, priceAfter })
}

test('a commit does not publish a stored swap whose impact it changes', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  await runWorker(t, pipeline)
  await publishAll(pipeline, [swapAt(9, 1), swapAt(11, 2)])
  await untilCaughtUp(pipeline)
  const impactOf11 = async () => {
    const { rows } = await pipeline.db.query('select price_impact_bps from swap where slot = 11')
    return rows[0]?.price_impact_bps
  }
  const before = await impactOf11()
  // Slot 11 lies within the run of slots of this commit, and its swap gets another reference.
  await publishAll(pipeline, [swapAt(10, 3), swapAt(12, 4)])
  await untilCaughtUp(pipeline)
  t.not(await impactOf11(), before)
  const lanes = Array.from({ length: pipeline.laneCount }, (_, lane) =>
    recalled(pipeline, pipeline.topology, lane),
  )
  const said = (await Promise.all(lanes)).flat().flatMap(({ payload }) => saidIn(payload))
  t.deepEqual(
    said.map((event) => event.kind === 'swap' && event.swap.slot),
    [10, 12],
  )
})
