/**
 * Contract between the runtime (lane-runner.ts) and an actor: its stream, the memory of a lane, a batch of effects.
 */

import type { ConflictKind } from '../../domain/events/rejected-event.ts'
import type { Log } from '../../domain/log.ts'
import type { Connection, Db } from '../../sql/db.ts'
import type { JetStream, StoredMessage } from '../../streams/nats/jetstream.ts'
import type { StreamIdentity, Topology } from '../../streams/nats/topology.ts'
import type { SlotRun } from './checkpoint.ts'
import type { DeadLetter } from './dead-letter.ts'
import type { Publication } from './feed/feed-publisher.ts'

/** All effects of a fold, none of them applied yet. */
export type Batch = {
  eventCount: number
  deadLetters: DeadLetter[]
  /** Kinds of conflict of the events that contradict stored ones, one each; absent: none. */
  conflictKinds?: readonly ConflictKind[]
  /** Events that are left out because their blocks were retracted; absent: none. */
  retractedCount?: number
  /** Events that were not applied because they need swaps that were dropped. */
  refusedCount?: number
  /**
   * Writes every effect, inside the commit's transaction. Statements that need no answer of others are
   * sent together; their order is that in which they are begun.
   */
  write(connection: Connection): Promise<void>
  /** Messages to publish in FEED, in order. */
  publish(commitNumber: number): Publication[]
  /** Slots of the rows that are published; absent: none are. */
  publishedRuns?: readonly SlotRun[]
  /**
   * Watermark: with this batch all effects up to this message of FEED or SWAP are applied; absent: up to the
   * newest. Later messages are read again after a failure: an actor that buffers some of them records itself which
   * of them it applied.
   */
  readTo?: number
  /**
   * The batch may take longer than a lease: the checkpoint, in whose row a lease is renewed, is moved after its effects, not
   * before them.
   */
  isLong?: boolean
}

/** An actor's memory of one lane. Discarded whole after a failure. */
export type LaneMemory = {
  fold(messages: readonly StoredMessage[]): Promise<Batch>
  /**
   * Bounded work without a message; undefined, at no cost, when there is none. Runs when no message came, and now and
   * then under load. `sequence`: up to which the lane has read.
   */
  foldIdle(sequence: number): Promise<Batch | undefined>
  /** Resolves when the lane may take more, or with the signal. Absent: at once. */
  untilDue?(signal: AbortSignal): Promise<void>
  /** When it runs next (of performance.now()): a batch is collected until then. Absent: now and then. */
  idleDueMs?(): number
  /**
   * A memory that takes the same messages again, at once, after a fold or a commit that was meant to fail
   * like this; undefined: it was not. This one is dropped either way.
   */
  afterRefusal?(error: unknown): LaneMemory | undefined
}

/** A commit as its checkpoint remembers it. */
export type Committed = { commitNumber: number; transactionId: string; runs: SlotRun[] }

export type LaneContext = Omit<LaneDeps, 'onStep' | 'commitEveryMs'> & { lane: number }

/**
 * Micro-batching of an actor: payload bytes of a batch, how long it waits for them, and the least distance of
 * commits that are not full.
 */
export type Batching = { bytesMax: number; waitMs: number; everyMs: number; catchUp?: CatchUpMode }

/**
 * A batch of so many bytes that could be committed waits for more while messages continue to arrive, with pauses of so
 * long, until commits are so far apart: no live market brings as much, and a reader of history never waits for it.
 */
export type CatchUpMode = { bytes: number; pauseMs: number; everyMs: number }

/** An actor: the stream it reads, and how a lane of it folds. */
export type Actor = {
  readonly name: string
  /** How many lanes it has; absent: as many as the streams. */
  lanes?(laneCount: number): number
  source(topology: Topology): StreamIdentity
  filter(topology: Topology, lane: number): string
  readonly batching?: Batching
  /** Called with each commit: by how many milliseconds they are further apart than without pressure. */
  publishPaceHint?(context: LaneContext, moreMs: number): void
  /** Every subject that a lane publishes on; empty for an actor that publishes nothing. */
  publishes(topology: Topology, lane: number): string[]
  openLane(context: LaneContext): LaneMemory
  /**
   * Rebuilds the messages of a commit from the rows that it stored: the same events in the same parts as
   * `publish` of its batch. For actors that publish.
   */
  recall?(context: LaneContext, commit: Committed): Promise<Publication[]>
  /**
   * Records, durably, that the lane may miss messages: the stream was recreated or trimmed. Called before reading
   * continues; idempotent.
   */
  noteGap?(context: LaneContext): Promise<void>
}

/** The right to a lane, as the leases gave it. */
export type Grant = {
  readonly lane: number
  readonly epoch: number
  /** Aborted when the lane is lost or to be given back. */
  readonly signal: AbortSignal
}

/** Points at which tests inject a crash: between any two steps of a batch. */
export type Step = 'pulled' | 'folded' | 'written' | 'committed' | 'published'
/** `batch`: the committed one. */
export type StepHook = (step: Step, lane: number, batch?: Batch) => void | Promise<void>

export type LaneDeps = {
  db: Db
  jetStream: JetStream
  topology: Topology
  log: Log
  onStep?: StepHook
  commitEveryMs?: number
  /** How long a lane waits for the rest of a block; absent: as commit-pacing.ts has it. */
  blockWaitMs?: number
  isCpuShort?: () => boolean
  /** Called with the number of messages that a lane found lost from its stream. */
  onLost?: (messages: number) => void
}
