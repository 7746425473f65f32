/**
 * A message of FEED in memory: decoded lazily and once for all readers. Pure. Values derived from it (the JSON of an
 * event, a shared frame) are cached in it and freed with it.
 *
 * Invariant: reading never throws, whatever the bytes. An event that cannot be decoded, or violates the ingest contract
 * that presentation relies on, is left out and reported (`onError`): otherwise one such message would end every stream.
 */

import {
  decodeFeedBatch,
  decodeFeedMark,
  type FeedEvent,
  type FeedMark,
} from '../../../streams/codec/event-codec.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { checkEvent } from '../../../streams/ingest/contract.ts'
import { explainRefusal } from '../../../streams/ingest/refusal.ts'
import type { Gap } from '../gap.ts'

/** Reports why an event, or all of the message, is left out. */
export type OnBatchError = (sequence: number, reason: string) => void

/** Mark of a message that belongs to no lane and no commit. */
const NO_MARK: FeedMark = { poolLane: -1, commitNumber: 0, part: 0 }

export class FeedBatch {
  readonly sequence: number
  readonly payload: Uint8Array
  /** Derived values of readers, by name. */
  readonly cache = new Map<string, unknown>()
  isStored = false
  /** Gap of lost messages before the batch; its events precede the batch's own. */
  readonly gap: Gap | undefined
  private readonly onError: OnBatchError
  private decodedMark: FeedMark | undefined
  private decodedEvents: readonly FeedEvent[] | undefined

  constructor(sequence: number, payload: Uint8Array, onError: OnBatchError = () => {}, gap?: Gap) {
    this.sequence = sequence
    this.gap = gap
    this.payload = payload
    this.onError = onError
  }

  /** Events from the tables in the form of a message of FEED. */
  static ofStored(sequence: number, events: readonly FeedEvent[]): FeedBatch {
    const batch = new FeedBatch(sequence, new Uint8Array(0))
    batch.decodedEvents = events
    batch.isStored = true
    return batch
  }

  /** An empty batch in place of a deleted message. */
  static ofNothing(sequence: number): FeedBatch {
    const batch = new FeedBatch(sequence, new Uint8Array(0))
    batch.decodedMark = NO_MARK
    return batch
  }

  /** The commit and pool lane that the message publishes. */
  get mark(): FeedMark {
    this.decodedMark ??= this.read(decodeFeedMark) ?? NO_MARK
    return this.decodedMark
  }

  /** Whether the mark is readable; without one the events are left out. */
  get isMarked(): boolean {
    return this.mark !== NO_MARK
  }

  /** Commit of the event at an index; events that fill a gap belong to an earlier one. */
  markOf(index: number): FeedMark {
    return this.gap !== undefined && index < this.filledCount ? this.gap.mark : this.mark
  }

  /** Number of leading events that fill a gap. */
  get filledCount(): number {
    return this.gap?.events.length ?? 0
  }

  /** Events that fill a gap, then its own; both in canonical order. */
  get events(): readonly FeedEvent[] {
    this.decodedEvents ??= [...(this.gap?.events ?? []), ...this.ownEvents()]
    return this.decodedEvents
  }

  private ownEvents(): readonly FeedEvent[] {
    return this.isMarked ? (this.read(decodeFeedBatch)?.filter(this.isFit) ?? []) : []
  }

  /** The derived value of this name, computed on first use. */
  keep<Made>(name: string, make: () => Made): Made {
    const known = this.cache.get(name)
    if (known !== undefined) return known as Made
    const made = make()
    this.cache.set(name, made)
    return made
  }

  private read<Read>(decode: (payload: Uint8Array) => Read): Read | undefined {
    try {
      return decode(this.payload)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.onError(this.sequence, error.message)
      return undefined
    }
  }

  private readonly isFit = (event: FeedEvent): boolean => {
    const refusal = checkEvent(event)
    if (refusal !== undefined) this.onError(this.sequence, explainRefusal(refusal))
    return refusal === undefined
  }
}
