/**
 * Delivers the lossless subscriptions of one WebSocket from FEED, with backpressure from the client.
 *
 *   catching-up --- caught up ---> live --- event with batch_ms ---> batching
 *    |  ^  ^------ event after a gap ---'|                               |
 *    |  |  '---------------- batch_ms has passed ------------------------'
 *    |  '--- the client has read --- paused <--- too many bytes unsent: from live and catching-up
 *
 * Invariant: unread data of a client is buffered only up to the bound, and never skipped.
 */
import assert from 'node:assert/strict'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { FeedOffset } from '../../../streams/feed/feed-cursor.ts'
import { hasRead, newestNeeded } from '../ahead.ts'
import type { FeedError } from '../feed-error.ts'
import { presentGap } from '../gap.ts'
import type { FeedBatch } from '../log/batch.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import { positionOfSlot, StoredPages, settle } from '../log/past.ts'
import type { StoredEvents } from '../log/stored.ts'
import {
  type FanOut,
  frameRest,
  REPLAY_MARK,
  SHARED_FROM_BYTES,
  type SharedPiece,
} from './fan-out.ts'
import type { Timing } from './protocol/timing.ts'
import type { Beginning, Frame, Subscribed } from './session.ts'
import type { Piece, Subscription } from './subscription.ts'

/** Messages of FEED that are processed at once. */
const RUN_LENGTH = 32

/** Interface of the connection for deliveries. */
export type Out = {
  /** Aborted when nothing can be sent any longer. */
  readonly ended: AbortSignal
  /** Backpressure: too many bytes are unsent, so only small control frames may be written. Holds after the end, too. */
  readonly isBlocked: boolean
  send(frame: Frame): void
  /** Sends a frame of two parts; the head is ASCII, the body may be shared. */
  frame(head: string, body: Uint8Array): void
  /** Whether the client still has the subscription. */
  isWanted(subscription: Subscribed): boolean
  /** Ends a subscription with an error. */
  fail(subscription: Subscribed, error: unknown): void
}

type LogDeliveryDeps = {
  hub: FeedHub
  stored: StoredEvents
  fanOut: FanOut
  timing: Timing
}

/** State of a subscription, drawn above, from its begin until it leaves. */
type DeliveryMode = 'begun' | 'catching-up' | 'live' | 'batching' | 'paused' | 'left'

const NEXT_MODES: Readonly<Record<DeliveryMode, readonly DeliveryMode[]>> = {
  begun: ['catching-up'],
  'catching-up': ['live', 'paused', 'left'],
  live: ['live', 'catching-up', 'batching', 'paused', 'left'],
  batching: ['catching-up', 'left'],
  paused: ['catching-up', 'left'],
  left: [],
}

export class LogDelivery {
  private readonly deps: LogDeliveryDeps
  private readonly out: Out
  /** All subscriptions that have begun and not left. */
  private readonly modes = new Map<Subscription, DeliveryMode>()
  /** Timers of those that batch. */
  private readonly flushes = new Map<Subscription, NodeJS.Timeout>()
  /** The one subscription whose table page is read or written, so that at most one page is held per client. */
  private paging: Subscription | undefined
  /** Wake functions of subscriptions that wait for a page or for the client to read, the longest waiting first. */
  private readonly waiting = new Map<Subscription, () => void>()

  constructor(deps: LogDeliveryDeps, out: Out) {
    this.deps = deps
    this.out = out
  }

  /** Calls `onStarted` when the start is known, and delivers until `leave`. */
  begin(subscription: Subscription, from: Beginning, onStarted: () => void): void {
    if ('offset' in from && from.ahead !== undefined) {
      void this.waitFor(subscription, from.offset, from.ahead, onStarted)
    } else if ('offset' in from) {
      onStarted()
      void this.catchUp(subscription)
    } else void this.beginStored(subscription, from.slot, onStarted)
  }

  /** The filter of the subscription changed. */
  refresh(subscription: Subscription): void {
    if (this.isIn(subscription, 'live')) this.join(subscription)
  }

  leave(subscription: Subscription): void {
    if (this.modes.has(subscription)) this.enter(subscription, 'left')
    this.waiting.get(subscription)?.()
  }

  /** The client lags: stops delivery. */
  block(): void {
    for (const [subscription, mode] of this.modes) {
      if (mode === 'live') this.enter(subscription, 'paused')
    }
  }

  /** The client has read again, or has disconnected. */
  resume(): void {
    for (const wake of [...this.waiting.values()]) wake()
    for (const [subscription, mode] of this.modes) {
      if (mode === 'paused') void this.catchUp(subscription)
    }
  }

