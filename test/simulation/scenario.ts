/**
 * One run of the simulation: a market by seed, delivered late, twice and in odd batches, to workers
 * that fail at random steps. The checks afterwards are in simulation.test.ts.
 */
import type { ExecutionContext } from 'ava'
import { compareEvents, type MarketEvent } from '../../domain/events/event.ts'
import type { Batch } from '../../streams/ingest/batcher.ts'
import { swapSubject } from '../../streams/nats/subject.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import { startWorker, type Worker } from '../../workers/main.ts'
import { rankingLagOf } from '../support/ranking/ranking.ts'
import { ledgerLagOf } from '../support/workers/ledger.ts'
import { type Pipeline, publishBatches, until } from '../support/workers/pipeline.ts'
import { spawnWorker } from '../support/workers/spawned-worker.ts'
import { adversarialEvents, oneOf, redelivered } from './adversary.ts'

const STEPS = ['pulled', 'folded', 'written', 'committed', 'published'] as const
const FAILURES_MAX = 25
const LEASE_MS = 1_000
/** The log line of a worker that ended by an assertion. */
export const ENDED = 'a worker ended'

/** The market of a seed, in the order and the batches in which it is delivered. */
export function deliveriesOf(seed: number, pipeline: Pipeline): Batch[] {
  const prng = new Prng([seed, 1])
  const run = seed % 1_000_000
  const events = [
    ...adversarialEvents({ prng, run }, 500),
    ...simulate({ seed, swaps: 500, fromMs: Date.parse('2026-07-14T23:59:30Z'), swapsPerSlot: 8 }),
  ]
  const repeated = events.flatMap((event) =>
    prng.chance(0.15) ? [event, redelivered(prng, event)] : [event],
  )
  return split(prng, delayed(prng, repeated), pipeline)
}

/** Every venue on its own clock, and every event anywhere within a window. */
function delayed(prng: Prng, events: readonly MarketEvent[]): MarketEvent[] {
  const lags = Array.from({ length: 11 }, () => prng.below(events.length))
  return events
    .map((event, index) => ({
      event,
      due: index + lags[venueOf(event)]! + prng.below(prng.chance(0.1) ? events.length : 60),
    }))
    .sort((a, b) => a.due - b.due)
    .map(({ event }) => event)
}

function venueOf(event: MarketEvent): number {
  if (event.kind === 'swap') return event.swap.dex
  return event.kind === 'pool_event' ? event.poolEvent.dex : 0
}

function split(prng: Prng, events: readonly MarketEvent[], pipeline: Pipeline): Batch[] {
  const open = new Map<string, MarketEvent[]>()
  const batches: Batch[] = []
  const close = (subject: string, batch: MarketEvent[]) => {
    open.delete(subject)
    // The contract requires order within a batch; the fold must not rely on it.
    batches.push({ subject, events: prng.chance(0.8) ? batch.sort(compareEvents) : batch })
  }
  for (const event of events) {
    const subject = swapSubject(pipeline.prefix, event, pipeline.laneCount)
    const batch = open.get(subject) ?? []
    open.set(subject, batch)
    batch.push(event)
    if (batch.length >= 200 || prng.chance(0.08)) close(subject, batch)
  }
  for (const [subject, batch] of open) close(subject, batch)
  return batches
}

/**
 * Delivers to two workers that fail here and there, one of them replaced on the way, and to a third
 * process that is killed. Resolves when all is published and the workers left are sound.
 */
export async function deliver(
  t: ExecutionContext,
  seed: number,
  pipeline: Pipeline,
  batches: readonly Batch[],
): Promise<void> {
  const prng = new Prng([seed, 2])
  let failures = 0
  const fail = (step: string): void => {
    if (failures >= FAILURES_MAX || !prng.chance(0.12)) return
    failures += 1
    throw new Error(`asked for: failure ${failures} at "${step}"`)
  }
  const running = new Set<Worker>()
  const begin = async (): Promise<Worker> => {
    const worker = await startFailing(pipeline, fail)
    worker.failed.catch((error: Error) => pipeline.recording.log.error({ err: error }, ENDED))
    running.add(worker)
    return worker
  }
  const end = async (worker: Worker): Promise<void> => {
    running.delete(worker)
    await worker.stop()
  }
  t.teardown(async () => {
    for (const worker of running) await end(worker)
  })
  const replaced = await begin()
  const half = Math.floor(batches.length / 2)
  await publishBatches(pipeline, batches.slice(0, half))
  await begin()
  if (prng.chance(0.4)) await killOne(t, prng, pipeline)
  await end(replaced)
  await publishBatches(pipeline, batches.slice(half))
  await begin()
}

function startFailing(pipeline: Pipeline, onStep: (step: string) => void): Promise<Worker> {
  const { databaseUrl, natsUrl, prefix, laneCount, recording } = pipeline
  return startWorker({
    databaseUrl,
    natsUrl,
    prefix,
    laneCount,
    actors: ACTOR_NAMES,
    log: recording.log,
    leaseMs: LEASE_MS,
    commitEveryMs: 0,
    onStep,
  })
}

async function hasNoWork(pipeline: Pipeline): Promise<boolean> {
  for (const lagOf of [ledgerLagOf, rankingLagOf]) {
    // The failing workers may be in the middle of a change.
    if ((await lagOf(pipeline).catch(() => 'unknown')) !== '') return false
  }
  return true
}

async function killOne(t: ExecutionContext, prng: Prng, pipeline: Pipeline): Promise<void> {
  const killed = await spawnWorker(t, pipeline, {
    leaseMs: LEASE_MS,
    actors: ACTOR_NAMES,
    fault: { step: oneOf(prng, STEPS), after: prng.below(3), signal: 'SIGKILL' },
  })
  // The worker may find no work left: then it is killed idle.
  await until('the third worker ends, or no work is left', 60_000, async () => {
    return killed.hasEnded() || (await hasNoWork(pipeline))
  }).catch(() => {})
  killed.signal('SIGKILL')
  await killed.ended
}
