/**
 * The stream that a lane reads: where reading resumes, and whether all of the lane's messages are read.
 *
 * Invariant: unread messages that a stream dropped are always reported. A reader goes by sequences, so it skips dropped
 * messages like those of other lanes: it queries the extent of the stream now and then.
 *
 *   recreated        other epoch             read the new one from its start
 *   its end is lost  last < sequence, or     a machine lost power: new messages get the same numbers. The
 *                    another message there   stream gets another epoch, FEED also where a pool lane noticed (feed-end.ts)
 *   trimmed          first > sequence + 1    FEED is full, or its oldest too old, and the lane lags
 *   lost its midst   lost-messages.ts        a block of its file is damaged
 */
import type { StoredMessage } from '../../../streams/nats/jetstream.ts'
import {
  lastStoredBy,
  renewEpoch,
  type StreamExtent,
  type StreamIdentity,
  sequenceToday,
  settledExtent,
} from '../../../streams/nats/topology.ts'
import type { Actor, LaneContext } from '../actor.ts'
import { ReaderLost } from '../backoff.ts'
import type { CheckpointRow, ReadTo } from '../checkpoint.ts'
import { LostMessages } from './lost-messages.ts'

/** How long what was seen of a stream is trusted, where the lane is in its younger half. */
const TRUSTED_MS = 8_000

export class LaneSource {
  private readonly actor: Actor
  private readonly context: LaneContext
  private identity: StreamIdentity
  private seenAtMs = performance.now()
  private losses = -1
  /** The stream may drop unread messages before it is checked again. */
  private isPressed = false
  private seenTo = 0
  private readonly lost: LostMessages

  constructor(actor: Actor, context: LaneContext) {
    this.actor = actor
    this.lost = new LostMessages(actor, context)
    this.context = context
    this.identity = actor.source(context.topology)
  }

  get stream(): string {
    return this.identity.stream
  }

  get epoch(): string {
    return this.identity.epoch
  }

  /** Up to where the stream has nothing for the lane that it has not read, as far as it looked. */
  get seenSequence(): number {
    return this.seenTo
  }

  /** The sequence up to which the stream as it is now is read; reports messages that can no longer be read. */
  async resume(identity: StreamIdentity, checkpoint: CheckpointRow): Promise<ReadTo> {
    const read = await this.resumeAt(identity, checkpoint)
    this.lost.begin(read.sequence)
    return read
  }

  private async resumeAt(identity: StreamIdentity, checkpoint: CheckpointRow): Promise<ReadTo> {
    this.identity = identity
    const { log, lane } = this.context
    const { stream, epoch } = identity
    const { stream_epoch: before, sequence: read, message_ms: storedMs } = checkpoint
    this.seenTo = 0
    const sequence = before === null ? read : sequenceToday(identity, before, read)
    if (sequence === undefined) {
      log.error(
        { lane, stream, before, now: epoch, sequence: read },
        'reading recreated stream from its start: unread messages are lost',
      )
      await this.noteGap()
      return { sequence: 0, storedMs: undefined }
    }
    const resumed = { sequence, storedMs: sequence === read ? (storedMs ?? undefined) : undefined }
    const extent = await this.see(sequence)
    const end = await this.heldTo(resumed, extent)
    if (end < sequence || (before !== null && before !== epoch)) {
      log.error(
        { lane, stream, sequence: read, last: end },
        'resuming after the end that the stream lost',
      )
      await this.noteGap()
      if (end === sequence) return resumed
      return this.restartInNewEpoch(end, { read: resumed, last: extent.last })
    }
    const seen =
      before === null ? 0 : (sequenceToday(identity, before, checkpoint.seen_sequence) ?? 0)
    if (seen <= extent.last) this.seenTo = seen
    const isTrimmed = this.wasTrimmedAfter(sequence, extent.first)
    if (isTrimmed || before === null) await this.noteGap()
    if (!isTrimmed) return resumed
    if (sequence > 0) this.reportTrimmed(sequence, extent.first)
    return { sequence: extent.first - 1, storedMs: undefined }
  }

  /**
   * For messages that follow on `read`, the newest that was taken: whether the stream may have dropped some between,
   * which is then noted. Queries the server where that is due.
   */
  async hasPassedOver(read: ReadTo, messageCount: number): Promise<boolean> {
    const { sequence } = read
    const isTrusted = performance.now() - this.seenAtMs < TRUSTED_MS
    const isConnected = this.losses === this.context.jetStream.losses()
    if (!this.isPressed && isTrusted && isConnected) return false
    // A server that went down may have lost its end, and given its numbers again.
    if (!isConnected) this.seenTo = 0
    const extent = await this.see(sequence)
    const end = isConnected && extent.last >= sequence ? sequence : await this.heldTo(read, extent)
    if (end < sequence) return this.restartInNewEpoch(end, { read, last: extent.last })
    if (messageCount === 0 || this.actor.noteGap === undefined) return false
    if (!this.wasTrimmedAfter(sequence, extent.first)) return false
    this.reportTrimmed(sequence, extent.first)
    await this.noteGap()
    return true
  }

