/**
 * One WebSocket of the feed: receives the client's frames, writes those of its subscriptions, and closes it with a code
 * of protocol/close.ts.
 *
 * Invariant: unread data is bounded. Backpressure with hysteresis; a client that reads nothing for 30 s, or has more than
 * 8 MiB unsent, is disconnected.
 *
 *   flowing --- over 1 MiB unsent ---> blocked         delivery stops, only small control frames are written
 *      |  ^--- 256 KiB or less unsent -----'  |
 *      '----- goodbye, or the client left ----'--> ended
 */
import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { Log } from '../../../domain/log.ts'
import { writeExact } from '../../routing/json.ts'
import { FeedError } from '../feed-error.ts'
import type { FeedWebSocket } from '../feed-web-socket.ts'
import { LatestDelivery } from '../latest/delivery.ts'
import { LatestSubscription } from '../latest/subscription.ts'
import type { LatestValues } from '../latest/values.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import { FeedExpired, FeedReplaced } from '../log/hub-interface.ts'
import { LineIsFull } from '../log/reader-queue.ts'
import type { StoredEvents } from '../log/stored.ts'
import type { FanOut } from './fan-out.ts'
import { FrameWriter } from './frame-writer.ts'
import { LogDelivery, type Out } from './log-delivery.ts'
import { CLOSES, type Close, closeOfBroken } from './protocol/close.ts'
import type { Echo } from './protocol/request.ts'
import type { Timing } from './protocol/timing.ts'
import { type Effect, errorFrame, type Frame, type Session, type Subscribed } from './session.ts'

/** Unsent bytes at which delivery stops, resumes, and at which the client is disconnected. */
const BLOCK_BYTES = 1024 * 1024
const RESUME_BYTES = 256 * 1024
const GIVE_UP_BYTES = 8 * 1024 * 1024
const RECONNECT_MS = { least: 200, spread: 3_000 }
const REPLAY_BUSY_RETRY_MS = 2_000
const REPLACED_TEXT = 'the stream was replaced'
const GONE_TEXT = 'the stream trimmed events before they were read'

export type ConnectionDeps = {
  socket: FeedWebSocket
  /** Transport below the WebSocket. */
  wire: Duplex
  session: Session
  hub: FeedHub
  stored: StoredEvents
  fanOut: FanOut
  latest: LatestValues
  timing: Timing
  log: Log
  /** 0 <= x < 1. */
  random: () => number
}

/** State of a connection, drawn above. */
type ConnectionMode = 'flowing' | 'blocked' | 'ended'

const NEXT_MODES: Readonly<Record<ConnectionMode, readonly ConnectionMode[]>> = {
  flowing: ['blocked', 'ended'],
  blocked: ['flowing', 'ended'],
  ended: [],
}

export class Connection implements Out {
  readonly closed: Promise<void>
  private mode: ConnectionMode = 'flowing'
  private readonly deps: ConnectionDeps
  private readonly writer: FrameWriter
  private readonly ending = new AbortController()
  private readonly delivery: LogDelivery
  private readonly latest: LatestDelivery
  /** One warning a connection, however often it is blocked. */
  private isWarned = false
  /** When the kernel last took bytes, or the oldest unsent ones were written. */
  private progressAt: number
  /** Unsent bytes of the current write at the last check. */
  private pendingBytes = 0
  private heartbeatAt: number
  private pingAt: number
  /** No part of the mode: a ping may be unanswered while the connection flows and while it is blocked. */
  private isPongDue = false
  /** The newest ping of a blocked client: answered when it reads again. */
  private unansweredPing: Buffer | undefined
  /** When the connection was opened; undefined once the client has subscribed. */
  private unsubscribedAt: number | undefined

