/** The load of a drill: a simulated market at a steady rate, and what an installation must have of it afterwards. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import type { MarketEvent } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import { untilRankingCaughtUp } from '../support/ranking/ranking.ts'
import { verifiedHashes } from '../support/verify/hashes.ts'
import { untilLedgerCaughtUp } from '../support/workers/ledger.ts'
import { batchesOf, openPipeline, type Pipeline, publishAll } from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { swapOf } from './readers.ts'

/** Swaps of a part of the load, which is published and published again until it was accepted. */
const PART_SWAPS = 250
/** Parts that are published together where no fault is struck: in full messages. */
const PARTS_TOGETHER = 40
const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
const SWAPS_PER_SLOT = 200
/** Much more than a drill writes, so that no message is trimmed. */
export const STREAM_BYTES = 4 * 1024 ** 3

/** Enough to make the published events again: those of a long drill would fill the memory. */
type Published = { seed: number; parts: number }

function* eventsOf({ seed, parts }: Published): Generator<MarketEvent[]> {
  let left = parts
  for (const events of partsOf(seed)) {
    if (left <= 0) return
    left -= 1
    yield events
  }
}

/** One market without end, in parts, whose chain is as fast as the load of a drill. */
function* partsOf(seed: number): Generator<MarketEvent[]> {
  let events: MarketEvent[] = []
  let swaps = 0
  const options = { seed, swaps: Number.POSITIVE_INFINITY, fromMs: FROM_MS }
  for (const event of simulate({ ...options, swapsPerSlot: SWAPS_PER_SLOT })) {
    events.push(event)
    if (event.kind === 'swap') swaps += 1
    if (swaps < PART_SWAPS) continue
    yield events
    events = []
    swaps = 0
  }
}

/** A market that is published at a steady rate; a part that was not accepted is published again. */
export class Load {
  private isStopped = false
  private readonly pipeline: Pipeline
  private readonly options: { seed: number; swapsASecond: number }

  constructor(pipeline: Pipeline, options: { seed: number; swapsASecond: number }) {
    this.pipeline = pipeline
    this.options = options
  }

  stop(): void {
    this.isStopped = true
  }

  async run(): Promise<Published> {
    const { jetStream, topology, recording } = this.pipeline
    const { seed, swapsASecond } = this.options
    const beganAt = performance.now()
    let parts = 0
    for (const events of partsOf(seed)) {
      if (this.isStopped) break
      const publisher = createPublisher(jetStream, topology, { log: recording.log })
      for (const batch of batchesOf(this.pipeline, events)) await publisher.publish(batch)
      publisher.close()
      parts += 1
      const dueMs = (parts * PART_SWAPS * 1_000) / swapsASecond
      await pause(Math.max(0, dueMs - (performance.now() - beganAt)))
    }
    return { seed, parts }
  }
}

const identityOf = ({ signature, pairAddress, ixIndex }: Swap): string =>
  swapOf(signature, pairAddress, ixIndex)

/** The swaps of what was published. */
export function identitiesOf(published: Published): Set<string> {
  const identities = new Set<string>()
  for (const events of eventsOf(published))
    for (const event of events) if (event.kind === 'swap') identities.add(identityOf(event.swap))
  return identities
}

const leftOf = (endsAt: number): number => Math.max(1, endsAt - performance.now())

export async function untilAllCaughtUp(pipeline: Pipeline, boundMs: number): Promise<void> {
  const endsAt = performance.now() + boundMs
  await untilLedgerCaughtUp(pipeline, boundMs)
  await untilRankingCaughtUp(pipeline, leftOf(endsAt))
}

/** Hashes of the tables of an installation that one process of this version made of the same events. */
export async function hashesOfOneProcess(
  t: ExecutionContext,
  published: Published,
  boundMs: number,
): Promise<Record<string, string>> {
  const endsAt = performance.now() + boundMs
  const streams = { swapMaxBytes: STREAM_BYTES, feedMaxBytes: STREAM_BYTES }
  const alone = await openPipeline(t, streams)
  await runWorker(t, alone, { actors: ACTOR_NAMES })
  let together: MarketEvent[][] = []
  const publish = async (): Promise<void> => {
    await publishAll(alone, together.flat())
    together = []
  }
  for (const events of eventsOf(published)) {
    together.push(events)
    if (together.length === PARTS_TOGETHER) await publish()
  }
  await publish()
  await untilAllCaughtUp(alone, leftOf(endsAt))
  return await verifiedHashes(t, alone, { boundMs: leftOf(endsAt) })
}
