/**
 * The feed over WebSocket as an async iterator that loses no event and repeats none: it resumes from its newest cursor
 * whenever the connection ends, and takes a gap in the count of events for such an end.
 *
 * ```
 * connect -> welcome -> subscribe from the newest cursor -> data, heartbeat ... -> end -> back-off -> connect
 * ```
 * The buffer of a slow reader is bounded: beyond that the connection ends, and resumes once the reader has caught up.
 * Memory does not grow with the count of frames, connections or requests: whatever listens to a signal or a socket stops
 * with its connection, and the caller's signal has one listener.
 */
import type { EventFilter, StreamedPoolEvent, StreamedSwap } from './generated.ts'
import {
  backoffMs,
  type ClientOptions,
  call,
  jsonOf,
  pause,
  restore,
  type Socket,
  type SocketClass,
  SwaptideError,
} from './request.ts'

export type Channels = { swaps: StreamedSwap; pool_events: StreamedPoolEvent }
export type FeedStart = 'live' | { cursor: string } | { slot: number | bigint }
export type FeedOptions<Channel extends keyof Channels> = {
  channel: Channel
  filter?: EventFilter
  /** Absent: live. */
  from?: FeedStart
  signal?: AbortSignal
  /** The server lost events of these slots; `filled`: they follow. */
  onGap?: (gap: { slots: [number, number]; filled: boolean }) => void
  /** Absent: that of the client, else that of the platform. */
  WebSocket?: SocketClass
}

/** Events of one subscription. `cursor`: everything up to it was taken; begin with it after a restart of the program. */
export type Feed<Event> = AsyncIterableIterator<Event> & { readonly cursor: string | undefined }

type Frame = { type: string } & Record<string, unknown>
type Batch = { events: unknown[]; cursor: string | undefined }
/** `refusal`: the feed ends with it. */
type Ending = { waitMs: number; refusal?: unknown; isOpened: boolean }

const SUB = 'client'
const SHAPES = { swaps: 'StreamedSwap', pool_events: 'StreamedPoolEvent' } as const
/** The server sends a frame every 15 s at least: after three of those in silence the connection is dead. */
const SILENCE_MS_MAX = 45_000
const WAITING_MAX = 50_000
/** Closes after which the same would come again: nonsense, a revoked key, abuse. */
const FINAL_CLOSES = new Set([4400, 4401, 4429])
/** Codes of answers that are not the API's. */
const FOREIGN_CODES = new Set(['INVALID_ANSWER', 'REDIRECTED'])
/** Refusals that pass. All others would come again: of the filter, the cursor, the tier. */
const PASSING_CODES = new Set(['RATE_LIMITED', 'REPLAY_BUSY', 'UNAVAILABLE', 'INTERNAL'])

