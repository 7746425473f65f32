/**
 * Interface and options of the hub, the shared reader of FEED in a process (feed-reader.ts), and its errors of a
 * position that no longer exists: it throws them instead of skipping messages, and each transport maps them to its own.
 */
import type { Log } from '../../../domain/log.ts'
import type { FeedPosition } from '../../../streams/feed/published-commits.ts'
import type { JetStream } from '../../../streams/nats/jetstream.ts'
import type { SubjectPrefix } from '../../../streams/nats/subject.ts'
import type { FeedBatch } from './batch.ts'
import type { FillGap } from './fill.ts'

/** The position is older than the oldest message of FEED. */
export class FeedExpired extends Error {
  override name = 'FeedExpired'
}
/** FEED was recreated since the read began, lost messages that were read, or trimmed messages before they were read. */
export class FeedReplaced extends Error {
  override name = 'FeedReplaced'
}

export type FeedListener = {
  /** The next message of FEED, in order; must not throw. */
  onBatch(batch: FeedBatch): void
  /** All readers must stop: FEED was recreated or went back, or trimmed unread messages (FeedExpired). */
  onReplaced?(why: FeedReplaced | FeedExpired): void
}

export type FeedHub = {
  /** Epoch of the stream that is read now. */
  readonly epoch: string
  /** The oldest readable sequence, at most a second old; head() + 1 if FEED is empty. */
  first(): number
  /** The newest sequence that the hub has read. */
  head(): number
  /** The position of head(), with the commits of each lane that FEED published up to it. */
  position(): FeedPosition
  /** Milliseconds since the hub was last caught up with FEED. */
  tailLagMs(): number
  /** Messages of FEED that this process could not decode, in whole or in part. */
  unreadable(): number
  /** Messages of FEED that this process found lost. */
  lost(): number
  /** Resolves when the hub has read everything that FEED holds now, or on abort. Rejects if FEED cannot be queried. */
  caughtUp(signal: AbortSignal): Promise<void>
  /**
   * FEED from a sequence on, without end: waits for new messages. Throws FeedExpired, FeedReplaced, LineIsFull; ends
   * when the signal is aborted. A consumer that pauses for long should end it and call again later.
   */
  readFrom(sequence: number, signal: AbortSignal): AsyncGenerator<FeedBatch, void, undefined>
  /**
   * Messages in memory from a sequence on, at most `countMax`; empty if the sequence is not published yet, undefined if
   * it is older than what is in memory.
   */
  held(sequence: number, countMax: number): readonly FeedBatch[] | undefined
  /** Delivers every message from now on; the result unsubscribes. */
  subscribe(listener: FeedListener): () => void
  close(): Promise<void>
}

export type HubOptions = {
  jetStream: JetStream
  prefix: SubjectPrefix
  /** Name of the FEED stream on the server. */
  stream: string
  log: Log
  /** Payload bytes held in memory; decoded they take several times that. */
  ringBytesMax?: number
  /** Absent: gaps are reported but not filled. */
  fill?: FillGap
  /** Milliseconds between two checks that the stream is still the same. */
  watchEveryMs?: number
}
