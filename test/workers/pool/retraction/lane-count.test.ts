/**
 * Retractions over a change of the number of lanes: streams that are made again have other lanes, with other pools.
 * Retractions that the former lanes accepted and did not apply, or did not read, are applied by the pools' new lanes.
 */

import test, { type ExecutionContext } from 'ava'
import { type Event, isChainEvent, payloadOf } from '../../../../domain/events/event.ts'
import { ensureTopology } from '../../../../streams/nats/topology.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { verifiedHashes } from '../../../support/verify/hashes.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  LANE_COUNT,
  openPipeline,
  type Pipeline,
  publishAll,
  STREAM_BYTES,
  until,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'
import { spawnWorker } from '../../../support/workers/spawned-worker.ts'

const EVENTS = smallMarket(611, 600)

const slotOf = (event: Event): number => (isChainEvent(event) ? payloadOf(event).slot : -1)

/** The two slots with the most events: one is stored before it is retracted, the other comes after. */
const [STORED = 0, LATE = 0] = [...Map.groupBy(EVENTS, slotOf)]
  .filter(([slot]) => slot >= 0)
  .sort(([, a], [, b]) => b.length - a.length)
  .map(([slot]) => slot)
const RETRACTIONS: Event[] = [STORED, LATE].map((slot) => ({
  kind: 'retract',
  retraction: { slot },
}))

const isLate = (event: Event): boolean => slotOf(event) === LATE
const isLeft = (event: Event): boolean => !isLate(event) && slotOf(event) !== STORED

async function untilAllCaughtUp(pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline, 120_000)
  await untilRankingCaughtUp(pipeline, 120_000)
  await untilLedgerCaughtUp(pipeline, 120_000)
}

let expected: Promise<Record<string, string>> | undefined

/** The tables without the retracted slots, made by the first test: those of the others are equal. */
function expectedHashes(t: ExecutionContext): Promise<Record<string, string>> {
  expected ??= plainHashes(t)
  return expected
}

async function plainHashes(t: ExecutionContext): Promise<Record<string, string>> {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  await publishAll(pipeline, EVENTS.filter(isLeft))
  await untilAllCaughtUp(pipeline)
  return verifiedHashes(t, pipeline)
}

/** Changes LANES as an operator does: the streams are deleted and made again. */
async function withLanes(pipeline: Pipeline, laneCount: number): Promise<Pipeline> {
  const { jetStream, prefix, topology } = pipeline
  for (const { stream } of [topology.swap, topology.feed]) {
    await jetStream.manager.streams.delete(stream)
  }
  const [swapMaxBytes, feedMaxBytes] = [STREAM_BYTES, STREAM_BYTES]
  const made = await ensureTopology(jetStream, { prefix, laneCount, swapMaxBytes, feedMaxBytes })
  return { ...pipeline, laneCount, topology: made }
}

/** `after`: commits that pass before the worker dies; none: other lanes have not read the retractions. */
const CHANGES = [
  { laneCount: 3, after: 0 },
  { laneCount: 3, after: LANE_COUNT - 1 },
  { laneCount: LANE_COUNT + 2, after: 0 },
  { laneCount: LANE_COUNT + 2, after: LANE_COUNT },
]

for (const { laneCount, after } of CHANGES) {
  const title = `${laneCount} lanes apply what ${LANE_COUNT} left after ${after + 1} commits`
  test.serial(title, async (t) => {
    const before = await openPipeline(t)
    const first = await runWorker(t, before, { actors: ACTOR_NAMES })
    await publishAll(
      before,
      EVENTS.filter((event) => !isLate(event)),
    )
    await untilAllCaughtUp(before)
    await first.stop()
    await publishAll(before, RETRACTIONS)
    const fault = { step: 'committed', after, signal: 'SIGKILL' } as const
    const doomed = await spawnWorker(t, before, { actors: ['pool'], fault })
    t.is(await doomed.ended, 'SIGKILL')
    const pipeline = await withLanes(before, laneCount)
    await runWorker(t, pipeline, { actors: ACTOR_NAMES })
    await publishAll(pipeline, EVENTS.filter(isLate))
    await until('each lane has applied both', 60_000, async () => {
      const { rows } = await pipeline.db.query<{ done: number; left: number }>(
        `select (count(*) filter (where lane_count = $1 and is_applied))::integer as done,
           (count(*) filter (where not is_applied))::integer as left
         from retraction`,
        [laneCount],
      )
      return rows[0]?.done === RETRACTIONS.length * laneCount && rows[0].left === 0
    })
    await untilAllCaughtUp(pipeline)
    t.deepEqual(await verifiedHashes(t, pipeline), await expectedHashes(t))
    const taken = await pipeline.db.query<{ slot: number; swaps: number }>(
      'select slot, sum(swap_count)::integer as swaps from retraction group by slot',
    )
    const swaps = EVENTS.filter((event) => event.kind === 'swap' && event.swap.slot === STORED)
    t.is(taken.rows.find(({ slot }) => slot === STORED)?.swaps, swaps.length)
    t.is(taken.rows.find(({ slot }) => slot === LATE)?.swaps, 0)
  })
}
