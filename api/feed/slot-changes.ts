/**
 * When events at or below a slot last arrived: the sequence in FEED of the newest message with one. Cached answers as of a slot are
 * named by it, so that a late event ends them.
 *
 * Law: the sequence never falls while FEED has the same epoch, and rises with every message that has such an event. It may be too
 * great: of messages that are not in memory, and of slots that are far apart.
 */
import { slotOf } from '../../streams/codec/event-codec.ts'
import type { FeedBatch } from './log/batch.ts'
import type { FeedHub } from './log/hub-interface.ts'

/** From a slot on, the newest message with an event at or below it is this one or a later step's. */
type Step = { readonly slot: number; readonly sequence: number }

/** Steps in memory: an hour in which every slot has one. */
const STEPS_MAX = 10_000
const MESSAGES_AT_ONCE = 1_000

export class SlotChanges {
  private readonly hub: Pick<FeedHub, 'epoch' | 'head' | 'held'>
  private epoch = ''
  /** Sequence up to which messages were read. */
  private read = 0
  /** The sequence for slots below the first step. */
  private base = 0
  /** Ascending by both. */
  private steps: Step[] = []

  constructor(hub: Pick<FeedHub, 'epoch' | 'head' | 'held'>) {
    this.hub = hub
    this.catchUp()
  }

  /** Epoch and sequence, as a part of a name. */
  nameFor(slot: number): string {
    this.catchUp()
    const sequence = this.steps.findLast((step) => step.slot <= slot)?.sequence ?? this.base
    return `${this.epoch}-${sequence}`
  }

  private catchUp(): void {
    const { hub } = this
    if (hub.epoch !== this.epoch) {
      this.epoch = hub.epoch
      this.begin()
    }
    while (this.read < hub.head()) {
      const messages = hub.held(this.read + 1, MESSAGES_AT_ONCE)
      // Some are no longer in memory: any slot may have changed.
      if (messages === undefined || messages.length === 0) this.begin()
      else for (const message of messages) this.note(message)
    }
  }

  private begin(): void {
    this.read = this.hub.head()
    this.base = this.read
    this.steps = []
  }

  private note({ sequence, events }: FeedBatch): void {
    this.read = sequence
    if (events.length === 0) return
    const slot = events.map(slotOf).reduce((least, each) => Math.min(least, each))
    const { steps } = this
    while ((steps.at(-1)?.slot ?? -1) >= slot) steps.pop()
    steps.push({ slot, sequence })
    if (steps.length <= STEPS_MAX) return
    const forgotten = steps.splice(0, STEPS_MAX / 2)
    this.base = forgotten.at(-1)?.sequence ?? this.base
  }
}
