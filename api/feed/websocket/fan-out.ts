/**
 * Delivers the newest messages of FEED to all subscriptions of the process that have caught up. Subscriptions with the
 * same filter and form are a group: each event is tested and serialized once per group.
 *
 * Invariant: a subscription that has joined gets every later event that matches its filter, once, in order, until it
 * leaves. Its position is then after the last event that it got, or after all messages that did not match.
 */
import { LRUCache } from 'lru-cache'
import { type FeedOffset, writeCursor } from '../../../streams/feed/feed-cursor.ts'
import type { EventChannel, FeedFilter } from '../filter.ts'
import type { FeedBatch } from '../log/batch.ts'
import { FilterLookup } from './filter-lookup.ts'
import { type Matches, piecesOf, type Subscription, type Tail } from './subscription.ts'

/** Items that fit a frame, serialized with everything after the head of the individual subscription. */
export type SharedPiece = { bytes: Buffer; count: number; end: FeedOffset }
type Deliver = (pieces: readonly SharedPiece[]) => void
/** Called before a message with a gap: the subscription must leave and continue by itself. */
type StepAside = () => void

/** Bytes of cached pieces, keys included, for subscriptions that reach a message later than others. */
const CACHED_BYTES_MAX = 32 * 1024 * 1024
const NAME_BYTES = 200
/** Bytes of a message from which lagging subscriptions share its frames; smaller ones are combined per subscription. */
export const SHARED_FROM_BYTES = 2 * 1024

/** Subscriptions with the same channel, filter and form. */
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
  /** Subscriptions that must skip events of FEED that the tables or a list gave them already. */
  private readonly alone = new Map<Subscription, (batch: FeedBatch) => void>()
  private readonly lookups: Readonly<Record<EventChannel, FilterLookup<Group>>> = {
    swaps: new FilterLookup(),
    pool_events: new FilterLookup(),
  }

  private readonly cached = new LRUCache<string, readonly SharedPiece[]>({
    maxSize: CACHED_BYTES_MAX,
    sizeCalculation: (pieces, name) =>
      pieces.reduce((sum, { bytes }) => sum + bytes.length, NAME_BYTES + 2 * name.length),
  })

  constructor(epoch: () => string) {
    this.epoch = epoch
  }

  /** Adds a subscription that has everything up to the newest message. */
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
    this.tail.sequence = Math.max(this.tail.sequence, subscription.offset.sequence)
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

  /** Cached pieces of a message for a subscription that reads it by itself, from its start. */
  piecesFor(subscription: Subscription, batch: FeedBatch): readonly SharedPiece[] {
    const { shape, matches, isReplay } = subscription
    const name = cacheKey(batch, shape, isReplay)
    const known = this.cached.get(name)
    if (known !== undefined) return known
    const indexes: number[] = []
    for (let index = 0; index < batch.events.length; index++) {
      if (matches(batch.events[index]!)) indexes.push(index)
    }
    const made = this.sharedPieces(batch, indexes, subscription, isReplay)
    this.cached.set(name, made)
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

  /** Resets for a replaced FEED, whose sequences start over. */
  onReplaced(): void {
    this.tail.sequence = 0
    this.cached.clear()
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
    const pieces = this.sharedPieces(batch, indexes, first, false)
    const isCached = group.members.size > 1 && batch.payload.length >= SHARED_FROM_BYTES
    if (isCached) this.cached.set(cacheKey(batch, group.shape, false), pieces)
    for (const deliver of group.members.values()) deliver(pieces)
  }

  private sharedPieces(
    batch: FeedBatch,
    indexes: readonly number[],
    { form, naming }: Pick<Subscription, 'form' | 'naming'>,
    isReplay: boolean,
  ): SharedPiece[] {
    const epoch = this.epoch()
    const replay = isReplay ? REPLAY_MARK : ''
    return [...piecesOf([batch], () => indexes, form, naming)].map(({ text, count, end }) => {
      const cursor = writeCursor({ epoch, ...end })
      return { bytes: frameRest(`"${cursor}"`, text, replay), count, end }
    })
  }
}

const cacheKey = ({ sequence }: FeedBatch, shape: string, isReplay: boolean): string =>
  `${sequence} ${isReplay} ${shape}`

/** Marks frames up to the head at the start of a subscription. */
export const REPLAY_MARK = ',"replay":true'

/** A data frame from its cursor on. ASCII only (base58, digits, names). */
export function frameRest(shownCursor: string, text: string, replay = ''): Buffer {
  return Buffer.from(`,"cursor":${shownCursor}${replay},"data":[${text}]}`, 'latin1')
}
