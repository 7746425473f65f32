/**
 * The publisher program as measurements use it, and a run of the whole pipeline on a stage: publisher,
 * worker, both counted, the result checked in the tables and in FEED.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { runCounts } from '../deploy/ingest/run-counts.ts'
import type { Event } from '../domain/events/event.ts'
import { HOUR_MS } from '../domain/time/time-bucket.ts'
import { decodeFeedBatch } from '../streams/codec/event-codec.ts'
import { publishEvents } from '../streams/ingest/batcher.ts'
import { createPublisher } from '../streams/ingest/publisher.ts'
import { openReader } from '../streams/nats/jetstream.ts'
import { feedStreamSubject } from '../streams/nats/subject.ts'
import { streamState } from '../streams/nats/topology.ts'
import { expectEqual, sharedClockMs, WrongResult } from './measure/sample.ts'
import { NODE_FLAGS } from './programs/node-flags.ts'
import { type Program, programLog, startProgram } from './programs/program.ts'
import type { PublisherMessage, PublishOrder } from './programs/publisher-program.ts'
import type { WorkerMessage } from './programs/worker-program.ts'
import type { Stage } from './stage.ts'

export type MarketPublisher = {
  program: Program<PublisherMessage>
  /** Events and swaps of the market. */
  events: number
  swaps: number
}

/** Flags that avoid garbage collection: the publisher represents other machines. */
const PUBLISHER_FLAGS = [...NODE_FLAGS, '--initial-old-space-size=2048']
const BEGIN_BOUND_MS = 60_000
const BEGIN_POLL_MS = 20

/** Started at the first request, then shared by all. */
export function publisherOnDemand(swaps: number) {
  let started: Promise<MarketPublisher> | undefined
  const start = async (): Promise<MarketPublisher> => {
    const program = startProgram<PublisherMessage>(
      'publisher-program.ts',
      { swaps },
      PUBLISHER_FLAGS,
    )
    const ready = await program.receive('ready')
    return { program, events: ready.events, swaps: ready.swaps }
  }
  return {
    get: () => {
      started ??= start()
      return started
    },
    stop: async () => {
      await (await started)?.program.stop()
    },
  }
}

export async function startWorkerProgram(
  stage: Stage,
  flags: readonly string[],
  actors: readonly string[] = ['pool'],
): Promise<Program<WorkerMessage>> {
  const { databaseUrl, natsUrl, topology } = stage
  const { prefix, laneCount } = topology
  const options = { databaseUrl, natsUrl, prefix, laneCount, actors }
  const program = startProgram<WorkerMessage>('worker-program.ts', options, flags)
  stage.workers.add(program.pid)
  await program.receive('ready')
  return program
}

/**
 * Lets actors begin on an empty stage, with these first events: later ones arrive by FEED, without a recount.
 */
export async function beginActors(
  stage: Stage,
  actors: readonly string[],
  events: readonly Event[] = [],
): Promise<void> {
  const worker = await startWorkerProgram(stage, [], actors)
  const begun = `select not exists (select from checkpoint where actor = any ($1) and stream_epoch is null)
      and not exists (select from ranking_recount)
      and (select count(distinct actor) from checkpoint where actor = any ($1)) = cardinality($1::text[])
    as is_begun`
  try {
    const { topology, jetStream } = stage
    const publisher = createPublisher(jetStream, topology, { log: programLog })
    await publishEvents(ofOne(events), { publish: publisher.publish, ...topology })
    for (const boundMs = sharedClockMs() + BEGIN_BOUND_MS; ; await pause(BEGIN_POLL_MS)) {
      const { rows } = await stage.db.query<{ is_begun: boolean }>(begun, [actors])
      if (rows[0]?.is_begun === true) return
      if (sharedClockMs() > boundMs) throw new WrongResult(`${actors.join()} did not begin`)
    }
  } finally {
    await worker.stop()
  }
}

async function* ofOne(events: readonly Event[]): AsyncGenerator<readonly Event[]> {
  if (events.length > 0) yield events
}

/** Publishes by this order; resolves when all is in SWAP. */
export function order(
  publisher: MarketPublisher,
  stage: Stage,
  wanted: Omit<PublishOrder, 'kind' | 'natsUrl' | 'prefix' | 'laneCount'>,
) {
  const { prefix, laneCount } = stage.topology
  const published = publisher.program.receive('published', HOUR_MS)
  const { natsUrl } = stage
  publisher.program.send({ kind: 'publish', natsUrl, prefix, laneCount, ...wanted })
  return published
}

/** Verifies that each swap of a run was accepted once, is one row, and was published once. */
export async function verifyRun(stage: Stage, run: string, swaps: number): Promise<void> {
  const counts = await runCounts(stage.db, run)
  expectEqual('swaps accepted', counts.accepted, swaps)
  expectEqual(
    'duplicates, conflicts, dead letters',
    counts.duplicate + counts.conflict + counts.dead,
    0,
  )
  const { rows } = await stage.db.query<{ swaps: number }>('select count(*) as swaps from swap')
  expectEqual('rows in swap', rows[0]?.swaps ?? 0, swaps)
  expectEqual('swaps in FEED', await countFeedSwaps(stage), swaps)
}

async function countFeedSwaps({ jetStream, topology }: Stage): Promise<number> {
  const { stream } = topology.feed
  const { last } = await streamState(jetStream, stream)
  const reader = await openReader(jetStream, stream, feedStreamSubject(topology.prefix), 1)
  let swaps = 0
  for (let sequence = 0; sequence < last; ) {
    const messages = await reader.take(4 * 1024 * 1024, 5_000)
    if (messages.length === 0) break
    for (const message of messages) {
      sequence = message.sequence
      for (const event of decodeFeedBatch(message.payload)) if (event.kind === 'swap') swaps++
    }
  }
  await reader.close()
  return swaps
}