  /** The only writer of `modes`. A subscription is in the fan-out while it is live, and has a timer while it batches. */
  private enter(subscription: Subscription, mode: DeliveryMode): void {
    const before = this.modes.get(subscription) ?? 'begun'
    assert(NEXT_MODES[before].includes(mode), `a subscription ${before} cannot be ${mode}`)
    if (before === 'live') this.deps.fanOut.leave(subscription)
    clearTimeout(this.flushes.get(subscription))
    this.flushes.delete(subscription)
    if (mode === 'left') this.modes.delete(subscription)
    else this.modes.set(subscription, mode)
  }

  private isIn(subscription: Subscription, mode: DeliveryMode): boolean {
    return this.modes.get(subscription) === mode
  }

  private async waitFor(
    subscription: Subscription,
    offset: FeedOffset,
    ahead: FeedError,
    onStarted: () => void,
  ): Promise<void> {
    const { hub, timing } = this.deps
    const isThere = await hasRead(hub, newestNeeded(offset), timing.aheadMs, this.out.ended)
    if (!this.out.isWanted(subscription)) return
    if (isThere) this.begin(subscription, { offset }, onStarted)
    else this.out.fail(subscription, ahead)
  }

  /** Delivers from the tables, then from FEED after the head at the start. */
  private async beginStored(
    subscription: Subscription,
    slot: number,
    onStarted: () => void,
  ): Promise<void> {
    const { stored, hub } = this.deps
    const { ended } = this.out
    const from = positionOfSlot(hub, slot)
    const { sequence, history } = from
    subscription.offset = { sequence, eventCount: 0 }
    subscription.history = history
    this.enter(subscription, 'catching-up')
    onStarted()
    const pages = new StoredPages(stored, subscription.channel, from)
    try {
      while (await this.givePage(subscription, pages)) {}
    } catch (error) {
      this.out.fail(subscription, error)
      return
    }
    if (!this.isWanted(subscription)) return
    void settle(history, this.deps, () => this.modes.has(subscription), ended)
    await this.readOn(subscription)
  }

  /**
   * Delivers one page; false: there is no other page, or the subscription has left. The rest of a page that waited for
   * the client uses the filter of the time when it is sent.
   */
  private async givePage(subscription: Subscription, pages: StoredPages): Promise<boolean> {
    try {
      if (!(await this.mayPage(subscription))) return false
      const page = await pages.next(this.out.ended)
      if (page === undefined) return false
      do {
        // A subscription that was woken earlier may have filled the drained buffer.
        if (!(await this.mayPage(subscription))) return false
        this.putOwn(subscription, [page])
      } while (subscription.offset.eventCount > 0)
      return true
    } finally {
      if (this.paging === subscription) this.endPaging()
    }
  }

  /** Waits until the subscription may read or write a page; false: it has left. */
  private async mayPage(subscription: Subscription): Promise<boolean> {
    while (this.isWanted(subscription)) {
      this.paging ??= subscription
      if (this.paging === subscription && !this.out.isBlocked) return true
      await new Promise<void>((resolve) => {
        this.waiting.set(subscription, () => {
          this.waiting.delete(subscription)
          resolve()
        })
      })
    }
    return false
  }

  /** Passes the page slot to the longest waiting subscription. */
  private endPaging(): void {
    const [next] = this.waiting.keys()
    this.paging = next
    if (next !== undefined) this.waiting.get(next)?.()
  }

  /** Delivers from its position to the head, from memory or, for older messages, from the stream. */
  private async catchUp(subscription: Subscription): Promise<void> {
    this.enter(subscription, 'catching-up')
    await this.readOn(subscription)
  }

  private async readOn(subscription: Subscription): Promise<void> {
    try {
      while (this.isGoing(subscription)) {
        const { hub } = this.deps
        const next = subscription.offset.sequence + 1
        if (next > hub.head()) {
          this.goLive(subscription)
          return
        }
        const held = hub.held(next, RUN_LENGTH)
        if (held === undefined) await this.readPast(subscription, next)
        else {
          this.put(subscription, held)
          await yieldToOthers()
        }
      }
    } catch (error) {
      this.out.fail(subscription, error)
    } finally {
      if (this.isIn(subscription, 'catching-up')) this.enter(subscription, 'paused')
    }
  }

  private async readPast(subscription: Subscription, from: number): Promise<void> {
    const { hub } = this.deps
    let run: FeedBatch[] = []
    for await (const batch of hub.readFrom(from, this.out.ended)) {
      // The subscription may have left during the read.
      if (!this.isGoing(subscription)) return
      run.push(batch)
      const isHeldNow = hub.held(batch.sequence + 1, 0) !== undefined
      if (run.length < RUN_LENGTH && !isHeldNow) continue
      this.put(subscription, run)
      run = []
      // A client that does not read must not hold a reader of the stream.
      if (isHeldNow || !this.isGoing(subscription)) return
    }
  }

  private isGoing(subscription: Subscription): boolean {
    return !this.out.isBlocked && this.isWanted(subscription)
  }

