/**
 * One WebSocket of the feed: writes what its session's subscriptions have coming, as fast as the client
 * reads and no faster.
 *
 * ```
 *   live <---- caught up ---- catching up (memory, then the stream)
 *     \---- over 1 MiB unsent ----> blocked: only places are kept ---- drained ----> catching up
 * ```
 * Law: what a client has not read is never held for it beyond the bound, and never skipped.
 */
import { setTimeout as pause, setImmediate as yieldToOthers } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Log } from '../../streams/log.ts'
import { writeExact } from '../json.ts'
import { FeedBatch } from './batch.ts'
import { CLOSES, type Close, FeedFault } from './close.ts'
import { History } from './history.ts'
import { FeedExpired, type FeedHub, FeedReplaced } from './hub.ts'
import type { Echo } from './request.ts'
import { type Effect, errorFrame, type Frame, type Session } from './session.ts'
import { Shapes } from './shapes.ts'
import { holdsAllFrom, sequenceOfSlot } from './slot-place.ts'
import type { StoredEvents } from './stored.ts'
import type { Subscription } from './subscription.ts'
import type { Timing } from './timing.ts'
import { LineIsFull } from './turns.ts'

/** Bytes unsent at which writing stops, goes on, and at which the client is given up. */
const BLOCK_BYTES = 1024 * 1024
const RESUME_BYTES = 256 * 1024
const GIVE_UP_BYTES = 8 * 1024 * 1024
/** Messages of FEED that are gone through at once. */
const RUN_LENGTH = 32
/** Between two looks whether what the tables gave has been announced. */
const SETTLE_EVERY_MS = 500
const TERMINATE_AFTER_MS = 1_000
const RECONNECT_MS = { least: 200, spread: 3_000 }
const REPLAY_BUSY_RETRY_MS = 2_000

export type ConnectionDeps = {
  socket: WebSocket
  /** To be called before every write. */
  gather: () => void
  session: Session
  hub: FeedHub
  stored: StoredEvents
  timing: Timing
  log: Log
  /** How many subscriptions of the process have a shape: what many want is kept. */
  shapes: Map<string, number>
  /** 0 <= x < 1. */
  random: () => number
}

export class Connection {
  readonly closed: Promise<void>
  private readonly deps: ConnectionDeps
  private readonly ended = new AbortController()
  private readonly live = new Set<Subscription>()
  private readonly catching = new Set<Subscription>()
  private readonly gathering = new Map<Subscription, NodeJS.Timeout>()
  /** All that have begun. */
  private readonly counted: Shapes
  private readonly draining: (() => void)[] = []
  private isBlocked = false
  private isWarned = false
  private unsentFrames = 0
  private progressAt: number
  private heartbeatAt: number
  private pingAt: number
  private isPongDue = false
  private hasSubscribed = false
  private readonly startedAt: number

