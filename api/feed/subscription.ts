/**
 * One lossless subscription: how far it has come, and the frames that bring it on. Pure.
 *
 * Law: the items of its frames, one after the other, are the events of FEED behind its beginning that its
 * filter lets through, each once, in order; `n` counts them, and the cursor of a frame says exactly how
 * far that is. Its place moves with each frame that is taken, so it may be left between any two.
 */
import { type Cursor, writeCursor } from '../../streams/cursor.ts'
import type { FeedEvent } from '../../streams/event-wire.ts'
import type { FeedBatch } from './batch.ts'
import {
  type FeedFilter,
  type ParsedFilter,
  poolEventMatcher,
  presentFilter,
  swapMatcher,
} from './filter.ts'
import type { History } from './history.ts'
import { eventText, type Int64Form } from './present.ts'
import type { Channel } from './schema.ts'

export const FRAME_EVENTS_MAX = 250
/** Of a whole frame: what stands around the items is less than the rest. */
export const FRAME_BYTES_MAX = 64 * 1024
const EVENTS_BYTES_MAX = FRAME_BYTES_MAX - 512

export type Place = Pick<Cursor, 'sequence' | 'eventCount'>

export type Wanted = {
  name: string
  channel: Channel
  parsed: ParsedFilter
  form: Int64Form
  batchMs: number
}

/** A part of a batch, or of several, that fits a frame; all before `end` is done with it. */
type Piece = { text: string; count: number; bytes: number; end: Place }

export class Subscription {
  readonly name: string
  readonly channel: Channel
  readonly batchMs: number
  /** Items sent so far. */
  n = 0
  place: Place
  /** Whether it is behind what there was when it began, and its frames say so. */
  isReplay = false
  /** What the tables gave it before FEED: not to come again. */
  history: History | undefined
  shownFilter = ''
  private readonly form: Int64Form
  private readonly head: string
  private matches: (event: FeedEvent) => boolean = () => true
  private parsed: ParsedFilter

  constructor({ name, channel, parsed, form, batchMs }: Wanted, place: Place) {
    this.name = name
    this.channel = channel
    this.form = form
    this.batchMs = batchMs
    this.place = place
    this.parsed = parsed
    this.head = `{"type":"data","sub":${JSON.stringify(name)},"channel":"${channel}","n":`
    this.filter(parsed)
  }

  /** From its place on by another filter. */
  filter(parsed: ParsedFilter): void {
    this.parsed = parsed
    this.matches = matcherOf(this.channel, parsed.filter)
    this.shownFilter = JSON.stringify(presentFilter(parsed.filter))
  }

  get locked(): string[] {
    return this.parsed.locked
  }

  get ignored(): string[] {
    return this.parsed.ignored
  }

  /** What subscriptions that get the same texts have in common. */
  get shape(): string {
    return `${this.channel} ${this.form} ${this.shownFilter}`
  }

  /** null: not to be told yet, because what the tables gave is no place in FEED. */
  cursor(epoch: string): string | null {
    if (this.place.sequence < (this.history?.settledFrom ?? 0)) return null
    return writeCursor({ epoch, ...this.place })
  }

  /**
   * The frames of a run of batches, of which the first goes on where this stands. `isShared`: others have
   * the same shape, so what is made of a batch is kept with it. Its place moves as they are taken.
   */
  *frames(batches: readonly FeedBatch[], epoch: string, isShared: boolean): Generator<string> {
    const pieces =
      batches.length === 1 && isShared && this.history === undefined && this.place.eventCount === 0
        ? (batches[0] as FeedBatch).keep(this.shape, () => [...this.pieces(batches)])
        : this.pieces(batches)
    for (const { text, count, end } of pieces) {
      const { n } = this
      this.n += count
      this.place = end
      if (count > 0) yield this.frame(n, epoch, text)
    }
    const last = batches.at(-1)
    if (last !== undefined) this.place = { sequence: last.sequence, eventCount: 0 }
  }

  private isKnown(batch: FeedBatch, event: FeedEvent): boolean {
    if (this.history === undefined || batch.isStored) return false
    return this.history.has(slotOf(event), batch.mark)
  }

  private frame(n: number, epoch: string, text: string): string {
    const replay = this.isReplay ? ',"replay":true' : ''
    const cursor = this.cursor(epoch)
    const shown = cursor === null ? 'null' : `"${cursor}"`
    return `${this.head}${n},"cursor":${shown}${replay},"data":[${text}]}`
  }

  private *pieces(batches: readonly FeedBatch[]): Generator<Piece> {
    let { eventCount } = this.place
    let open: Piece | undefined
    for (const batch of batches) {
      const { events, sequence } = batch
      for (let index = eventCount; index < events.length; index++) {
        const event = events[index] as FeedEvent
        if (!this.matches(event) || this.isKnown(batch, event)) continue
        const text = eventText(batch, index, this.form)
        // Base58, digits and names: a character is a byte.
        if (open !== undefined && isFull(open, text.length)) {
          yield { ...open, end: { sequence: sequence - 1, eventCount: index } }
          open = undefined
        }
        open ??= { text: '', count: 0, bytes: 0, end: this.place }
        open.text += open.count === 0 ? text : `,${text}`
        open.count++
        open.bytes += text.length + 1
      }
      eventCount = 0
      if (open !== undefined) open.end = { sequence, eventCount: 0 }
    }
    if (open !== undefined) yield open
  }
}

export function slotOf(event: FeedEvent): number {
  return event.kind === 'swap' ? event.swap.slot : event.poolEvent.slot
}

function isFull({ count, bytes }: Piece, more: number): boolean {
  return count >= FRAME_EVENTS_MAX || bytes + more > EVENTS_BYTES_MAX
}

function matcherOf(channel: Channel, filter: FeedFilter): (event: FeedEvent) => boolean {
  if (channel === 'pool_events') {
    const matches = poolEventMatcher(filter)
    return (event) => event.kind === 'pool_event' && matches(event.poolEvent)
  }
  const matches = swapMatcher(filter)
  return (event) => event.kind === 'swap' && matches(event.swap, event.walletTags)
}
