/**
 * One installation for a test: a separate database and stream prefix, a publisher, and the checks that tests need: has
 * every lane caught up, the messages of SWAP and of FEED.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { compareEvents, type Event } from '../../../domain/events/event.ts'
import { type Db, isRetryable, sqlCode } from '../../../sql/db.ts'
import {
  decodeEventBatch,
  decodeFeedBatch,
  decodeFeedMark,
  type FeedEvent,
  type FeedMark,
} from '../../../streams/codec/event-codec.ts'
import { BATCH_EVENTS_MAX, type Batch } from '../../../streams/ingest/batcher.ts'
import { createPublisher } from '../../../streams/ingest/publisher.ts'
import {
  connectJetStream,
  isUnanswered,
  type JetStream,
  openReader,
  type StoredMessage,
} from '../../../streams/nats/jetstream.ts'
import {
  confirmsEnd,
  feedStreamSubject,
  swapStreamSubject,
  swapSubjects,
} from '../../../streams/nats/subject.ts'
import {
  ensureTopology,
  type StreamIdentity,
  streamState,
  swapHead,
  type Topology,
} from '../../../streams/nats/topology.ts'
import { recallCommit } from '../../../workers/pool/publication/published-batch.ts'
import type { SlotRun } from '../../../workers/runtime/checkpoint.ts'
import type { Publication } from '../../../workers/runtime/feed/feed-publisher.ts'
import { type Recording, recordingLog } from '../recording-log.ts'
import { type TestDatabase, testDatabase, testPrefix } from '../servers/database.ts'
import { testServers } from '../servers/servers.ts'

type ServerUrls = { databaseUrl: string; natsUrl: string }

export type Pipeline = {
  databaseUrl: string
  natsUrl: string
  prefix: string
  laneCount: number
  db: Db
  jetStream: JetStream
  topology: Topology
  recording: Recording
}

/** More than one, so that lanes run next to each other; each more costs a tenth of the CPU of such tests. */
export const LANE_COUNT = 2
/** The server reserves the limit of a stream: much less than an installation's. */
export const STREAM_BYTES = 64 * 1024 * 1024
const POLL_MS = 25
/** Checking takes at most a fifth of a wait: a check of all lanes is dozens of requests to the servers under test. */
const PAUSE_PER_CHECK = 4
const PAUSE_MS_MAX = 250
/** Longer than a server of a loaded machine stalls. */
const PATIENT_MS = 60_000

/** A migrated database and empty streams, dropped when the test has ended. */
export async function openPipeline(
  t: ExecutionContext,
  options: {
    servers?: ServerUrls
    laneCount?: number
    swapMaxBytes?: number
    feedMaxBytes?: number
    /** The database to use instead of a migrated one. */
    database?: TestDatabase
    /** On a cluster: nodes that store the streams. */
    replicas?: number
    /** For tests that end NATS: a request meanwhile waits that long in vain. */
    natsAnswerMs?: number
  } = {},
): Promise<Pipeline> {
  const servers = options.servers ?? testServers()
  const { laneCount = LANE_COUNT } = options
  const database = options.database ?? (await testDatabase(servers.databaseUrl))
  const recording = recordingLog()
  const { log } = recording
  t.teardown(() => database.drop())
  const jetStream = await connectJetStream(servers.natsUrl, {
    ...{ name: 'swaptide-test', log },
    answerMs: options.natsAnswerMs ?? PATIENT_MS,
  })
  t.teardown(() => jetStream.close())
  const prefix = testPrefix()
  const topology = await ensureTopology(jetStream, {
    prefix,
    laneCount,
    swapMaxBytes: options.swapMaxBytes ?? STREAM_BYTES,
    feedMaxBytes: options.feedMaxBytes ?? STREAM_BYTES,
    replicas: options.replicas,
  })
  t.teardown(async () => {
    for (const { stream } of [topology.swap, topology.feed]) {
      await jetStream.manager.streams.delete(stream).catch(() => {})
    }
  })
  return {
    databaseUrl: database.databaseUrl,
    natsUrl: servers.natsUrl,
    prefix,
    laneCount,
    db: database.db,
    jetStream,
    topology,
    recording,
  }
}