  constructor(deps: ConnectionDeps) {
    this.deps = deps
    this.startedAt = performance.now()
    this.progressAt = this.startedAt
    this.heartbeatAt = this.startedAt
    this.pingAt = this.startedAt
    this.counted = new Shapes(deps.shapes)
    const { socket } = deps
    socket.on('message', (bytes: Buffer, isBinary) => {
      this.receive(isBinary ? undefined : bytes.toString())
    })
    socket.on('pong', () => {
      this.isPongDue = false
    })
    // The receiver closes by WebSocket's own codes what breaks WebSocket itself.
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.stop()
        resolve()
      })
    })
  }

  /** The next message of FEED: for those that have all before it. */
  onBatch(batch: FeedBatch): void {
    for (const subscription of this.live) {
      if (subscription.batchMs > 0) this.gather(subscription)
      else this.put(subscription, [batch])
      if (this.isBlocked) return
    }
  }

  /** FEED is another one, or went back: nobody may wait for what will not come. */
  onReplaced(): void {
    const { session, hub } = this.deps
    const details = { epoch: hub.epoch, first: hub.first(), head: hub.head() }
    const text = 'the stream was replaced: begin by a slot, or live'
    for (const subscription of [...session.subscriptions.values()]) {
      this.leave(subscription)
      this.send(session.drop(subscription, new FeedFault('CURSOR_EPOCH_CHANGED', text, details)))
    }
  }

  /** Once a second or so: what is due. */
  tick(now: number, wallMs: number): void {
    const { timing, session, socket } = this.deps
    if (this.ended.signal.aborted) return
    const isStalled = this.unsentFrames > 0 && now - this.progressAt > timing.stallMs
    const isIdle = !this.hasSubscribed && now - this.startedAt > timing.subscribeMs
    const isSilent = this.isPongDue && now - this.pingAt > timing.pingMs
    if (isStalled) this.end(CLOSES.slow)
    else if (isIdle || isSilent) this.end(CLOSES.idle)
    else {
      if (!this.isBlocked && now - this.heartbeatAt >= timing.heartbeatMs) {
        this.heartbeatAt = now
        this.send(session.heartbeat(wallMs))
      }
      if (!this.isPongDue && now - this.pingAt >= timing.pingMs) {
        this.pingAt = now
        this.isPongDue = true
        socket.ping()
      }
    }
  }

  /** Its key is no longer what it was let in with. */
  endKey(close: Close): void {
    const { reason } = close
    this.send(errorFrame(new FeedFault('UNAUTHORIZED', reason), {}, true))
    this.end(close)
  }

  /** Says goodbye with the cursors to go on from, and closes; what does not close is cut. */
  end({ code, reason, isWorthReturning }: Close): void {
    if (this.ended.signal.aborted) return
    const { session, socket, random } = this.deps
    const wait = Math.round(RECONNECT_MS.least + random() * RECONNECT_MS.spread)
    const reconnect_after_ms = isWorthReturning ? wait : null
    const cursors = session.cursors()
    this.stop()
    this.send({ type: 'goodbye', code, reason, reconnect_after_ms, cursors })
    socket.close(code, reason)
    const cut = setTimeout(() => socket.terminate(), TERMINATE_AFTER_MS)
    void this.closed.then(() => clearTimeout(cut))
  }

  send(frame: Frame): void {
    this.write(writeExact(frame))
  }

  private stop(): void {
    this.ended.abort()
    for (const resume of this.draining.splice(0)) resume()
    for (const subscription of this.deps.session.subscriptions.values()) this.leave(subscription)
  }

  private receive(text: string | undefined): void {
    if (this.ended.signal.aborted) return
    for (const effect of this.deps.session.receive(text, Date.now())) this.follow(effect)
  }

  private follow(effect: Effect): void {
    switch (effect.kind) {
      case 'send':
        this.send(effect.frame)
        this.counted.refresh()
        break
      case 'begin':
        if ('place' in effect.from) this.begin(effect.subscription, effect.echo)
        else void this.seek(effect.subscription, effect.from.slot, effect.echo)
        break
      case 'end':
        this.leave(effect.subscription)
        break
      case 'close':
        this.end(effect.close)
        break
      default:
        effect satisfies never
    }
  }

  private begin(subscription: Subscription, echo: Echo): void {
    this.send(this.deps.session.subscribed(subscription, echo))
    this.hasSubscribed = true
    this.counted.enter(subscription)
    void this.catchUp(subscription)
  }

  private async seek(subscription: Subscription, slot: number, echo: Echo): Promise<void> {
    const { hub, session } = this.deps
    try {
      const place = await sequenceOfSlot(hub, slot, this.ended.signal)
      const isWanted = session.subscriptions.get(subscription.name) === subscription
      const sequence = holdsAllFrom(hub, place) ? place - 1 : hub.head()
      subscription.place = { sequence, eventCount: 0 }
      if (!isWanted) return
      if (sequence === place - 1) this.begin(subscription, echo)
      else await this.beginStored(subscription, slot, echo)
    } catch (fault) {
      this.fail(subscription, fault)
    }
  }

  /** By the tables, from a slot on, and then by FEED from where that was when this began. */
  private async beginStored(subscription: Subscription, slot: number, echo: Echo): Promise<void> {
    const { stored, hub } = this.deps
    const { sequence } = subscription.place
    const history = new History(slot)
    subscription.history = history
    this.catching.add(subscription)
    this.begin(subscription, echo)
    const { signal } = this.ended
    for (let next = slot; Number.isFinite(next); ) {
      const { events, commits, slotEnd } = await stored.page(subscription.channel, next, signal)
      history.add(slotEnd, commits)
      const page = FeedBatch.ofStored(sequence, events)
      for (const frame of subscription.frames([page], hub.epoch, false)) {
        this.write(frame)
        if (this.isBlocked) await this.drained()
        if (!this.isGoing(subscription)) return
      }
      next = slotEnd
    }
    this.catching.delete(subscription)
    void this.settle(subscription, history)
    await this.catchUp(subscription)
  }

  /** Cursors are told again when all that the tables gave has been announced. */
  private async settle(subscription: Subscription, history: History): Promise<void> {
    const { stored, hub } = this.deps
    const { signal } = this.ended
    while (this.counted.has(subscription)) {
      await pause(SETTLE_EVERY_MS, undefined, { signal }).catch(() => {})
      const isDone = await stored.areAnnounced(history.commits, signal).catch(() => false)
      if (!isDone) continue
      history.settledFrom = hub.head()
      return
    }
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      this.draining.push(resolve)
    })
  }

  /** From its place to the newest, out of memory and before that out of the stream. */
  private async catchUp(subscription: Subscription): Promise<void> {
    if (this.catching.has(subscription)) return
    this.catching.add(subscription)
    try {
      while (this.isGoing(subscription)) {
        const { hub } = this.deps
        const next = subscription.place.sequence + 1
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
    } catch (fault) {
      this.fail(subscription, fault)
    } finally {
      this.catching.delete(subscription)
    }
  }

  private async readPast(subscription: Subscription, from: number): Promise<void> {
    const { hub } = this.deps
    let run: FeedBatch[] = []
    for await (const batch of hub.readFrom(from, this.ended.signal)) {
      run.push(batch)
      const isHeldNow = hub.held(batch.sequence + 1, 0) !== undefined
      if (run.length < RUN_LENGTH && !isHeldNow) continue
      this.put(subscription, run)
      run = []
      // A client that does not read keeps no reader of the stream.
      if (isHeldNow || !this.isGoing(subscription)) return
    }
  }

  private isGoing(subscription: Subscription): boolean {
    return !this.isBlocked && !this.ended.signal.aborted && this.counted.has(subscription)
  }

  private goLive(subscription: Subscription): void {
    if (subscription.isReplay) {
      const cursor = subscription.cursor(this.deps.hub.epoch)
      subscription.isReplay = false
      this.send({ type: 'caught_up', sub: subscription.name, cursor })
    }
    this.live.add(subscription)
  }

  private put(subscription: Subscription, batches: readonly FeedBatch[]): void {
    const { hub } = this.deps
    const isShared = this.counted.isShared(subscription)
    for (const frame of subscription.frames(batches, hub.epoch, isShared)) {
      this.write(frame)
      if (this.isBlocked) return
    }
  }

  /** Waits until its time has passed, then sends all that came. */
  private gather(subscription: Subscription): void {
    if (this.gathering.has(subscription)) return
    const flush = (): void => {
      this.gathering.delete(subscription)
      if (!this.live.delete(subscription)) return
      void this.catchUp(subscription)
    }
    this.gathering.set(subscription, setTimeout(flush, subscription.batchMs))
  }

  private write(text: string): void {
    const { socket } = this.deps
    if (socket.readyState !== WebSocket.OPEN) return
    this.deps.gather()
    if (this.unsentFrames++ === 0) this.progressAt = performance.now()
    socket.send(text, this.onSent)
    const unsent = socket.bufferedAmount
    if (unsent > GIVE_UP_BYTES) this.end(CLOSES.slow)
    else if (unsent > BLOCK_BYTES && !this.isBlocked) {
      this.isBlocked = true
      this.live.clear()
    }
  }

  private readonly onSent = (): void => {
    this.unsentFrames--
    this.progressAt = performance.now()
    if (!this.isBlocked || this.deps.socket.bufferedAmount > RESUME_BYTES) return
    this.isBlocked = false
    if (!this.isWarned) {
      this.isWarned = true
      const text = 'you read more slowly than events come: nothing is lost, but you fall behind'
      const warning = errorFrame(new FeedFault('SLOW_CONSUMER', text), {})
      this.send({ ...warning, type: 'warning' })
    }
    for (const resume of this.draining.splice(0)) resume()
    for (const subscription of this.counted.all()) void this.catchUp(subscription)
  }

  private fail(subscription: Subscription, fault: unknown): void {
    const { session, hub, log } = this.deps
    const isEnded = this.ended.signal.aborted || fault instanceof FeedReplaced
    if (isEnded || session.subscriptions.get(subscription.name) !== subscription) return
    this.catching.delete(subscription)
    this.leave(subscription)
    if (fault instanceof FeedFault) this.send(session.drop(subscription, fault))
    else if (fault instanceof FeedExpired) {
      const details = { epoch: hub.epoch, first: hub.first(), head: hub.head() }
      const told = new FeedFault('CURSOR_EXPIRED', fault.message, details)
      this.send(session.drop(subscription, told))
    } else if (fault instanceof LineIsFull) {
      const busy = session.drop(subscription, new FeedFault('REPLAY_BUSY', fault.message))
      this.send({ ...busy, retry_after_ms: REPLAY_BUSY_RETRY_MS })
    } else {
      log.error({ err: fault }, 'a subscription failed')
      const text = 'the stream cannot be read just now'
      this.send(errorFrame(new FeedFault('UNAVAILABLE', text), { sub: subscription.name }, true))
      this.end(CLOSES.overloaded)
    }
  }

  private leave(subscription: Subscription): void {
    this.live.delete(subscription)
    this.counted.leave(subscription)
    clearTimeout(this.gathering.get(subscription))
    this.gathering.delete(subscription)
  }
}
