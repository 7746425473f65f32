/**
 * Messages that a lane's stream has lost in its midst: a flipped or truncated block of the stream's file. A reader
 * goes by sequences, so it would step over them without a word.
 *
 * Law: every lost message is logged at error level, counted and stored for `status`, once; what was trimmed or aged
 * out at the stream's start, deduplicated or delivered again is not lost.
 *
 *   FEED   each message names its predecessor on its subject (subject-chain.ts)
 *   SWAP   has many publishers and no such chain: the server counts what it has for the lane, and what it cannot
 *          deliver stays in that count; a block that was cut off on a start shows as deleted in the stream's midst
 * Decision: docs/decisions/0004-idle-lanes-record-the-stream-end.md
 */

import { int8Array } from '../../../sql/binary/arrays.ts'
import { query } from '../../../sql/query.ts'
import type { StoredMessage } from '../../../streams/nats/jetstream.ts'
import { type BrokenLink, SubjectChain } from '../../../streams/nats/subject-chain.ts'
import { deletedAfter, type StreamExtent } from '../../../streams/nats/topology.ts'
import type { Actor, LaneContext } from '../actor.ts'

const noteLost = query('actor/note_lost')

/**
 * Between two checks whether the server has messages that it does not deliver: of a quiet lane, and of one that always
 * has messages. The server scans the stream for the result, so a lane that reads history queries rarely.
 */
const COUNT_QUIET_MS = 5_000
const COUNT_BUSY_MS = 60_000
/** Without a message for so long a lane is quiet. */
const QUIET_MS = 2_000

type Lost = { sequence: number; messageCount: number }
type Stream = { stream: string; epoch: string }

export class LostMessages {
  private readonly actor: Actor
  private readonly context: LaneContext
  private readonly chain = new SubjectChain()
  /** Up to here all that the stream held was read before. */
  private base = 0
  private newest: StoredMessage | undefined
  private consumer = 0
  /** Undelivered messages and deleted ones that were reported, by consumer and by stream. */
  private undelivered = 0
  private deletedCount = 0
  private countedAt = performance.now()
  private newestAt = performance.now()

  constructor(actor: Actor, context: LaneContext) {
    this.actor = actor
    this.context = context
  }

  /** Reading begins after this sequence. */
  begin(sequence: number): void {
    this.base = sequence
    this.chain.clear()
    this.newest = undefined
    this.undelivered = 0
  }

  /**
   * Whether messages of FEED are lost that the lane should have read, between or before these, which are reported.
   * `extent`: called where that is in doubt.
   */
  async areBetween(
    messages: readonly StoredMessage[],
    identity: Stream,
    extent: () => Promise<StreamExtent>,
  ): Promise<boolean> {
    const broken = messages.flatMap((message) => this.chain.note(message) ?? [])
    if (broken.length === 0) return false
    const { first } = await extent()
    const held = broken.filter(({ previous }) => previous >= first)
    const isThere = await Promise.all(held.map((link) => this.wasRead(link, identity.stream)))
    const links = held.filter((_, index) => !isThere[index])
    if (links.length === 0) return false
    const lost = links.map(({ previous }) => ({ sequence: previous, messageCount: 1 }))
    await this.report(identity, lost, 'missing predecessor: recomputing from the tables')
    return true
  }

  /** Reports what SWAP has for the lane and does not deliver. `renewals`: of the reader. */
  async count(
    messages: readonly StoredMessage[],
    renewals: number,
    identity: Stream,
    filter: string,
  ): Promise<void> {
    if (renewals !== this.consumer) this.undelivered = 0
    this.consumer = renewals
    const now = performance.now()
    if (messages.length > 0) this.newestAt = now
    this.newest = messages.at(-1) ?? this.newest
    const pending = this.newest?.pending?.() ?? 0
    const everyMs = now - this.newestAt > QUIET_MS ? COUNT_QUIET_MS : COUNT_BUSY_MS
    if (pending <= this.undelivered || now - this.countedAt < everyMs) return
    this.countedAt = now
    const head = await this.context.jetStream.lastOfSubject(identity.stream, filter)
    const { sequence } = this.newest!
    // Nothing came after it, so all that the server had left for the lane cannot be had.
    if (head?.sequence !== sequence) return
    const lost = { sequence, messageCount: pending - this.undelivered }
    this.undelivered = pending
    await this.report(identity, [lost], 'undeliverable')
  }

  /**
   * Reports messages missing from the middle of SWAP, where single messages are never deleted. Their lane is unknown:
   * the first lane reports it for all.
   */
  async countDeleted(identity: Stream, extent: StreamExtent, sequence: number): Promise<void> {
    const isOurs = this.actor.noteGap === undefined && this.context.lane === 0
    if (!isOurs || extent.deletedCount <= this.deletedCount) return
    this.deletedCount = extent.deletedCount
    const gone = await deletedAfter(this.context.jetStream, identity.stream, sequence)
    const [first] = gone
    if (first === undefined) return
    const lost = { sequence: first, messageCount: gone.length }
    await this.report(identity, [lost], 'deleted in the midst')
  }

  /** Whether the predecessor was read or still exists: a lane may have read it before it was opened. */
  private async wasRead({ previous, read }: BrokenLink, stream: string): Promise<boolean> {
    if (read !== undefined || previous > this.base) return false
    return (await this.context.jetStream.messageAt(stream, previous)) !== undefined
  }

  private async report({ stream, epoch }: Stream, lost: readonly Lost[], reason: string) {
    const { context, actor } = this
    const { db, log, lane } = context
    const messages = lost.reduce((sum, { messageCount }) => sum + messageCount, 0)
    const sequences = lost.map(({ sequence }) => sequence)
    log.error(
      { actor: actor.name, lane, stream, sequences: sequences.slice(0, 20), messages, reason },
      'stream lost messages',
    )
    context.onLost?.(messages)
    await noteLost(db, [
      lost.map(() => actor.name),
      lost.map(() => lane),
      lost.map(() => stream),
      lost.map(() => epoch),
      int8Array(sequences),
      int8Array(lost.map(({ messageCount }) => messageCount)),
    ])
  }
}