  constructor(deps: ConnectionDeps) {
    this.deps = deps
    const startedAt = performance.now()
    this.unsubscribedAt = startedAt
    this.progressAt = startedAt
    this.heartbeatAt = startedAt
    this.pingAt = startedAt
    const { socket, wire } = deps
    this.writer = new FrameWriter(socket, wire, () => this.onSent())
    this.delivery = new LogDelivery(deps, this)
    this.latest = new LatestDelivery(deps.latest, this)
    socket.on('message', (bytes: Buffer, isBinary) => {
      this.receive(isBinary ? undefined : bytes.toString())
    })
    socket.on('ping', (payload: Buffer) => this.receivePing(payload))
    socket.on('pong', () => {
      this.isPongDue = false
      this.receiveControl()
    })
    socket.onBroken = (code) => this.endBroken(code)
    // The break was reported by `onBroken`; an error of the transport is followed by its close.
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.stop()
        resolve()
      })
    })
  }

  get ended(): AbortSignal {
    return this.ending.signal
  }

  get isBlocked(): boolean {
    return this.mode !== 'flowing'
  }

  /** The only writer of `mode`. */
  private enter(mode: ConnectionMode): void {
    assert(NEXT_MODES[this.mode].includes(mode), `a connection ${this.mode} cannot be ${mode}`)
    this.mode = mode
    if (mode === 'ended') this.ending.abort()
  }

  private is(mode: ConnectionMode): boolean {
    return this.mode === mode
  }

  /** FEED was replaced, went back or trimmed unread messages: ends all subscriptions, as none can continue. */
  onReplaced(why: FeedReplaced | FeedExpired): void {
    const { session, hub } = this.deps
    const details = { epoch: hub.epoch, first: hub.first(), head: hub.head() }
    const [code, text] =
      why instanceof FeedExpired
        ? (['CURSOR_EXPIRED', GONE_TEXT] as const)
        : (['CURSOR_EPOCH_CHANGED', REPLACED_TEXT] as const)
    const feedError = new FeedError(code, `${text}: begin by a slot, or live`, details)
    for (const subscription of [...session.subscriptions.values()]) {
      this.leave(subscription)
      this.send(session.drop(subscription, feedError))
    }
  }

  /** Extends the timeouts by the time in which this process was blocked. */
  excuse(ms: number): void {
    if (this.unsubscribedAt !== undefined) this.unsubscribedAt += ms
    this.pingAt += ms
    this.progressAt += ms
  }

  /** Called about once a second: checks timeouts, sends heartbeats and pings. */
  tick(now: number, wallMs: number): void {
    const { timing, session, socket } = this.deps
    if (this.is('ended') || this.isClosing()) return
    this.notePending(now)
    const isStalled = this.writer.unsentBytes > 0 && now - this.progressAt > timing.stallMs
    const isIdle = now - (this.unsubscribedAt ?? now) > timing.subscribeMs
    // A ping is sent after all unsent bytes, so a missing pong of a client that reads slowly means nothing yet.
    const isSilent = this.isPongDue && this.is('flowing') && now - this.pingAt > timing.pingMs
    if (isStalled) this.end(CLOSES.slow)
    else if (isIdle || isSilent) this.end(CLOSES.idle)
    else {
      if (this.is('flowing') && now - this.heartbeatAt >= timing.heartbeatMs) {
        this.heartbeatAt = now
        this.send(session.heartbeat(wallMs))
      }
      if (!this.isPongDue && now - this.pingAt >= timing.pingMs) {
        this.pingAt = now
        this.isPongDue = true
        this.beforeWrite()
        socket.ping()
      }
    }
  }

  /** Closes the connection, because its key has ended. */
  endKey(close: Close): void {
    const { reason } = close
    this.send(errorFrame(new FeedError('UNAUTHORIZED', reason), {}, true))
    this.end(close)
  }

  /** Closes the connection, because its client broke RFC 6455 and cannot be read any longer. */
  private endBroken(code: number): void {
    const close = closeOfBroken(code)
    this.send(errorFrame(new FeedError('BAD_REQUEST', close.reason), {}, true))
    this.end(close)
  }

  /** Sends a goodbye with the cursors to resume from, and closes; cuts a connection that does not close in time. */
  end({ code, reason, isWorthReturning }: Close): void {
    if (this.is('ended')) return
    const { session, socket, random } = this.deps
    const wait = Math.round(RECONNECT_MS.least + random() * RECONNECT_MS.spread)
    const reconnect_after_ms = isWorthReturning ? wait : null
    const cursors = session.cursors()
    this.stop()
    this.send({ type: 'goodbye', code, reason, reconnect_after_ms, cursors })
    this.writer.flush()
    socket.end(code, reason)
    this.cutSoon()
  }

  send(frame: Frame): void {
    if (this.isClosing()) return
    this.beforeWrite()
    this.writer.text(writeExact(frame))
    this.afterWrite()
  }

  frame(head: string, body: Uint8Array): void {
    if (this.isClosing()) return
    this.beforeWrite()
    this.writer.frame(head, body)
    this.afterWrite()
  }

  isWanted(subscription: Subscribed): boolean {
    const { session } = this.deps
    return !this.is('ended') && session.subscriptions.get(subscription.name) === subscription
  }

  /**
   * Whether the client has closed, or broke the protocol. Writes no longer reach it, so there is no backpressure on
   * reads for it: delivery is stopped, and the connection is cut if it stays open.
   */
  private isClosing(): boolean {
    if (this.deps.socket.readyState === WebSocket.OPEN) return false
    if (!this.is('ended')) {
      this.stop()
      this.cutSoon()
    }
    return true
  }

  private cutSoon(): void {
    const cut = setTimeout(() => this.deps.socket.terminate(), this.deps.timing.cutMs)
    void this.closed.then(() => clearTimeout(cut))
  }

  private stop(): void {
    if (this.is('ended')) return
    this.enter('ended')
    this.delivery.resume()
    for (const subscription of this.deps.session.subscriptions.values()) this.leave(subscription)
  }

  private leave(subscription: Subscribed): void {
    if (subscription instanceof LatestSubscription) this.latest.leave(subscription)
    else this.delivery.leave(subscription)
  }

  private receive(text: string | undefined): void {
    if (this.is('ended')) return
    for (const effect of this.deps.session.receive(text, Date.now())) this.follow(effect)
  }

  private receivePing(payload: Buffer): void {
    if (!this.receiveControl()) return
    // RFC 6455, 5.5.3 allows to answer only the newest of several pings.
    if (this.is('blocked')) this.unansweredPing = Buffer.from(payload)
    else this.pong(payload)
  }

  /** False: the connection is ending. */
  private receiveControl(): boolean {
    if (this.is('ended')) return false
    for (const effect of this.deps.session.receiveControl(Date.now())) this.follow(effect)
    return !this.is('ended')
  }

  private pong(payload: Buffer): void {
    this.beforeWrite()
    this.writer.pong(payload)
    this.afterWrite()
  }

  private follow(effect: Effect): void {
    switch (effect.kind) {
      case 'send':
        this.send(effect.frame)
        break
      case 'begin': {
        const { subscription, from, echo } = effect
        this.unsubscribedAt = undefined
        this.delivery.begin(subscription, from, () => this.sendSubscribed(subscription, echo))
        break
      }
      case 'watch': {
        const { subscription, echo } = effect
        this.unsubscribedAt = undefined
        this.latest.begin(subscription, () => this.sendSubscribed(subscription, echo))
        break
      }
      case 'change': {
        const { subscription } = effect
        if (subscription instanceof LatestSubscription) this.latest.refresh(subscription)
        else this.delivery.refresh(subscription)
        break
      }
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

  private sendSubscribed(subscription: Subscribed, echo: Echo): void {
    this.send(this.deps.session.subscribed(subscription, echo))
  }

  private beforeWrite(): void {
    if (this.writer.unsentBytes === 0) this.progressAt = performance.now()
  }

  /** Detects progress within a large write, whose callback comes only at its end: a slow client is not stalled. */
  private notePending(now: number): void {
    const { pendingBytes } = this.writer
    if (pendingBytes !== this.pendingBytes) this.progressAt = now
    this.pendingBytes = pendingBytes
  }

  private afterWrite(): void {
    const unsent = this.writer.unsentBytes
    if (unsent > GIVE_UP_BYTES) this.end(CLOSES.slow)
    else if (unsent > BLOCK_BYTES && this.is('flowing')) {
      this.enter('blocked')
      this.delivery.block()
    }
  }

  private onSent(): void {
    this.progressAt = performance.now()
    if (!this.is('blocked') || this.writer.unsentBytes > RESUME_BYTES) return
    this.enter('flowing')
    this.pingAt = this.progressAt
    if (!this.isWarned) {
      this.isWarned = true
      const text = 'the client reads more slowly than events arrive: nothing is lost, but it lags'
      const warning = errorFrame(new FeedError('SLOW_CONSUMER', text), {})
      this.send({ ...warning, type: 'warning' })
    }
    if (this.unansweredPing !== undefined) this.pong(this.unansweredPing)
    this.unansweredPing = undefined
    this.delivery.resume()
    this.latest.resume()
  }

  fail(subscription: Subscribed, error: unknown): void {
    const { session, hub, log } = this.deps
    if (error instanceof FeedReplaced || !this.isWanted(subscription)) return
    this.leave(subscription)
    if (error instanceof FeedError) this.send(session.drop(subscription, error))
    else if (error instanceof FeedExpired) {
      const details = { epoch: hub.epoch, first: hub.first(), head: hub.head() }
      const feedError = new FeedError('CURSOR_EXPIRED', error.message, details)
      this.send(session.drop(subscription, feedError))
    } else if (error instanceof LineIsFull) {
      const busy = session.drop(subscription, new FeedError('REPLAY_BUSY', error.message))
      this.send({ ...busy, retry_after_ms: REPLAY_BUSY_RETRY_MS })
    } else {
      log.error({ err: error }, 'failed to serve a subscription')
      const text = 'failed to read the stream: retry later'
      this.send(errorFrame(new FeedError('UNAVAILABLE', text), { sub: subscription.name }, true))
      this.end(CLOSES.overloaded)
    }
  }
}
