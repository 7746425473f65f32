/** The same events again, at once and after the stream's own memory: known by the database only. */
import test from 'ava'
import { runCounts } from '../../../deploy/ingest/run-counts.ts'
import type { Event } from '../../../domain/events/event.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { assertExact } from '../../simulation/judge.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket, swapsOf } from '../../support/workers/small-market.ts'

async function hashes(pipeline: Pipeline): Promise<string[]> {
  const { tables } = await verify(pipeline.db, { log: pipeline.recording.log })
  return tables.map(({ name, stored }) => `${name} ${stored}`)
}

test('events redelivered in other batches are duplicates and change no row', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const events = smallMarket(500, 800)
  const swaps = swapsOf(events)
  const other = events.length - swaps
  await publishAll(pipeline, events, { eventsMax: 50, run: 'first' })
  await untilCaughtUp(pipeline)
  const before = await hashes(pipeline)
  // Other batches have other ids: as after the de-duplication window.
  await publishAll(pipeline, [...events, ...events], { eventsMax: 37, run: 'again' })
  await untilCaughtUp(pipeline)
  t.deepEqual(await hashes(pipeline), before)
  const none = {
    ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
    ...{ retracted_swap: 0, retracted_pool_event: 0, dropped_swap: 0, dropped_pool_event: 0 },
  }
  t.deepEqual(await runCounts(pipeline.db, 'first'), { ...none, accepted: swaps, other })
  t.deepEqual(await runCounts(pipeline.db, 'again'), {
    ...none,
    duplicate: 2 * swaps,
    other: 2 * other,
  })
  await assertExact(t, pipeline)
})

test('the same batch within the window is not even stored twice', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const events = smallMarket(501, 200)
  await publishAll(pipeline, events, { run: 'first' })
  await publishAll(pipeline, events, { run: 'again' })
  await untilCaughtUp(pipeline)
  t.is((await runCounts(pipeline.db, 'again')).duplicate, 0)
  t.is((await runCounts(pipeline.db, 'first')).accepted, swapsOf(events))
  await assertExact(t, pipeline)
})

test('a contradicting delivery is a conflict, is logged and changes no row', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const events = smallMarket(502, 300).filter((event) => event.kind === 'swap')
  await publishAll(pipeline, events, { run: 'first' })
  await untilCaughtUp(pipeline)
  const before = await hashes(pipeline)
  const contradicting = events.map((event, index): Event => {
    const { swap } = event
    if (index % 3 === 0) return { kind: 'swap', swap: { ...swap, slot: swap.slot + 1 } }
    if (index % 3 === 1) return { kind: 'swap', swap: { ...swap, timestamp: swap.timestamp + 1 } }
    return { kind: 'swap', swap: { ...swap, creatorFeeBps: swap.creatorFeeBps + 1 } }
  })
  await publishAll(pipeline, contradicting, { run: 'contradicting' })
  await untilCaughtUp(pipeline)
  t.deepEqual(await hashes(pipeline), before)
  t.is((await runCounts(pipeline.db, 'contradicting')).conflict, events.length)
  t.is(pipeline.recording.lines.filter((line) => line.includes('conflict')).length, events.length)
  await assertExact(t, pipeline)
})

test('two databases of one process have separate ids of the same wallets', async (t) => {
  const events = smallMarket(503, 300)
  const first = await openPipeline(t)
  const second = await openPipeline(t)
  await runWorker(t, first)
  await runWorker(t, second)
  await publishAll(first, events)
  await untilCaughtUp(first)
  await publishAll(second, events.toReversed())
  await untilCaughtUp(second)
  await assertExact(t, first)
  await assertExact(t, second)
})
