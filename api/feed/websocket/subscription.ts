/**
 * One lossless subscription: how far it has come, and the frames that bring it on. Pure.
 *
 * Law: the items of its frames, one after the other, are the events of FEED behind its beginning that its
 * filter lets through, each once, in order; `n` counts them, and the cursor of a frame says exactly how
 * far that is. Its place moves with each frame that is taken, so it may be left between any two.
 */

import { type FeedEvent, slotOf } from '../../../streams/codec/event-codec.ts'
import {
  aheadAfter,
  CURSOR_LENGTH_MAX,
  type FeedOffset,
  isDoneAhead,
  writeCursor,
} from '../../../streams/feed/feed-cursor.ts'
import type { History } from '../../../streams/feed/table-history.ts'
import {
  type FeedFilter,
  type ParsedFilter,
  poolEventMatcher,
  presentFilter,
  swapMatcher,
} from '../filter.ts'
import type { FeedBatch } from '../log/batch.ts'
import { FRAME_BYTES_MAX } from './protocol/close.ts'
import { asciiText, eventText, type Int64Form } from './protocol/present.ts'
import { type EventChannel, SUB_LENGTH_MAX } from './protocol/schema.ts'

export const FRAME_EVENTS_MAX = 250
/** What stands around the items: a cursor, a name of which each character is two escapes, and words. */
const AROUND_BYTES_MAX = CURSOR_LENGTH_MAX + SUB_LENGTH_MAX * 12 + 192
export const EVENTS_BYTES_MAX = FRAME_BYTES_MAX - AROUND_BYTES_MAX

/** How far all have come that follow the newest messages. */
export type Tail = { sequence: number }
export type Matches = (event: FeedEvent) => boolean

export type Wanted = {
  name: string
  channel: EventChannel
  parsed: ParsedFilter
  form: Int64Form
  batchMs: number
}

/** A part of a batch, or of several, that fits a frame; all before `end` is done with it. */
export type Piece = { text: string; count: number; end: FeedOffset }

export class Subscription {
  readonly name: string
  readonly channel: EventChannel
  readonly form: Int64Form
  readonly batchMs: number
  /** Items sent so far. */
  n = 0
  /** Whether it is behind what there was when it began, and its frames say so. */
  isReplay = false
  /** What the tables gave it before FEED: not to come again. */
  history: History | undefined
  shownFilter = ''
  matches: Matches = () => true
  /** What subscriptions that get the same texts have in common. */
  shape = ''
  private readonly head: string
  private parsed: ParsedFilter
  private own: FeedOffset
  private tail: Tail | undefined

  constructor({ name, channel, parsed, form, batchMs }: Wanted, place: FeedOffset) {
    this.name = name
    this.channel = channel
    this.form = form
    this.batchMs = batchMs
    this.own = place
    this.parsed = parsed
    this.head = `{"type":"data","sub":${asciiText(name)},"channel":"${channel}","n":`
    this.filter(parsed)
  }

  /** From its place on by another filter. */
  filter(parsed: ParsedFilter): void {
    this.parsed = parsed
    this.matches = matcherOf(this.channel, parsed.filter)
    this.shownFilter = JSON.stringify(presentFilter(parsed.filter))
    // What is shown is a double: lamports tell apart what that does not.
    this.shape = `${this.channel} ${this.form} ${parsed.filter.minLamports} ${this.shownFilter}`
  }

  get wanted(): FeedFilter {
    return this.parsed.filter
  }

  get locked(): string[] {
    return this.parsed.locked
  }

  get ignored(): string[] {
    return this.parsed.ignored
  }

  get place(): FeedOffset {
    const { own, tail } = this
    const isPassed = tail !== undefined && tail.sequence > own.sequence
    return isPassed ? { sequence: tail.sequence, eventCount: 0 } : own
  }

  set place(place: FeedOffset) {
    this.own = place
  }

  /** From now on all up to the tail is done with, but for what is put into frames. */
  follow(tail: Tail): void {
    this.tail = tail
  }

  unfollow(): void {
    this.own = this.place
    this.tail = undefined
  }

  /** null: not to be told yet, because what the tables gave is no place in FEED. */
  cursor(epoch: string): string | null {
    return this.isSettled ? writeCursor({ epoch, ...this.place }) : null
  }

  /** Whether FEED brings nothing any more that the tables gave. */
  get isSettled(): boolean {
    return this.place.sequence >= (this.history?.settledFrom ?? 0)
  }

