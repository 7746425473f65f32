/**
 * State of one client of the WebSocket feed: its subscriptions, and the effects of each of its frames. Pure: time is an
 * argument, and effects are returned.
 *
 * Invariant: every frame of a client is answered by its result or by an error with the reason. A client that sends too
 * many frames, or too many invalid ones, is closed with the code of protocol/close.ts.
 */

import { counted } from '../../../domain/text/plural.ts'
import { TokenBucket } from '../../../domain/token-bucket.ts'
import type { VenueNaming } from '../../../domain/venue.ts'
import {
  CURSOR_LENGTH_MAX,
  type FeedOffset,
  readCursor,
} from '../../../streams/feed/feed-cursor.ts'
import type { Tier } from '../../routing/caller.ts'
import { newestNeeded } from '../ahead.ts'
import { type FeedCode, FeedError } from '../feed-error.ts'
import { EVENT_CHANNELS, type EventChannel, FilterError, parseFilter } from '../filter.ts'
import { FRAME_BYTES_MAX } from '../frame.ts'
import { parseLatestFilter } from '../latest/filter.ts'
import { LATEST_CHANNELS } from '../latest/schema.ts'
import { LatestSubscription } from '../latest/subscription.ts'
import type { LatestValues } from '../latest/values.ts'
import { CLOSES, type Close } from './protocol/close.ts'
import { type Echo, echoOf, readRequest } from './protocol/request.ts'
import { CHANNELS, type Request } from './protocol/schema.ts'
import { Subscription } from './subscription.ts'

type FeedState = { epoch: string; first: number; head: number }
export type Frame = { type: string } & Record<string, unknown>

/** Subscription to events or to latest values. */
export type Subscribed = Subscription | LatestSubscription

/**
 * Start of a subscription: a position of FEED, or the stored events from a slot on. `ahead`: the position is newer than
 * what this process has read; the error to send if it is not reached in time.
 */
export type Beginning = { offset: FeedOffset; ahead?: FeedError } | { slot: number }

export type Effect =
  | { kind: 'send'; frame: Frame }
  /** Starts a subscription. `subscribed` is sent once it has begun, with the cursor of its start. */
  | { kind: 'begin'; subscription: Subscription; from: Beginning; echo: Echo }
  | { kind: 'watch'; subscription: LatestSubscription; echo: Echo }
  | { kind: 'change'; subscription: Subscribed }
  | { kind: 'end'; subscription: Subscribed }
  | { kind: 'close'; close: Close }

type SessionOptions = {
  tier: Tier
  subscriptionsMax: number
  state: () => FeedState
  /** Throws FeedError if the process would watch too many latest values; see LatestValues. */
  expectRoom: LatestValues['expectRoom']
  /** Absent: venues are `venue_<id>`. */
  venueNames?: VenueNaming | undefined
}

/** Requests per second: sustained rate and burst. */
export const REQUESTS_PER_SECOND = 20
const REQUESTS_AT_ONCE = 100
/**
 * Pings and pongs of the WebSocket protocol: sustained rate and burst. Every ping is answered, so the burst is well
 * above what any library sends; a client that exceeds it is disconnected.
 */
const CONTROL_FRAMES = { perSecond: 50, atOnce: 1_000 }
/** Bytes of a listed subscription without its filter, mostly the cursor. */
const LISTED_BYTES_MAX = CURSOR_LENGTH_MAX + 512
/** Rate-limited requests, and invalid frames, at which the connection is closed. */
const REFUSED_MAX = 200
const FAULTY_MAX = 20

const FAULTY: ReadonlySet<FeedCode> = new Set(['BAD_JSON', 'BAD_REQUEST', 'UNKNOWN_OP'])

