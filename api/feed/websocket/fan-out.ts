/**
 * The newest messages of FEED to all subscriptions of the process that have everything before: each event is
 * tested once for those who want the same, and written once for all of them.
 *
 * Law: whoever has joined gets every later event that its filter lets through, once, in order, until it
 * leaves; its place then is behind the last one it got, or behind all that was passed over.
 */
import { LRUCache } from 'lru-cache'
import { type FeedOffset, writeCursor } from '../../../streams/feed/feed-cursor.ts'
import type { FeedFilter } from '../filter.ts'
import type { FeedBatch } from '../log/batch.ts'
import { FilterLookup } from './filter-lookup.ts'
import type { Int64Form } from './protocol/present.ts'
import type { EventChannel } from './protocol/schema.ts'
import { type Matches, piecesOf, type Subscription, type Tail } from './subscription.ts'

/** What fits a frame; the text behind the part that is each subscription's own is made already. */
export type SharedPiece = { bytes: Buffer; count: number; end: FeedOffset }
export type Deliver = (pieces: readonly SharedPiece[]) => void
/** The next message has a gap before it: the subscription is to leave, and go on by itself. */
export type StepAside = () => void

/** Bytes of pieces that are kept for those who come to a message later than others, with their names. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024
const NAME_BYTES = 200
/** Messages from which on a frame of their own is worth it: those of many are made anew for each run. */
export const SHARED_FROM_BYTES = 2 * 1024

/** Subscriptions that want the same in the same form. */
type Group = {
  readonly shape: string
  readonly channel: EventChannel
  readonly wanted: FeedFilter
  readonly matches: Matches
  readonly members: Map<Subscription, Deliver>
}

export class FanOut {
  private readonly epoch: () => string
  private readonly tail: Tail = { sequence: 0 }
  private readonly groups = new Map<string, Group>()
  private readonly groupOf = new Map<Subscription, Group>()
  private readonly asides = new Map<Subscription, StepAside>()
  /** Those who have something already that FEED may bring again: the tables or a list gave it. */
  private readonly alone = new Map<Subscription, (batch: FeedBatch) => void>()
  private readonly lookups: Readonly<Record<EventChannel, FilterLookup<Group>>> = {
    swaps: new FilterLookup(),
    pool_events: new FilterLookup(),
  }

  private readonly kept = new LRUCache<string, readonly SharedPiece[]>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: (pieces, name) =>
      pieces.reduce((sum, { bytes }) => sum + bytes.length, NAME_BYTES + 2 * name.length),
  })

  constructor(epoch: () => string) {
    this.epoch = epoch
  }

  /** It has all up to the newest message. */
  join(subscription: Subscription, deliver: Deliver, stepAside: StepAside = () => {}): void {
    this.asides.set(subscription, stepAside)
    const { shape, channel, wanted, matches } = subscription
    let group = this.groups.get(shape)
    if (group === undefined) {
      group = { shape, channel, wanted, matches, members: new Map() }
      this.groups.set(shape, group)
      this.lookups[channel].add(group, wanted)
    }
    group.members.set(subscription, deliver)
    this.groupOf.set(subscription, group)
    this.tail.sequence = Math.max(this.tail.sequence, subscription.place.sequence)
    subscription.follow(this.tail)
  }

  joinAlone(subscription: Subscription, deliver: (batch: FeedBatch) => void): void {
    this.alone.set(subscription, deliver)
  }

  leave(subscription: Subscription): void {
    this.alone.delete(subscription)
    const group = this.groupOf.get(subscription)
    if (group === undefined) return
    subscription.unfollow()
    this.asides.delete(subscription)
    this.groupOf.delete(subscription)
    group.members.delete(subscription)
    if (group.members.size > 0) return
    this.groups.delete(group.shape)
    this.lookups[group.channel].delete(group, group.wanted)
  }

  has(subscription: Subscription): boolean {
    return this.groupOf.has(subscription) || this.alone.has(subscription)
  }

  /** What a message brings whoever wants the same; for those that come to it by themselves, from its start. */
  piecesFor(subscription: Subscription, batch: FeedBatch): readonly SharedPiece[] {
    const { shape, matches, form, isReplay } = subscription
    const name = keptName(batch, shape, isReplay)
    const known = this.kept.get(name)
    if (known !== undefined) return known
    const indexes: number[] = []
    for (let index = 0; index < batch.events.length; index++) {
      if (matches(batch.events[index]!)) indexes.push(index)
    }
    const made = this.sharedPieces(batch, indexes, form, isReplay)
    this.kept.set(name, made)
    return made
  }

  onBatch(batch: FeedBatch): void {
    if (batch.gap !== undefined) for (const stepAside of [...this.asides.values()]) stepAside()
    if (this.groups.size > 0) {
      for (const [group, indexes] of this.wantedBy(batch)) this.distribute(group, batch, indexes)
    }
    this.tail.sequence = batch.sequence
    for (const deliver of this.alone.values()) deliver(batch)
  }

  /** FEED is another one: sequences begin anew. */
  onReplaced(): void {
    this.tail.sequence = 0
    this.kept.clear()
  }

  private wantedBy(batch: FeedBatch): Map<Group, number[]> {
    const wanted = new Map<Group, number[]>()
    const { events } = batch
    for (let index = 0; index < events.length; index++) {
      const event = events[index]!
      this.lookups[event.kind === 'swap' ? 'swaps' : 'pool_events'].visit(event, (group) => {
        if (!group.matches(event)) return
        const known = wanted.get(group)
        if (known === undefined) wanted.set(group, [index])
        else known.push(index)
      })
    }
    return wanted
  }

  private distribute(group: Group, batch: FeedBatch, indexes: readonly number[]): void {
    const [first] = group.members.keys()
    if (first === undefined) return
    const pieces = this.sharedPieces(batch, indexes, first.form, false)
    const isKept = group.members.size > 1 && batch.payload.length >= SHARED_FROM_BYTES
    if (isKept) this.kept.set(keptName(batch, group.shape, false), pieces)
    for (const deliver of group.members.values()) deliver(pieces)
  }

  private sharedPieces(
    batch: FeedBatch,
    indexes: readonly number[],
    form: Int64Form,
    isReplay: boolean,
  ): SharedPiece[] {
    const epoch = this.epoch()
    const replay = isReplay ? REPLAY_MARK : ''
    return [...piecesOf([batch], () => indexes, form)].map(({ text, count, end }) => {
      const cursor = writeCursor({ epoch, ...end })
      return { bytes: frameRest(`"${cursor}"`, text, replay), count, end }
    })
  }
}

const keptName = ({ sequence }: FeedBatch, shape: string, isReplay: boolean): string =>
  `${sequence} ${isReplay} ${shape}`

/** In the frames of a subscription that is behind what there was when it began. */
export const REPLAY_MARK = ',"replay":true'

/** A data frame from its cursor on. Base58, digits and names: a character is a byte. */
export function frameRest(shownCursor: string, text: string, replay = ''): Buffer {
  return Buffer.from(`,"cursor":${shownCursor}${replay},"data":[${text}]}`, 'latin1')
}
