/** What the hub is to the sessions of a process (feed-reader.ts), and what it is opened with. */

import type { Log } from '../../domain/log.ts'
import type { FeedPosition } from '../../streams/feed/feed-position.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { SubjectPrefix } from '../../streams/nats/subject.ts'
import type { FillGap } from './fill.ts'
import type { FeedBatch } from './log/batch.ts'
import type { FeedExpired, FeedReplaced } from './log/feed-errors.ts'

export type FeedListener = {
  /** The next message of FEED, in order; must not throw. */
  onBatch(batch: FeedBatch): void
  /** Nobody can go on: FEED was recreated, went back, or let go (FeedExpired) of what was not read yet. */
  onReplaced?(why: FeedReplaced | FeedExpired): void
}

export type FeedHub = {
  /** Epoch of the stream that is read now. */
  readonly epoch: string
  /** The oldest sequence that can be read, as of the last second; head() + 1 where there is none. */
  first(): number
  /** The newest sequence that was read. */
  head(): number
  /** The same, with what FEED had brought of each lane by then. */
  place(): FeedPosition
  /** Milliseconds since the hub last had all that FEED had. */
  tailLagMs(): number
  /** Messages of it that this process came to and could not read, in whole or in part. */
  unreadable(): number
  /** Messages of FEED that this process found lost. */
  lost(): number
  /** Resolves when it has read what FEED has now, or at the abort. Rejects where FEED cannot be asked. */
  caughtUp(signal: AbortSignal): Promise<void>
  /**
   * FEED from a sequence on, without end: waits for what is yet to come. Throws FeedExpired, FeedReplaced,
   * LineIsFull; ends when the signal is aborted. Whoever pauses for long should end it and ask again.
   */
  readFrom(sequence: number, signal: AbortSignal): AsyncGenerator<FeedBatch, void, undefined>
  /**
   * Messages in memory from a sequence on, at most so many; none where it is yet to come, undefined where
   * memory begins behind it.
   */
  held(sequence: number, countMax: number): readonly FeedBatch[] | undefined
  /** Every message from now on; the answer ends it. */
  subscribe(listener: FeedListener): () => void
  close(): Promise<void>
}

export type HubOptions = {
  jetStream: JetStream
  prefix: SubjectPrefix
  /** Name of the FEED stream on the server. */
  stream: string
  log: Log
  /** Payload bytes kept in memory; decoded they are several times that. */
  ringBytesMax?: number
  /** Absent: what FEED lost is told and not filled. */
  fill?: FillGap
  /** Milliseconds between two looks at whether the stream is still the same. */
  watchEveryMs?: number
}
