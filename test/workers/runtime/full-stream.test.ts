/** A full SWAP: the producer waits, no event is dropped, and messages that every lane has read are trimmed. */
import test from 'ava'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { streamState } from '../../../streams/nats/topology.ts'
import { assertExact } from '../../simulation/judge.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const SWAP_BYTES = 128 * 1024

async function untilFull(pipeline: Pipeline): Promise<void> {
  await until('the publisher says that SWAP is full', 60_000, () =>
    pipeline.recording.lines.some((line) => line.includes('waiting for workers to make room')),
  )
}

test('a full SWAP makes the publisher wait until workers have made room', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4, swapMaxBytes: SWAP_BYTES })
  const events = smallMarket(400, 1_200)
  let isPublished = false
  const publishing = publishAll(pipeline, events, { eventsMax: 20 }).then(() => {
    isPublished = true
  })
  await untilFull(pipeline)
  const before = await streamState(pipeline.jetStream, pipeline.topology.swap.stream)
  t.true(before.last > 0 && before.bytes <= SWAP_BYTES)
  t.false(isPublished)
  await runWorker(t, pipeline)
  await publishing
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline, { arrived: events })
})

test('lanes without messages do not prevent trimming by the others', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4, swapMaxBytes: SWAP_BYTES })
  const events = smallMarket(401, 6_000).filter(
    (event) => laneOf(keyOf(event), pipeline.laneCount) === 2,
  )
  t.true(events.length > 1_000)
  const publishing = publishAll(pipeline, events, { eventsMax: 20 })
  await untilFull(pipeline)
  await runWorker(t, pipeline)
  await publishing
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline, { arrived: events })
})

function keyOf(event: MarketEvent): string {
  if (event.kind === 'swap') return event.swap.pairAddress
  return event.kind === 'token' ? event.token.tokenAddress : event.poolEvent.pairAddress
}