  /**
   * With messages at hand: whether the stream lost some before them, which is then noted, so that the actor
   * recomputes from the tables. `renewals`: of the reader.
   */
  async hasLost(messages: readonly StoredMessage[], renewals: number): Promise<boolean> {
    const { actor, context, identity, lost } = this
    if (actor.noteGap === undefined) {
      const filter = actor.filter(context.topology, context.lane)
      await lost.count(messages, renewals, identity, filter)
      return false
    }
    if (!(await lost.areBetween(messages, identity, () => this.extent()))) return false
    await this.noteGap()
    return true
  }

  /**
   * Returns the sequence of the lane's own newest message, 0 without one. Messages after it belong to other lanes, and
   * the stream may trim all of them, too: so the sequence up to which this lane has no unread message is noted.
   * Messages that were read and not yet applied (after `sequence`) are still needed from the stream.
   *
   *   query end -> query own newest: it is applied -> query first: nothing was dropped meanwhile     seen = that end
   */
  async look(sequence: number): Promise<number> {
    const { jetStream, topology, lane } = this.context
    const { last } = await this.extent()
    const head = await jetStream.lastOfSubject(this.stream, this.actor.filter(topology, lane))
    const { first } = await this.extent()
    const isConnected = this.losses === jetStream.losses()
    const isAllIn = (head?.sequence ?? 0) <= sequence
    if (isConnected && isAllIn && !this.wasTrimmedAfter(sequence, first)) this.seenTo = last
    return head?.sequence ?? 0
  }

  private wasTrimmedAfter(sequence: number, first: number): boolean {
    return first > Math.max(sequence, this.seenTo) + 1
  }

  /**
   * The sequence up to which the stream is the one that was read. A server that lost power has fewer messages than it
   * delivered, and assigns their numbers again: messages there were stored later.
   */
  private async heldTo({ sequence, storedMs }: ReadTo, extent: StreamExtent): Promise<number> {
    const { first, last } = extent
    if (storedMs === undefined) return Math.min(sequence, last)
    const { jetStream } = this.context
    if (last >= sequence) {
      const nowMs = await jetStream.storedAt(this.stream, sequence)
      if (nowMs === undefined || nowMs === storedMs) return sequence
    }
    const before = { first, last: Math.min(last, sequence - 1) }
    return lastStoredBy(jetStream, this.stream, before, storedMs)
  }

  /** By the epoch, all that hold numbers of the stream know which of them are still what they were. */
  private async restartInNewEpoch(
    through: number,
    { read, last }: { read: ReadTo; last: number },
  ): Promise<never> {
    const { jetStream, lane, log } = this.context
    const { stream, epoch } = this.identity
    await renewEpoch(jetStream, stream, epoch, through)
    log.error(
      { actor: this.actor.name, lane, stream, ...read, through, last },
      'starting new epoch of stream that lost its end',
    )
    throw new ReaderLost('the stream lost its end: its epoch changed')
  }

  private async see(sequence: number): Promise<StreamExtent> {
    const losses = this.context.jetStream.losses()
    const extent = await this.extent(sequence)
    const { first, last, bytes, maxBytes } = extent
    await this.lost.countDeleted(this.identity, extent, sequence)
    this.seenAtMs = performance.now()
    this.losses = losses
    const to = Math.max(sequence, this.seenTo)
    this.isPressed = maxBytes > 0 && bytes > maxBytes / 2 && to < (first + last) / 2
    return extent
  }

  private async extent(sequence = 0): Promise<StreamExtent> {
    const { stream, epoch } = this.identity
    const extent = await settledExtent(this.context.jetStream, stream, { epoch, sequence })
    if (extent?.epoch !== this.identity.epoch) throw new ReaderLost('the stream was recreated')
    return extent
  }

  private reportTrimmed(sequence: number, first: number): void {
    this.context.log.error(
      { lane: this.context.lane, stream: this.identity.stream, sequence, first },
      'stream trimmed messages that this lane has not read',
    )
  }

  private async noteGap(): Promise<void> {
    await this.actor.noteGap?.(this.context)
  }
}
