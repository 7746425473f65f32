/**
 * A lane does not look swaps up until a commit is refused for a stored one. Tests the refusals, their number, and that
 * the tables are the same as if every batch had been looked up.
 */
import test, { type ExecutionContext } from 'ava'
import { runCounts } from '../../../deploy/ingest/run-counts.ts'
import type { Event } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { assertExact } from '../../simulation/judge.ts'
import { SWAP, swapEvent } from '../../support/events/sample-event.ts'
import {
  LANE_COUNT,
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket, swapsOf } from '../../support/workers/small-market.ts'

/** Runs a worker; the returned function counts the commits that were refused for a stored swap. */
async function refusalsOf(t: ExecutionContext, pipeline: Pipeline): Promise<() => number> {
  let refusals = 0
  await runWorker(t, pipeline, {
    // A refused batch of messages that are pulled once is folded twice.
    onStep: (step) => {
      if (step === 'pulled') refusals -= 1
      if (step === 'folded') refusals += 1
    },
  })
  return () => refusals
}

const BOUND_MS = 60_000
const NONE = {
  ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
  ...{ retracted_swap: 0, retracted_pool_event: 0, dropped_swap: 0, dropped_pool_event: 0 },
}
const signatureRows = async ({ db }: Pipeline) =>
  (
    await db.query<{ slot: number; copy: number }>(
      'select slot, copy from swap_signature order by copy, slot',
    )
  ).rows

test('a history that comes again is refused once a lane, in silence', async (t) => {
  const pipeline = await openPipeline(t)
  const refusals = await refusalsOf(t, pipeline)
  const events = smallMarket(510, 600)
  await publishAll(pipeline, events, { eventsMax: 40 })
  await untilCaughtUp(pipeline, BOUND_MS)
  // Other batches have other ids: as after the stream's de-duplication window.
  await publishAll(pipeline, [...events, ...events], { eventsMax: 31, run: 'again' })
  await untilCaughtUp(pipeline, BOUND_MS)
  t.is(refusals(), LANE_COUNT)
  t.is((await runCounts(pipeline.db, 'again')).duplicate, 2 * swapsOf(events))
  const { lines } = pipeline.recording
  t.deepEqual(
    lines.filter((line) => line.includes('from checkpoint')),
    [],
  )
  await assertExact(t, pipeline)
})

test('a batch of which half is known stores the other half', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const events = smallMarket(511, 600)
  await publishAll(pipeline, events.slice(0, 400), { run: 'first' })
  await untilCaughtUp(pipeline, BOUND_MS)
  await publishAll(pipeline, events.slice(200), { run: 'half' })
  await untilCaughtUp(pipeline, BOUND_MS)
  const half = await runCounts(pipeline.db, 'half')
  t.is(half.duplicate, swapsOf(events.slice(200, 400)))
  t.is(half.accepted, swapsOf(events.slice(400)))
  t.is(half.dead, 0)
  await assertExact(t, pipeline)
})

const sent = (changes: Partial<Swap> = {}): Event => swapEvent(changes)
const SLOT = SWAP.slot
const OTHER_MINT = 'So11111111111111111111111111111111111111112'

/**
 * Each after the commit of the one before; no two are equal, because the stream would drop the second as a duplicate.
 */
async function deliver(pipeline: Pipeline, deliveries: readonly Event[][]): Promise<void> {
  for (const [index, events] of deliveries.entries()) {
    await publishAll(pipeline, events, { run: `${index}` })
    await untilCaughtUp(pipeline, BOUND_MS)
  }
}

test('a known swap in another slot is a conflict, and its other mint makes no pool', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await deliver(pipeline, [
    [sent()],
    [sent({ slot: SLOT + 9 })],
    [sent({ tokenAddress: OTHER_MINT })],
  ])
  t.deepEqual(await runCounts(pipeline.db, '0'), { ...NONE, accepted: 1 })
  t.deepEqual(await runCounts(pipeline.db, '1'), { ...NONE, conflict: 1 })
  t.deepEqual(await runCounts(pipeline.db, '2'), { ...NONE, conflict: 1 })
  const { rows } = await pipeline.db.query('select address from token where address = $1', [
    OTHER_MINT,
  ])
  t.deepEqual(rows, [])
  await assertExact(t, pipeline)
})

test('the mint of a conflict creates no pool in trusting mode either', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await deliver(pipeline, [[sent()], [sent({ tokenAddress: OTHER_MINT })]])
  t.deepEqual(await runCounts(pipeline.db, '1'), { ...NONE, conflict: 1 })
  const { rows } = await pipeline.db.query('select address from token where address = $1', [
    OTHER_MINT,
  ])
  t.deepEqual(rows, [])
  await assertExact(t, pipeline)
})

test('a second swap of a known transaction is stored, and shares its row', async (t) => {
  const pipeline = await openPipeline(t)
  const refusals = await refusalsOf(t, pipeline)
  const second = sent({ ixIndex: 40 })
  await deliver(pipeline, [[sent()], [second], [sent(), second]])
  t.is(refusals(), 1)
  t.deepEqual(await runCounts(pipeline.db, '1'), { ...NONE, accepted: 1 })
  t.deepEqual(await runCounts(pipeline.db, '2'), { ...NONE, duplicate: 2 })
  t.is((await signatureRows(pipeline)).length, 1)
  await assertExact(t, pipeline)
})

test('a transaction with two reported positions has a row for each, and is found by both', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const elsewhere = sent({ ixIndex: 41, slot: SLOT + 3 })
  await deliver(pipeline, [[sent()], [elsewhere], [elsewhere, sent()]])
  t.deepEqual(await signatureRows(pipeline), [
    { slot: SLOT, copy: 0 },
    { slot: SLOT + 3, copy: 1 },
  ])
  t.deepEqual(await runCounts(pipeline.db, '1'), { ...NONE, accepted: 1 })
  t.deepEqual(await runCounts(pipeline.db, '2'), { ...NONE, duplicate: 2 })
  await assertExact(t, pipeline)
})

test('stores both positions of one transaction in one batch', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await publishAll(pipeline, [sent(), sent({ ixIndex: 41, slot: SLOT + 3 })], { run: 'both' })
  await untilCaughtUp(pipeline, BOUND_MS)
  t.deepEqual(await runCounts(pipeline.db, 'both'), { ...NONE, accepted: 2 })
  t.deepEqual(await signatureRows(pipeline), [
    { slot: SLOT, copy: 0 },
    { slot: SLOT + 3, copy: 1 },
  ])
  await assertExact(t, pipeline)
})
