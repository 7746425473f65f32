/**
 * A message of FEED in the memory of the API: decoded when somebody first wants it, once for all.
 * Pure. What its readers make of it (the JSON of an event, a frame that many get) they keep beside it,
 * and it goes with it.
 *
 * Law: whatever its bytes are, reading it does not throw: what does not parse, or breaks the ingest contract, which
 * what presents events relies on, is left out and told (`onFault`). One such message would end every stream else.
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

/** Why something of the message of this sequence is left out. */
export type OnBatchError = (sequence: number, reason: string) => void

/** Of no lane: no commit that is known holds it. */
const NO_MARK: FeedMark = { poolLane: -1, commitNumber: 0, part: 0 }

export class FeedBatch {
  readonly sequence: number
  readonly payload: Uint8Array
  /** What readers made of it, by a name of theirs. */
  readonly kept = new Map<string, unknown>()
  isStored = false
  /** Gap of lost messages before the batch; its events precede the batch's own. */
  readonly gap: Gap | undefined
  private readonly onFault: OnBatchError
  private decodedMark: FeedMark | undefined
  private decodedEvents: readonly FeedEvent[] | undefined

  constructor(sequence: number, payload: Uint8Array, onFault: OnBatchError = () => {}, gap?: Gap) {
    this.sequence = sequence
    this.gap = gap
    this.payload = payload
    this.onFault = onFault
  }

  /** Events out of the tables, as if they were a message of FEED. */
  static ofStored(sequence: number, events: readonly FeedEvent[]): FeedBatch {
    const batch = new FeedBatch(sequence, new Uint8Array(0))
    batch.decodedEvents = events
    batch.isStored = true
    return batch
  }

  /** In the place of one that stands there no more. */
  static ofNothing(sequence: number): FeedBatch {
    const batch = new FeedBatch(sequence, new Uint8Array(0))
    batch.decodedMark = NO_MARK
    return batch
  }

  /** Which commit of which pool lane it announces. */
  get mark(): FeedMark {
    this.decodedMark ??= this.read(decodeFeedMark) ?? NO_MARK
    return this.decodedMark
  }

  /** Whether it says which commit it announces: its events are left out where it does not. */
  get isMarked(): boolean {
    return this.mark !== NO_MARK
  }

  /** Which commit the event of an index is of: those of a gap are of an earlier one. */
  markOf(index: number): FeedMark {
    return this.gap !== undefined && index < this.filledCount ? this.gap.mark : this.mark
  }

  /** Its first events that fill a gap. */
  get filledCount(): number {
    return this.gap?.events.length ?? 0
  }

  /** What fills a gap, then its own; both in canonical order. */
  get events(): readonly FeedEvent[] {
    this.decodedEvents ??= [...(this.gap?.events ?? []), ...this.ownEvents()]
    return this.decodedEvents
  }

  private ownEvents(): readonly FeedEvent[] {
    return this.isMarked ? (this.read(decodeFeedBatch)?.filter(this.isFit) ?? []) : []
  }

  /** What was made under this name, made now if it was not yet. */
  keep<Made>(name: string, make: () => Made): Made {
    const known = this.kept.get(name)
    if (known !== undefined) return known as Made
    const made = make()
    this.kept.set(name, made)
    return made
  }

  private read<Read>(decode: (payload: Uint8Array) => Read): Read | undefined {
    try {
      return decode(this.payload)
    } catch (fault) {
      if (!(fault instanceof WireError)) throw fault
      this.onFault(this.sequence, fault.message)
      return undefined
    }
  }

  private readonly isFit = (event: FeedEvent): boolean => {
    const refusal = checkEvent(event)
    if (refusal !== undefined) this.onFault(this.sequence, explainRefusal(refusal))
    return refusal === undefined
  }
}