  private isWanted(subscription: Subscription): boolean {
    return !this.out.ended.aborted && this.modes.has(subscription)
  }

  private goLive(subscription: Subscription): void {
    if (subscription.isReplay) {
      const cursor = subscription.cursor(this.deps.hub.epoch)
      subscription.isReplay = false
      this.out.send({ type: 'caught_up', sub: subscription.name, cursor })
    }
    if (this.isGoing(subscription)) this.join(subscription)
  }

  private join(subscription: Subscription): void {
    const { fanOut } = this.deps
    this.enter(subscription, 'live')
    if (subscription.isSettled) subscription.history = undefined
    if (!subscription.isApart) {
      fanOut.join(
        subscription,
        (pieces) => this.deliver(subscription, pieces),
        () => this.stepAside(subscription),
      )
    } else fanOut.joinAlone(subscription, (batch) => this.deliverAlone(subscription, batch))
  }

  private deliver(subscription: Subscription, pieces: readonly SharedPiece[]): void {
    if (subscription.batchMs > 0) {
      this.batch(subscription)
      return
    }
    for (const piece of pieces) {
      this.out.frame(subscription.advance(piece), piece.bytes)
      if (this.out.isBlocked) return
    }
  }

  /** The next message has a gap before it, which each subscription reports separately. */
  private stepAside(subscription: Subscription): void {
    if (this.isIn(subscription, 'live')) void this.catchUp(subscription)
  }

  private deliverAlone(subscription: Subscription, batch: FeedBatch): void {
    if (subscription.batchMs > 0) this.batch(subscription)
    else {
      this.put(subscription, [batch])
      if (!subscription.isApart && this.isIn(subscription, 'live')) this.join(subscription)
    }
  }

  private put(subscription: Subscription, batches: readonly FeedBatch[]): void {
    const at = batches.findIndex(({ gap }) => gap !== undefined)
    if (at < 0) {
      this.putRun(subscription, batches)
      return
    }
    if (at > 0) this.putRun(subscription, batches.slice(0, at))
    this.putGap(subscription, batches[at] as FeedBatch)
    const rest = batches.slice(at + 1)
    if (rest.length > 0 && this.isGoing(subscription)) this.put(subscription, rest)
  }

  /** Sends a batch with a gap before it: `gap`, the events that fill it, `caught_up`, then the batch itself. */
  private putGap(subscription: Subscription, batch: FeedBatch): void {
    const { gap, filledCount } = batch
    if (gap === undefined || this.out.isBlocked) return
    const { epoch } = this.deps.hub
    const { name: sub } = subscription
    const had = subscription.countIn(batch)
    if (had === 0) {
      const cursor = subscription.cursor(epoch)
      this.out.send({ type: 'gap', sub, cursor, ...presentGap(gap, epoch) })
    }
    for (const piece of subscription.filledPieces(batch)) {
      this.write(subscription, piece)
      if (this.out.isBlocked) return
    }
    if (had === 0 || had < filledCount) {
      this.out.send({ type: 'caught_up', sub, cursor: subscription.cursor(epoch) })
    }
    if (!this.out.isBlocked) this.putOwn(subscription, [batch])
  }

  private putRun(subscription: Subscription, batches: readonly FeedBatch[]): void {
    const isWorthSharing = (batches[0]?.payload.length ?? 0) >= SHARED_FROM_BYTES
    if (isWorthSharing && !subscription.isApart && subscription.offset.eventCount === 0) {
      this.putShared(subscription, batches)
    } else this.putOwn(subscription, batches)
  }

  private putShared(subscription: Subscription, batches: readonly FeedBatch[]): void {
    for (const batch of batches) {
      for (const piece of this.deps.fanOut.piecesFor(subscription, batch)) {
        this.out.frame(subscription.advance(piece), piece.bytes)
        if (this.out.isBlocked) return
      }
      subscription.offset = { sequence: batch.sequence, eventCount: 0 }
    }
  }

  private putOwn(subscription: Subscription, batches: readonly FeedBatch[]): void {
    for (const piece of subscription.pieces(batches)) {
      this.write(subscription, piece)
      if (this.out.isBlocked) return
    }
  }

  private write(subscription: Subscription, piece: Piece): void {
    const head = subscription.advance(piece)
    const cursor = subscription.cursor(this.deps.hub.epoch)
    const replay = subscription.isReplay ? REPLAY_MARK : ''
    this.out.frame(head, frameRest(cursor === null ? 'null' : `"${cursor}"`, piece.text, replay))
  }

  /** Micro-batching: waits batch_ms, then sends everything that came meanwhile. */
  private batch(subscription: Subscription): void {
    this.enter(subscription, 'batching')
    const flush = (): void => void this.catchUp(subscription)
    this.flushes.set(subscription, setTimeout(flush, subscription.batchMs))
  }
}
