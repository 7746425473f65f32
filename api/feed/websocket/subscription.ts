/**
 * One lossless subscription: its position in FEED, and its frames. Pure.
 *
 * Invariant: the items of all frames are the events of FEED after its start that match its filter, each once, in order;
 * `n` counts them, and the cursor of a frame is the exact position after its items. The position advances with each
 * frame that is taken, so a consumer may stop after any frame.
 */

import type { VenueNaming } from '../../../domain/venue.ts'
import { type FeedEvent, slotOf } from '../../../streams/codec/event-codec.ts'
import {
  aheadAfter,
  type FeedOffset,
  isDoneAhead,
  writeCursor,
} from '../../../streams/feed/feed-cursor.ts'
import type { History } from '../../../streams/feed/table-history.ts'
import type { EventChannel } from '../filter.ts'
import {
  type FeedFilter,
  type ParsedFilter,
  poolEventMatcher,
  presentFilter,
  swapMatcher,
} from '../filter.ts'
import { asciiText, EVENTS_BYTES_MAX, FRAME_EVENTS_MAX, type Int64Form } from '../frame.ts'
import type { FeedBatch } from '../log/batch.ts'
import { eventText } from './protocol/present.ts'

/** Position shared by all subscriptions that follow the newest messages. */
export type Tail = { sequence: number }
export type Matches = (event: FeedEvent) => boolean

type Wanted = {
  name: string
  channel: EventChannel
  parsed: ParsedFilter
  form: Int64Form
  naming?: VenueNaming | undefined
  batchMs: number
}

/** Items from one batch or several that fit a frame; `end` is the position after them. */
export type Piece = { text: string; count: number; end: FeedOffset }

export class Subscription {
  readonly name: string
  readonly channel: EventChannel
  readonly form: Int64Form
  readonly naming: VenueNaming
  readonly batchMs: number
  /** Items sent so far. */
  n = 0
  /** Whether it lags the head that FEED had when it began; its frames then carry `replay`. */
  isReplay = false
  /** Events that the tables gave before FEED: not to be repeated. */
  history: History | undefined
  shownFilter = ''
  matches: Matches = () => true
  /** Key of the group of subscriptions that get the same texts. */
  shape = ''
  private readonly head: string
  private parsed: ParsedFilter
  private own: FeedOffset
  private tail: Tail | undefined

  constructor(
    { name, channel, parsed, form, naming = 'ids', batchMs }: Wanted,
    offset: FeedOffset,
  ) {
    this.name = name
    this.channel = channel
    this.form = form
    this.naming = naming
    this.batchMs = batchMs
    this.own = offset
    this.parsed = parsed
    this.head = `{"type":"data","sub":${asciiText(name)},"channel":"${channel}","n":`
    this.filter(parsed)
  }

  /** Sets the filter from the current position on. */
  filter(parsed: ParsedFilter): void {
    this.parsed = parsed
    this.matches = matcherOf(this.channel, parsed.filter)
    this.shownFilter = JSON.stringify(presentFilter(parsed.filter, this.naming))
    // The shown min_sol is a double, which different lamports may share: the shape contains the lamports, too.
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

  get offset(): FeedOffset {
    const { own, tail } = this
    const isPassed = tail !== undefined && tail.sequence > own.sequence
    return isPassed ? { sequence: tail.sequence, eventCount: 0 } : own
  }

  set offset(offset: FeedOffset) {
    this.own = offset
  }

  /** Follows the shared tail from now on: everything up to it is done; frames of the next message may be further. */
  follow(tail: Tail): void {
    this.tail = tail
  }

  unfollow(): void {
    this.own = this.offset
    this.tail = undefined
  }

  /** null while no position in FEED covers the events that the tables gave. */
  cursor(epoch: string): string | null {
    return this.isSettled ? writeCursor({ epoch, ...this.offset }) : null
  }

  /** Whether FEED can no longer repeat events that the tables gave. */
  get isSettled(): boolean {
    return this.offset.sequence >= (this.history?.settledFrom ?? 0)
  }

  /** Whether it must skip events that others of its shape get, so that it cannot share their frames. */
  get isApart(): boolean {
    return !this.isSettled || this.offset.ahead !== undefined
  }

  /** Advances position and count past a piece; returns the start of the frame, up to its cursor, in ASCII. */
  advance({ count, end }: Pick<Piece, 'count' | 'end'>): string {
    const { n } = this
    this.n += count
    this.own = end
    return this.head + n
  }

  /** Number of events of a batch that are done already. */
  countIn(batch: FeedBatch): number {
    const { sequence, eventCount } = this.offset
    return sequence + 1 === batch.sequence ? eventCount : 0
  }

  /** Pieces of the gap's events that it lacks; leaves the position before the batch's own events. */
  *filledPieces(batch: FeedBatch): Generator<Piece, void, undefined> {
    const { filledCount, sequence } = batch
    const from = this.countIn(batch)
    const { ahead } = this.offset
    const isDone = isDoneAhead(ahead, batch.markOf(0))
    const wanted: number[] = []
    for (let index = from; index < filledCount && !isDone; index++) {
      const event = batch.events[index] as FeedEvent
      if (this.matches(event) && !this.isKnown(batch, index)) wanted.push(index)
    }
    const end = { sequence: sequence - 1, eventCount: filledCount, ahead }
    for (const piece of piecesOf([batch], () => wanted, this.form, this.naming)) {
      // The last one ends before the batch's own events, not with the batch.
      const isLast = piece.end.sequence === sequence
      yield { ...piece, end: isLast ? end : { ...piece.end, ahead } }
    }
    if (from < filledCount) this.own = end
  }

  /** Pieces of a run of batches, the first of which continues at the position; `advance` moves past each piece. */
  *pieces(batches: readonly FeedBatch[]): Generator<Piece, void, undefined> {
    const { sequence, eventCount } = this.offset
    let { ahead } = this.offset
    // The event count refers to the next message; if that is gone, it does not apply to the one after it.
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
    for (const piece of piecesOf(batches, wantedIn, this.form, this.naming)) {
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

/** Events of batches as pieces that fit a frame each. `wantedIn`: indexes of the events of a batch, ascending. */
export function* piecesOf(
  batches: readonly FeedBatch[],
  wantedIn: (batch: FeedBatch) => readonly number[],
  form: Int64Form,
  naming: VenueNaming = 'ids',
): Generator<Piece, void, undefined> {
  let open: Piece | undefined
  for (const batch of batches) {
    const { sequence } = batch
    for (const index of wantedIn(batch)) {
      const text = eventText(batch, index, form, naming)
      // ASCII only (base58, digits, names): length in characters is length in bytes.
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
