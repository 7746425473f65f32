/**
 * The newest message that a pool lane has in FEED, and whether it is still there.
 *
 * Invariant: a FEED that lost its end (its machine lost power before it was synced) gets another epoch before the lane
 * publishes again: later messages take the same numbers, and a client that resumes from one of them would miss and mix
 * events unnoticed. A lane's newest message is its last in FEED, so it is enough to look for that:
 *
 *   FEED     .. a7 b4 b5 a8 | b6 a9 b7     lost: after the bar
 *   lane a   a9 is gone: another epoch, which begins like the one before up to the bar at most
 *
 * The checkpoint knows it as of the newest commit, this process up to the newest ack.
 */

import type { Log } from '../../../domain/log.ts'
import { decodeFeedMark } from '../../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../../streams/codec/protobuf.ts'
import type { JetStream, StoredMessage } from '../../../streams/nats/jetstream.ts'
import { findStored } from '../../../streams/nats/replicas.ts'
import {
  renewEpoch,
  type StreamExtent,
  type StreamIdentity,
  settledExtent,
} from '../../../streams/nats/topology.ts'
import { FeedCut, ReaderLost } from '../backoff.ts'
import type { CheckpointRow, FeedMessage } from '../checkpoint.ts'

type Deps = { jetStream: JetStream; log: Log }

/** One for as long as a process has the lane: its acknowledgements survive a failure. */
export class FeedEnd {
  private readonly deps: Deps
  private readonly lane: number
  private stream = ''
  private epoch: string | null = null
  private sequence = 0
  private losses = -1

  constructor(deps: Deps, lane: number) {
    this.deps = deps
    this.lane = lane
  }

  /** With FEED as it is now, and what the checkpoint knows of it. Throws FeedCut. */
  async open(
    { stream, epoch }: StreamIdentity,
    known: Pick<CheckpointRow, 'feed_epoch' | 'feed_sequence'>,
  ): Promise<void> {
    if (this.epoch !== epoch) this.sequence = 0
    this.stream = stream
    this.epoch = epoch
    if (known.feed_epoch === epoch) this.note(known.feed_sequence)
    await this.expectHeld()
  }

  /** A message of the lane is in FEED. */
  note(sequence: number): void {
    this.sequence = Math.max(this.sequence, sequence)
  }

  newest(): FeedMessage {
    return this.sequence === 0
      ? { epoch: null, sequence: 0 }
      : { epoch: this.epoch, sequence: this.sequence }
  }

  /** The connection was lost since it was looked for: the server may have gone down. */
  isDue(): boolean {
    return this.epoch !== null && this.losses !== this.deps.jetStream.losses()
  }

  /** Throws FeedCut where FEED has lost it, after giving FEED another epoch; ReaderLost where that is another already. */
  async expectHeld(): Promise<void> {
    const { jetStream, log } = this.deps
    const losses = jetStream.losses()
    const { stream, epoch, sequence, lane } = this
    const extent =
      epoch === null ? undefined : await settledExtent(jetStream, stream, { epoch, sequence })
    if (epoch === null || extent?.epoch !== epoch) throw new ReaderLost(`"${stream}" was recreated`)
    if (await this.isHeld(extent)) {
      this.losses = losses
      return
    }
    const through = Math.min(extent.last, sequence - 1)
    const there = await jetStream.messageAt(stream, sequence).catch(() => undefined)
    await renewEpoch(jetStream, stream, epoch, through)
    log.error(
      { lane, stream, sequence, through, last: extent.last, there: there?.subject },
      'starting new epoch of stream that lost its end',
    )
    throw new FeedCut(`"${stream}" lost message ${sequence} of lane ${lane}`)
  }

  /** A message before the first was trimmed, not lost. */
  private async isHeld({ epoch, first, last }: StreamExtent): Promise<boolean> {
    const { sequence, stream } = this
    const { jetStream } = this.deps
    if (sequence < first) return true
    if (sequence > last) return false
    const message = await jetStream.messageAt(stream, sequence)
    if (message !== undefined) return this.isOwn(message)
    const now = await settledExtent(jetStream, stream, { epoch, sequence })
    if (now === undefined || sequence < now.first) return now !== undefined
    if (now.replicas <= 1) return false
    // Another node may lead since the end was read, or one that led before may have answered.
    const found = await findStored(jetStream, stream, sequence)
    return found !== undefined && this.isOwn(found)
  }

  private isOwn({ payload }: StoredMessage): boolean {
    return unlessBroken(() => decodeFeedMark(payload))?.poolLane === this.lane
  }
}