/** Events of one subject each, in the order given, at most so many a batch. */
export function batchesOf(
  pipeline: { prefix: string; laneCount: number },
  events: readonly Event[],
  eventsMax = BATCH_EVENTS_MAX,
): Batch[] {
  const routed = events.flatMap((event) =>
    swapSubjects(pipeline.prefix, event, pipeline.laneCount).map((subject) => ({ subject, event })),
  )
  const bySubject = Map.groupBy(routed, ({ subject }) => subject)
  return [...bySubject].flatMap(([subject, own]) => {
    const all = own.map(({ event }) => event)
    const batches: Batch[] = []
    for (let at = 0; at < all.length; at += eventsMax) {
      batches.push({ subject, events: all.slice(at, at + eventsMax).sort(compareEvents) })
    }
    return batches
  })
}

/** Publishes batches one after the other; resolves when the stream has them all. */
export async function publishBatches(
  pipeline: Pipeline,
  batches: readonly Batch[],
  run?: string,
): Promise<void> {
  const publisher = createPublisher(pipeline.jetStream, pipeline.topology, {
    log: pipeline.recording.log,
    ...(run === undefined ? {} : { run }),
  })
  for (const batch of batches) await publisher.publish(batch)
  publisher.close()
}

export async function publishAll(
  pipeline: Pipeline,
  events: readonly Event[],
  options: { eventsMax?: number; run?: string } = {},
): Promise<void> {
  await publishBatches(pipeline, batchesOf(pipeline, events, options.eventsMax), options.run)
}

/**
 * Publishes some events at a time, each after those before are stored: FEED gets a message of a lane for each step that
 * has events of the lane, whereas a slow worker commits all events that wait as one message.
 */
export async function publishInSteps(
  pipeline: Pipeline,
  events: readonly Event[],
  options: { boundMs: number; stepEvents?: number },
): Promise<void> {
  const { boundMs, stepEvents = 50 } = options
  for (let from = 0; from < events.length; from += stepEvents) {
    await publishAll(pipeline, events.slice(from, from + stepEvents), { eventsMax: 10 })
    await untilCaughtUp(pipeline, boundMs)
  }
}

/**
 * Resolves when the condition holds. Rejects after the bound, with the name of the condition. It does not hold either
 * while a server gives no answer or refuses for now, as a cluster that elects a leader does; other errors reject at once.
 */
export async function until(
  what: string,
  boundMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const endsAt = performance.now() + boundMs
  for (;;) {
    const beganAt = performance.now()
    let cause: unknown
    try {
      if (await condition()) return
    } catch (error) {
      if (!passes(error)) throw error
      cause = error
    }
    const now = performance.now()
    if (now > endsAt) throw lateError(what, boundMs, cause)
    await pause(Math.min(Math.max(POLL_MS, PAUSE_PER_CHECK * (now - beganAt)), PAUSE_MS_MAX))
  }
}

/** Whether the same request may succeed later, by the class of the error or of its cause, as fetch() has it. */
function passes(error: unknown): boolean {
  const { cause } = Object(error) as { cause?: unknown }
  const isForNow = (one: unknown) => sqlCode(one) !== undefined && isRetryable(one)
  return isUnanswered(error) || isForNow(error) || isForNow(cause)
}

function lateError(what: string, boundMs: number, cause: unknown): Error {
  const late = `not within ${boundMs} ms: ${what}`
  return cause === undefined ? new Error(late) : new Error(`${late}: ${cause}`, { cause })
}

/** A commit that a killed process had sent ends after it: by then its session has ended, too. `name`: of the program. */
export async function untilSessionsEnd(db: Db, name: string): Promise<void> {
  const text = `select from pg_stat_activity
    where starts_with(application_name, $1) and datname = current_database()`
  await until(`the sessions of ${name} have ended`, 120_000, async () => {
    return (await db.query(text, [name])).rowCount === 0
  })
}

/** Everything that was published is committed, repaired and published. */
export async function untilCaughtUp(pipeline: Pipeline, boundMs = 60_000): Promise<void> {
  let lag = 'unknown'
  const isCaughtUp = async (): Promise<boolean> => {
    lag = await lagOf(pipeline).catch((error: Error) => `unknown: ${error.message}`)
    return lag === ''
  }
  await until('every lane caught up', boundMs, isCaughtUp).catch((cause: Error) => {
    const said = pipeline.recording.lines.slice(-12).join('\n')
    throw new Error(`${cause.message}; left: ${lag}; the log's end:\n${said}`, { cause })
  })
}

type Progress = { lane: number; stream_epoch: string | null; sequence: number }

