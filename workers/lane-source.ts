/**
 * The stream that a lane reads: where reading goes on, and whether all that it holds of the lane is read.
 *
 * Law: what a stream let go of unread is never passed over in silence. A reader goes by sequences, so it
 * steps over what is gone as over what is not for it: whoever reads asks now and then what the stream has.
 *
 *   recreated        other epoch             read the new one from its start
 *   its end is lost  last < sequence         a machine lost power: what comes takes the same numbers again
 *   trimmed          first > sequence + 1    FEED is full, or its oldest too old, and the lane behind
 */
import { type StreamExtent, type StreamIdentity, streamExtent } from '../streams/topology.ts'
import type { Actor, LaneContext } from './actor.ts'
import type { CheckpointRow } from './checkpoint.ts'
import { ReaderLost } from './lane-fault.ts'

/** How long what was seen of a stream is trusted, where the lane is in its younger half. */
const TRUSTED_MS = 8_000

export class LaneSource {
  private readonly actor: Actor
  private readonly context: LaneContext
  private identity: StreamIdentity
  private seenAtMs = performance.now()
  /** The stream may let go of what is unread before it is looked at again. */
  private isPressed = false

  constructor(actor: Actor, context: LaneContext) {
    this.actor = actor
    this.context = context
    this.identity = actor.source(context.topology)
  }

  get stream(): string {
    return this.identity.stream
  }

  get epoch(): string {
    return this.identity.epoch
  }

  /** Up to where all is read of the stream as it is now; says aloud what can no longer be read. */
  async resume(identity: StreamIdentity, checkpoint: CheckpointRow): Promise<number> {
    this.identity = identity
    const { log, lane } = this.context
    const { stream, epoch } = identity
    const { stream_epoch: before, sequence } = checkpoint
    if (before !== null && before !== epoch) {
      log.error(
        { lane, stream, before, now: epoch, sequence },
        'the stream was recreated: what it held unread is gone; reading the new one from its start',
      )
      await this.noteGap()
      return 0
    }
    const { first, last } = await this.see(sequence)
    if (last < sequence) {
      log.error(
        { lane, stream, sequence, last },
        'the stream lost its end; reading on behind the rest',
      )
      await this.noteGap()
      return last
    }
    const isTrimmed = first > sequence + 1
    if (isTrimmed || before === null) await this.noteGap()
    if (!isTrimmed) return sequence
    if (sequence > 0) this.tellTrimmed(sequence, first)
    return first - 1
  }

  /**
   * With messages at hand that follow on `sequence`: whether the stream may have let go of some between,
   * which is then noted. Asks the server where that is due.
   */
  async hasPassedOver(sequence: number, messageCount: number): Promise<boolean> {
    if (!this.isPressed && performance.now() - this.seenAtMs < TRUSTED_MS) return false
    const { first, last } = await this.see(sequence)
    if (last < sequence) throw new ReaderLost('the stream lost its end')
    if (messageCount === 0 || this.actor.noteGap === undefined || first <= sequence + 1)
      return false
    this.tellTrimmed(sequence, first)
    await this.noteGap()
    return true
  }

  private async see(sequence: number): Promise<StreamExtent> {
    const extent = await streamExtent(this.context.jetStream, this.identity.stream)
    if (extent?.epoch !== this.identity.epoch) throw new ReaderLost('the stream was recreated')
    const { first, last, bytes, maxBytes } = extent
    this.seenAtMs = performance.now()
    this.isPressed = maxBytes > 0 && bytes > maxBytes / 2 && sequence < (first + last) / 2
    return extent
  }

  private tellTrimmed(sequence: number, first: number): void {
    this.context.log.error(
      { lane: this.context.lane, stream: this.identity.stream, sequence, first },
      'the stream no longer holds all that this lane has not read',
    )
  }

  private async noteGap(): Promise<void> {
    await this.actor.noteGap?.(this.context)
  }
}