export class Session {
  readonly subscriptions = new Map<string, Subscribed>()
  /** Subscriptions whose `subscribed` frame is pending, with the fields that it echoes. */
  private readonly unanswered = new WeakMap<Subscribed, Echo>()
  private readonly options: SessionOptions
  private readonly requests = new TokenBucket(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
  private readonly controlFrames = new TokenBucket(CONTROL_FRAMES.perSecond, CONTROL_FRAMES.atOnce)
  private refusedCount = 0
  private faultyCount = 0

  constructor(options: SessionOptions) {
    this.options = options
  }

  /** Effects of a text frame; `undefined`: the frame was binary. */
  receive(text: string | undefined, nowMs: number): Effect[] {
    if (!this.admits(nowMs)) return this.refuse(text === undefined ? {} : echoOf(text))
    if (text === undefined) return this.fail(new FeedError('BAD_REQUEST', 'expected text'), {})
    try {
      return this.apply(readRequest(text), nowMs)
    } catch (error) {
      return this.fail(error, echoOf(text))
    }
  }

  /** Effects of a ping or pong of the WebSocket protocol; none: it is within the rate limit. */
  receiveControl(nowMs: number): Effect[] {
    if (this.controlFrames.take(nowMs)) return []
    const { perSecond } = CONTROL_FRAMES
    const text = `too many pings or pongs: expected at most ${perSecond} a second`
    const error = errorFrame(new FeedError('RATE_LIMITED', text), {}, true)
    return [sending(error), { kind: 'close', close: CLOSES.abuse }]
  }

  /** Cursors to resume from, by name of subscription. */
  cursors(): Record<string, string | null> {
    const { epoch } = this.options.state()
    const all = [...this.subscriptions.values()]
    return Object.fromEntries(all.map((each) => [each.name, each.cursor(epoch)]))
  }

  heartbeat(nowMs: number): Frame {
    const { epoch, head } = this.options.state()
    const all = [...this.subscriptions.values()]
    const subs = all.map((each) => [each.name, { n: each.n, cursor: each.cursor(epoch) }])
    return { type: 'heartbeat', t: nowMs, head, subs: Object.fromEntries(subs) }
  }

  /** Frame that confirms that a subscription has begun. */
  subscribed(subscription: Subscribed, echo: Echo): Frame {
    this.unanswered.delete(subscription)
    return { type: 'subscribed', ...echo, ...this.shown(subscription) }
  }

  /** Removes a subscription that failed; returns its error frame. */
  drop(subscription: Subscribed, error: FeedError): Frame {
    this.subscriptions.delete(subscription.name)
    return errorFrame(error, this.unanswered.get(subscription) ?? { sub: subscription.name })
  }

  private apply(request: Request, nowMs: number): Effect[] {
    switch (request.op) {
      case 'subscribe':
        return [this.subscribe(request)]
      case 'update':
        return this.update(request)
      case 'unsubscribe':
        return this.unsubscribe(request)
      case 'list':
        return this.list(request)
      case 'ping': {
        const t = request.t === undefined ? {} : { t: request.t }
        return [sending({ type: 'pong', ...idOf(request), ...t, server_time: nowMs })]
      }
      default:
        return request satisfies never
    }
  }

  private subscribe(request: Request & { op: 'subscribe' }): Effect {
    const { sub: name, batch_ms: batchMs = 0, int64: form = 'number' } = request
    const { subscriptionsMax, tier, venueNames: naming } = this.options
    if (this.subscriptions.has(name)) {
      throw new FeedError('DUPLICATE_SUB', `"${name}" is subscribed already: take another name`)
    }
    if (this.subscriptions.size >= subscriptionsMax) {
      const text = `tier "${tier}" may hold at most ${counted(subscriptionsMax, 'subscription')}`
      throw new FeedError('TOO_MANY_SUBSCRIPTIONS', text, { subscriptions: subscriptionsMax })
    }
    const echo = { ...idOf(request), sub: name }
    const latest = LATEST_CHANNELS.find((each) => each === request.channel)
    if (latest !== undefined) {
      const wanted = parseLatestFilter(request.filter, latest, naming)
      this.options.expectRoom(latest, wanted.subjects)
      const subscription = new LatestSubscription({ name, channel: latest, wanted, form, batchMs })
      this.subscriptions.set(name, subscription)
      return { kind: 'watch', subscription, echo }
    }
    const channel = eventChannelOf(request.channel)
    const parsed = parseFilter(request.filter, channel, tier)
    const from = this.beginning(request.from ?? 'live')
    const { head } = this.options.state()
    const offset = 'offset' in from ? from.offset : { sequence: head, eventCount: 0 }
    const subscription = new Subscription({ name, channel, parsed, form, naming, batchMs }, offset)
    subscription.isReplay = 'slot' in from || offset.sequence < head
    this.subscriptions.set(name, subscription)
    this.unanswered.set(subscription, echo)
    return { kind: 'begin', subscription, from, echo }
  }

  private beginning(from: NonNullable<(Request & { op: 'subscribe' })['from']>): Beginning {
    const { epoch, first, head } = this.options.state()
    if (from === 'live') return { offset: { sequence: head, eventCount: 0 } }
    if (!('cursor' in from)) return from
    const cursor = readCursor(from.cursor)
    if (cursor === undefined) {
      throw new FeedError('CURSOR_INVALID', 'cursor: expected <epoch>-<sequence>')
    }
    const details = { epoch, first, head }
    if (cursor.epoch !== epoch) {
      const text = `the stream is "${epoch}" now: begin by a slot, or live`
      throw new FeedError('CURSOR_EPOCH_CHANGED', text, details)
    }
    const { epoch: _, ...offset } = cursor
    if (newestNeeded(offset) > head) {
      const ahead = new FeedError('CURSOR_AHEAD', `the stream ends at ${head}`, details)
      return { offset, ahead }
    }
    if (offset.sequence < first - 1) {
      if (from.slot !== undefined) return { slot: from.slot }
      const text = `the stream begins at ${first}: begin by a slot, from the stored events`
      throw new FeedError('CURSOR_EXPIRED', text, details)
    }
    return { offset }
  }

  private update(request: Request & { op: 'update' }): Effect[] {
    const subscription = this.find(request.sub)
    if (subscription instanceof LatestSubscription) {
      const wanted = parseLatestFilter(
        request.filter,
        subscription.channel,
        this.options.venueNames,
      )
      this.options.expectRoom(subscription.channel, wanted.subjects, subscription)
      subscription.filter(wanted)
    } else {
      const { tier } = this.options
      subscription.filter(parseFilter(request.filter, subscription.channel, tier))
    }
    const frame = { type: 'updated', ...idOf(request), ...this.shown(subscription) }
    return [sending(frame), { kind: 'change', subscription }]
  }

  private unsubscribe(request: Request & { op: 'unsubscribe' }): Effect[] {
    const { sub } = request
    const ended = sub === '*' ? [...this.subscriptions.values()] : [this.find(sub)]
    const { epoch } = this.options.state()
    const cursors = Object.fromEntries(ended.map((each) => [each.name, each.cursor(epoch)]))
    for (const { name } of ended) this.subscriptions.delete(name)
    const frame = { type: 'unsubscribed', ...idOf(request), sub, cursors }
    return [...ended.map((subscription): Effect => ({ kind: 'end', subscription })), sending(frame)]
  }

  /** Lists the subscriptions, in several frames if they do not fit one. */
  private list(request: Request & { op: 'list' }): Effect[] {
    const parts: Subscribed[][] = [[]]
    let bytes = 0
    for (const subscription of this.subscriptions.values()) {
      const more = subscription.shownFilter.length + LISTED_BYTES_MAX
      if (bytes > 0 && bytes + more > FRAME_BYTES_MAX) {
        parts.push([])
        bytes = 0
      }
      parts.at(-1)?.push(subscription)
      bytes += more
    }
    return parts.map((part, index) => {
      const subs = part.map((each) => this.listed(each))
      const final = index === parts.length - 1
      return sending({ type: 'subscriptions', ...idOf(request), subs, final })
    })
  }

  private find(name: string): Subscribed {
    const found = this.subscriptions.get(name)
    if (found === undefined) throw new FeedError('UNKNOWN_SUB', `subscription "${name}" not found`)
    return found
  }

  private listed(subscription: Subscribed) {
    const { name, channel, n, isReplay, shownFilter } = subscription
    return {
      sub: name,
      channel,
      filter: JSON.parse(shownFilter) as unknown,
      n,
      cursor: subscription.cursor(this.options.state().epoch),
      mode: isReplay ? 'replay' : 'live',
    }
  }

  private shown(subscription: Subscribed) {
    const { n: _, ...listed } = this.listed(subscription)
    const { locked, ignored } = subscription
    return { ...listed, tier_locked_filters: locked, ignored_filters: ignored }
  }

  private fail(error: unknown, echo: Echo): Effect[] {
    const reported =
      error instanceof FilterError
        ? new FeedError(error.code, error.message)
        : error instanceof FeedError
          ? error
          : new FeedError('INTERNAL', 'internal server error')
    const isFatal = FAULTY.has(reported.code) && ++this.faultyCount >= FAULTY_MAX
    const frame = sending(errorFrame(reported, echo, isFatal))
    return isFatal ? [frame, { kind: 'close', close: CLOSES.protocol }] : [frame]
  }

  private admits(nowMs: number): boolean {
    // A client that was idle until its burst is full again starts with a clean count.
    if (this.requests.isFull(nowMs)) this.refusedCount = 0
    return this.requests.take(nowMs)
  }

  private refuse(echo: Echo): Effect[] {
    const isFatal = ++this.refusedCount >= REFUSED_MAX
    const error = new FeedError('RATE_LIMITED', 'too many requests on this connection: wait')
    const frame = {
      ...errorFrame(error, echo, isFatal),
      retry_after_ms: 1_000 / REQUESTS_PER_SECOND,
    }
    return isFatal ? [sending(frame), { kind: 'close', close: CLOSES.abuse }] : [sending(frame)]
  }
}

export function errorFrame(error: FeedError, echo: Echo, isFatal = false): Frame {
  const { code, message, details } = error
  return {
    type: 'error',
    ...echo,
    code,
    message,
    fatal: isFatal,
    ...(details === undefined ? {} : { details }),
  }
}

function sending(frame: Frame): Effect {
  return { kind: 'send', frame }
}

function idOf({ id }: { id?: string | number }): Echo {
  return id === undefined ? {} : { id }
}

function eventChannelOf(text: string): EventChannel {
  const found = EVENT_CHANNELS.find((channel) => channel === text)
  if (found !== undefined) return found
  throw new FeedError(
    'UNKNOWN_CHANNEL',
    `unknown channel "${text}": use one of ${CHANNELS.join(' ')}`,
  )
}