/** Remaining work, in words; empty when there is none. Publications are looked for when all else is done. */
export async function lagOf(pipeline: Pipeline): Promise<string> {
  const { db, jetStream, laneCount, prefix } = pipeline
  const topology = await ensureTopology(jetStream, { prefix, laneCount })
  const { rows } = await db.query<Progress>(
    "select lane, stream_epoch, sequence from checkpoint where actor = 'pool'",
  )
  const left: string[] = []
  for (let lane = 0; lane < laneCount; lane++) {
    const head = await swapHead(jetStream, topology, lane)
    const row = rows.find((each) => each.lane === lane)
    const reached = row?.stream_epoch === topology.swap.epoch ? row.sequence : 0
    if (reached < head) left.push(`lane ${lane} is at ${reached} of ${head}`)
  }
  const repairs = await db.query('select from pool_repair')
  if (repairs.rowCount !== 0) left.push(`${repairs.rowCount} repairs`)
  const retractions = await db.query(
    'select from retraction where not is_applied union all select from event_conflict where readmit_lane is not null',
  )
  if (retractions.rowCount !== 0) left.push(`${retractions.rowCount} rows of retractions`)
  if (left.length > 0) return left.join('; ')
  for (let lane = 0; lane < laneCount; lane++) {
    for (const { subject, commitNumber, part } of await recalled(pipeline, topology, lane)) {
      const last = await jetStream.lastOfSubject(topology.feed.stream, subject)
      const mark = last === undefined ? undefined : decodeFeedMark(last.payload)
      const isThere =
        mark !== undefined &&
        (mark.commitNumber > commitNumber ||
          (mark.commitNumber === commitNumber && mark.part >= part))
      if (!isThere) left.push(`${subject} lacks part ${part} of commit ${commitNumber}`)
    }
  }
  return left.join('; ')
}

/** The messages that the newest commit of a pool lane had to publish, as its next owner would find them. */
export async function recalled(
  { db, jetStream, recording }: Pipeline,
  topology: Topology,
  lane: number,
): Promise<Publication[]> {
  const { rows } = await db.query<{
    commit_number: number
    transaction_id: string
    runs: SlotRun[]
  }>(
    `select commit_number, transaction_id::text as transaction_id, (
       select json_agg(json_build_object('first', first, 'last', last))
       from unnest(first_slots, last_slots) as run (first, last)
     ) as runs
     from checkpoint where actor = 'pool' and lane = $1 and first_slots <> '{}'`,
    [lane],
  )
  if (rows[0] === undefined) return []
  const { commit_number: commitNumber, transaction_id: transactionId, runs } = rows[0]
  const context = { db, jetStream, lane, topology, log: recording.log }
  return await recallCommit(context, { commitNumber, transactionId, runs })
}

/** The last sequence of FEED. */
export async function feedEnd({ jetStream, topology }: Pipeline): Promise<number> {
  return (await streamState(jetStream, topology.feed.stream)).last
}

export type FeedMessage = {
  subject: string
  sequence: number
  mark: FeedMark
  events: FeedEvent[]
}

/** All of FEED, in its order. */
export async function readFeed(pipeline: Pipeline): Promise<FeedMessage[]> {
  const { jetStream, topology, prefix } = pipeline
  const messages = await readWhole(jetStream, topology.feed, feedStreamSubject(prefix))
  const ofLanes = messages.filter(({ subject }) => !confirmsEnd(subject))
  return ofLanes.map(({ subject, sequence, payload }) => ({
    subject,
    sequence,
    mark: decodeFeedMark(payload),
    events: decodeFeedBatch(payload),
  }))
}

/** All events of SWAP, in the order in which they were accepted. */
export async function readSwap(pipeline: Pipeline): Promise<Event[]> {
  const { jetStream, topology, prefix } = pipeline
  const messages = await readWhole(jetStream, topology.swap, swapStreamSubject(prefix))
  return messages.flatMap(({ payload }) => decodeEventBatch(payload))
}

async function readWhole(...of: Parameters<typeof readStream>): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = []
  for await (const message of readStream(...of)) messages.push(message)
  return messages
}

/** The messages that a stream holds at the call, in its order, a few at a time. */
export async function* readStream(
  jetStream: JetStream,
  { stream }: StreamIdentity,
  subject: string,
): AsyncGenerator<StoredMessage> {
  const { first, last } = await streamState(jetStream, stream)
  if (last < first) return
  const reader = await openReader(jetStream, stream, subject, first)
  try {
    for (let read = 0; read < last; ) {
      const taken = await reader.take(16 * 1024 * 1024, 60_000)
      const end = taken.at(-1)
      if (end === undefined) throw new Error(`"${stream}" ends before ${last}`)
      yield* taken
      read = end.sequence
    }
  } finally {
    await reader.close()
  }
}
