/**
 * A message of FEED in the memory of the API: decoded when somebody first wants it, once for all.
 * Pure. What its readers make of it (the JSON of an event, a frame that many get) they keep beside it,
 * and it goes with it.
 */
import {
  decodeFeedBatch,
  decodeFeedMark,
  type FeedEvent,
  type FeedMark,
} from '../../streams/event-wire.ts'

export class FeedBatch {
  readonly sequence: number
  readonly payload: Uint8Array
  /** What readers made of it, by a name of theirs. */
  readonly kept = new Map<string, unknown>()
  isStored = false
  private decodedMark: FeedMark | undefined
  private decodedEvents: readonly FeedEvent[] | undefined

  constructor(sequence: number, payload: Uint8Array) {
    this.sequence = sequence
    this.payload = payload
  }

  /** Events out of the tables, as if they were a message of FEED. */
  static ofStored(sequence: number, events: readonly FeedEvent[]): FeedBatch {
    const batch = new FeedBatch(sequence, new Uint8Array(0))
    batch.decodedEvents = events
    batch.isStored = true
    return batch
  }

  /** Which commit of which pool lane it announces. Throws WireError. */
  get mark(): FeedMark {
    this.decodedMark ??= decodeFeedMark(this.payload)
    return this.decodedMark
  }

  /** In canonical order. Throws WireError. */
  get events(): readonly FeedEvent[] {
    this.decodedEvents ??= decodeFeedBatch(this.payload)
    return this.decodedEvents
  }

  /** What was made under this name, made now if it was not yet. */
  keep<Made>(name: string, make: () => Made): Made {
    const known = this.kept.get(name)
    if (known !== undefined) return known as Made
    const made = make()
    this.kept.set(name, made)
    return made
  }
}