export function openFeed<Channel extends keyof Channels>(
  options: ClientOptions,
  feedOptions: FeedOptions<Channel>,
): Feed<Channels[Channel]> {
  const feed = new Subscription(options, feedOptions)
  const events = feed.events()
  return {
    get cursor() {
      return feed.taken
    },
    next: () => events.next(),
    return() {
      // A generator that waits for events would end with the next one.
      feed.stop()
      return events.return(undefined)
    },
    throw: (error) => events.throw(error),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

class Subscription<Channel extends keyof Channels> {
  /** Cursor of what the reader has taken. */
  taken: string | undefined
  /** Cursor of what has arrived. */
  private arrived: string | undefined
  private waiting: Batch[] = []
  private waitingCount = 0
  private wake: () => void = () => {}
  private failure: { error: unknown } | undefined
  /** Whether a connection of this feed has ever been admitted. */
  private isKnown = false
  private readonly ended = new AbortController()
  private readonly options: ClientOptions
  private readonly feedOptions: FeedOptions<Channel>

  constructor(options: ClientOptions, feedOptions: FeedOptions<Channel>) {
    this.options = options
    this.feedOptions = feedOptions
    const { from } = feedOptions
    if (typeof from === 'object' && 'cursor' in from) this.taken = this.arrived = from.cursor
  }

  async *events(): AsyncGenerator<Channels[Channel], undefined> {
    const { signal } = this.feedOptions
    const end = () => this.stop()
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
    this.stayConnected().catch((error) => {
      this.failure = { error }
      this.wake()
    })
    try {
      while (!this.ended.signal.aborted) {
        const batch = this.waiting.shift()
        if (batch !== undefined) {
          for (const event of batch.events) {
            yield event as Channels[Channel]
            if (this.ended.signal.aborted) return
          }
          this.waitingCount -= batch.events.length
          this.taken = batch.cursor ?? this.taken
          continue
        }
        if (this.failure !== undefined) throw this.failure.error
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
      }
    } finally {
      this.stop()
      signal?.removeEventListener('abort', end)
    }
  }

  stop(): void {
    this.ended.abort()
    this.wake()
  }

  private async stayConnected(): Promise<void> {
    const { signal } = this.ended
    const Socket = this.socketClass()
    for (let attempt = 0; !signal.aborted; attempt++) {
      while (this.waitingCount > WAITING_MAX / 2 && !signal.aborted) {
        await this.quiet(BOUND_POLL_MS)
      }
      if (signal.aborted) return
      const { waitMs, refusal, isOpened } = await this.connectOnce(Socket)
      if (signal.aborted) return
      if (refusal !== undefined) throw refusal
      if (isOpened) attempt = 0
      // A refused handshake has no reason on any platform: a REST request with the same key has.
      else await this.expectAdmitted()
      await this.quiet(Math.max(waitMs, backoffMs(attempt)))
    }
  }

  /** Throws SwaptideError: NO_WEBSOCKET. */
  private socketClass(): SocketClass {
    const given = this.feedOptions.WebSocket ?? this.options.WebSocket
    const found = given ?? (globalThis as { WebSocket?: SocketClass }).WebSocket
    if (typeof found === 'function') return found
    const advice = 'run Node.js 22 or later, or name the class of the package "ws" as `WebSocket`'
    throw refused('NO_WEBSOCKET', `this platform has no WebSocket: ${advice}`)
  }

  /** Rejects where no later attempt would succeed. An answer that is not the API's is final only before the first connection. */
  private async expectAdmitted(): Promise<void> {
    try {
      await call({ ...this.options, retries: 0 }, 'getCredits', {}, { signal: this.ended.signal })
    } catch (error) {
      if (this.ended.signal.aborted || !(error instanceof SwaptideError)) return
      const isRefused = [401, 403].includes(error.status)
      if (isRefused || (FOREIGN_CODES.has(error.code) && !this.isKnown)) throw error
    }
  }

  private quiet(ms: number): Promise<void> {
    return pause(ms, this.ended.signal).catch(() => {})
  }

  /** One connection, until it ends. */
  private connectOnce(Socket: SocketClass): Promise<Ending> {
    const { signal } = this.ended
    const { promise, resolve } = deferred<Ending>()
    const ending: Ending = { waitMs: 0, isOpened: false }
    const reading = { next: 0 }
    const socket = this.open(Socket)
    let silence: ReturnType<typeof setTimeout>
    const end = (last: Partial<Ending> = {}) => {
      Object.assign(ending, last)
      clearTimeout(silence)
      signal.removeEventListener('abort', stop)
      socket.onmessage = socket.onclose = null
      socket.close()
      resolve(ending)
    }
    const stop = () => end()
    const listen = () => {
      clearTimeout(silence)
      silence = setTimeout(end, SILENCE_MS_MAX)
    }
    listen()
    signal.addEventListener('abort', stop)
    // This listener stays: a connection that is closed before it opens emits an error, which would throw without one.
    socket.onerror = ignore
    socket.onclose = ({ code, reason }) => {
      const isFinal = FINAL_CLOSES.has(code)
      end(isFinal ? { refusal: refused(`CLOSE_${code}`, reason) } : {})
    }
    socket.onmessage = ({ data }) => {
      listen()
      try {
        const last = this.read(frameOf(data), socket, reading, ending)
        if (last !== undefined) end(last)
      } catch (error) {
        end({ refusal: error })
      }
    }
    return promise
  }

  /** The errors of platforms hold the URL, and with it the key. */
  private open(Socket: SocketClass): Socket {
    const { url, key } = this.options
    const query = key === undefined ? '' : `?${new URLSearchParams({ api_key: key })}`
    try {
      return new Socket(`${url.replace(/^http/, 'ws')}/ws/v1${query}`)
    } catch (error) {
      const name = error instanceof Error ? error.name : 'an error'
      throw refused('NO_WEBSOCKET', `the platform refuses a WebSocket to "${url}": ${name}`)
    }
  }

  /** Takes a frame. A result ends the connection. */
  private read(
    frame: Frame,
    socket: Socket,
    reading: { next: number },
    ending: Ending,
  ): Partial<Ending> | undefined {
    if (frame.type === 'welcome') {
      ending.isOpened = this.isKnown = true
      socket.send(jsonOf(this.request()))
    } else if (frame.type === 'data') {
      // A frame begins where the one before ended.
      if (frame.n !== reading.next) return {}
      reading.next += (frame.data as unknown[]).length
      this.take(frame)
      if (this.waitingCount > WAITING_MAX) return {}
    } else if (frame.type === 'error') return endingOf(frame)
    else this.note(frame, ending)
    return undefined
  }

  private request(): object {
    const { channel, filter, from = 'live' } = this.feedOptions
    const resumed = this.arrived === undefined ? from : { cursor: this.arrived }
    const what = { op: 'subscribe', sub: SUB, channel, int64: 'string', from: resumed }
    return filter === undefined ? what : { ...what, filter }
  }

  /** Frames without events: they move the cursor or precede an end. */
  private note(frame: Frame, ending: Ending): void {
    if (frame.type === 'subscribed') this.move(frame.cursor)
    else if (frame.type === 'heartbeat') {
      this.move(
        (frame.subs as Record<string, { cursor: string | null }> | undefined)?.[SUB]?.cursor,
      )
    } else if (frame.type === 'gap') {
      this.feedOptions.onGap?.({
        slots: frame.slots as [number, number],
        filled: frame.filled as boolean,
      })
    } else if (frame.type === 'goodbye') {
      const { reconnect_after_ms: waitMs, reason, code } = frame
      ending.waitMs = Number(waitMs)
      if (waitMs === null) ending.refusal = refused(`CLOSE_${code}`, String(reason))
    }
  }

  /** A cursor without events is taken with the events before it. */
  private move(cursor: unknown): void {
    if (typeof cursor !== 'string') return
    this.arrived = cursor
    const last = this.waiting.at(-1)
    if (last !== undefined) last.cursor = cursor
    else if (this.waitingCount === 0) this.taken = cursor
  }

  private take({ data, cursor }: Frame): void {
    const events = eventsOf(data, SHAPES[this.feedOptions.channel])
    if (typeof cursor === 'string') this.arrived = cursor
    this.waiting.push({ events, cursor: this.arrived })
    this.waitingCount += events.length
    this.wake()
  }
}

/** Milliseconds between two looks at whether a slow reader has caught up. */
const BOUND_POLL_MS = 50

function endingOf({ code, message, retry_after_ms: waitMs = 0 }: Frame): Partial<Ending> {
  if (PASSING_CODES.has(String(code))) return { waitMs: Number(waitMs) }
  return { refusal: refused(String(code), String(message)) }
}

function refused(code: string, message: string): SwaptideError {
  return new SwaptideError(0, code, message)
}

function foreign(): SwaptideError {
  return refused(
    'INVALID_ANSWER',
    'a frame is not one of the feed: is "url" the address of the API?',
  )
}

/** Throws SwaptideError: INVALID_ANSWER. */
function frameOf(text: unknown): Frame {
  let frame: unknown
  try {
    frame = JSON.parse(String(text))
  } catch {
    throw foreign()
  }
  if (typeof (frame as Frame | null)?.type !== 'string') throw foreign()
  return frame as Frame
}

/** Throws SwaptideError: INVALID_ANSWER. */
function eventsOf(batch: unknown, shape: string): unknown[] {
  try {
    return restore(batch, [shape]) as unknown[]
  } catch {
    throw foreign()
  }
}

function ignore(): void {}

function deferred<Result>() {
  let resolve: (result: Result) => void = ignore
  const promise = new Promise<Result>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