  /** Whether what FEED brings next is not simply what others of its shape get. */
  get isApart(): boolean {
    return !this.isSettled || this.place.ahead !== undefined
  }

  /** Its place and count move behind a piece; the answer is the frame up to its cursor, in ASCII. */
  advance({ count, end }: Pick<Piece, 'count' | 'end'>): string {
    const { n } = this
    this.n += count
    this.own = end
    return this.head + n
  }

  /** How many events of a batch it has. */
  countIn(batch: FeedBatch): number {
    const { sequence, eventCount } = this.place
    return sequence + 1 === batch.sequence ? eventCount : 0
  }

  /** What of a gap's events it lacks; behind them its place is before the batch's own events. */
  *filledPieces(batch: FeedBatch): Generator<Piece, void, undefined> {
    const { filledCount, sequence } = batch
    const from = this.countIn(batch)
    const { ahead } = this.place
    const isDone = isDoneAhead(ahead, batch.markOf(0))
    const wanted: number[] = []
    for (let index = from; index < filledCount && !isDone; index++) {
      const event = batch.events[index] as FeedEvent
      if (this.matches(event) && !this.isKnown(batch, index)) wanted.push(index)
    }
    const end = { sequence: sequence - 1, eventCount: filledCount, ahead }
    for (const piece of piecesOf([batch], () => wanted, this.form)) {
      // The last one ends before the batch's own events, not with the batch.
      const isLast = piece.end.sequence === sequence
      yield { ...piece, end: isLast ? end : { ...piece.end, ahead } }
    }
    if (from < filledCount) this.own = end
  }

  /** What a run of batches brings, of which the first goes on where this stands; pieces move it on. */
  *pieces(batches: readonly FeedBatch[]): Generator<Piece, void, undefined> {
    const { sequence, eventCount } = this.place
    let { ahead } = this.place
    // Of another message than the next, where that is gone, they say nothing.
    let from = batches[0]?.sequence === sequence + 1 ? eventCount : 0
    const wantedIn = (batch: FeedBatch): number[] => {
      const mark = ahead === undefined || batch.isStored ? undefined : batch.mark
      const events = mark !== undefined && isDoneAhead(ahead, mark) ? [] : batch.events
      if (mark !== undefined) ahead = aheadAfter(ahead, mark)
      const wanted: number[] = []
      for (let index = from; index < events.length; index++) {
        const event = events[index] as FeedEvent
        if (this.matches(event) && !this.isKnown(batch, index)) wanted.push(index)
      }
      from = 0
      return wanted
    }
    for (const piece of piecesOf(batches, wantedIn, this.form)) {
      yield ahead === undefined ? piece : { ...piece, end: { ...piece.end, ahead } }
    }
    const last = batches.at(-1)
    if (last !== undefined) this.own = { sequence: last.sequence, eventCount: 0, ahead }
  }

  private isKnown(batch: FeedBatch, index: number): boolean {
    if (this.history === undefined || batch.isStored) return false
    return this.history.has(slotOf(batch.events[index] as FeedEvent), batch.markOf(index))
  }
}

/** Events of batches as pieces that fit a frame each. `wantedIn`: which of a batch, ascending. */
export function* piecesOf(
  batches: readonly FeedBatch[],
  wantedIn: (batch: FeedBatch) => readonly number[],
  form: Int64Form,
): Generator<Piece, void, undefined> {
  let open: Piece | undefined
  for (const batch of batches) {
    const { sequence } = batch
    for (const index of wantedIn(batch)) {
      const text = eventText(batch, index, form)
      // Base58, digits and names: a character is a byte.
      if (open !== undefined && isFull(open, text.length)) {
        yield { ...open, end: { sequence: sequence - 1, eventCount: index } }
        open = undefined
      }
      if (open === undefined) open = { text, count: 1, end: { sequence, eventCount: 0 } }
      else {
        open.text += `,${text}`
        open.count++
      }
    }
    if (open !== undefined) open.end = { sequence, eventCount: 0 }
  }
  if (open !== undefined) yield open
}

function isFull({ count, text }: Piece, more: number): boolean {
  return count >= FRAME_EVENTS_MAX || text.length + 1 + more > EVENTS_BYTES_MAX
}

function matcherOf(channel: EventChannel, filter: FeedFilter): Matches {
  if (channel === 'pool_events') {
    const matches = poolEventMatcher(filter)
    return (event) => event.kind === 'pool_event' && matches(event.poolEvent)
  }
  const matches = swapMatcher(filter)
  return (event) => event.kind === 'swap' && matches(event.swap, event.walletTags)
}
