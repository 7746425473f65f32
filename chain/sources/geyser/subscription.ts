/**
 * A subscription to a Yellowstone stream: its updates go into an assembler of blocks as they arrive.
 *
 * - Pings of the server are answered, and a stream that brings no update for a while has failed. So has one that brings
 *   updates of which no slot can be assembled: its reader waits for longer.
 * - The stream is paused while much waits to be yielded, and given up when that lasts: the rest is fetched. While slots are
 *   fetched the stream continues, and the assembler drops what exceeds its bound.
 */
import { WireError } from '../../../streams/codec/protobuf.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import type { BlockAssembler } from './assembler.ts'
import { GRPC, type GrpcCall, GrpcError, GrpcStream } from './grpc-stream.ts'
import { pingRequest, type Subscription, subscribeRequest } from './request.ts'
import { readUpdate } from './update.ts'

export type GeyserTimes = {
  keepaliveMs: number
  /** Milliseconds without an update after which the stream has failed; a slot of the chain lasts 400 ms. */
  silentMs: number
  /** Milliseconds that the reader may wait for a slot although updates come. */
  stalledMs: number
  /** Milliseconds that the stream may be paused. */
  pausedMs: number
}

export type GeyserEndpoint = {
  url: URL
  /** The name in errors. */
  name: string
  token?: string | undefined
  certificateAuthority?: string | undefined
}

export const GEYSER_TIMES: GeyserTimes = {
  keepaliveMs: 10_000,
  silentMs: 30_000,
  stalledMs: 30_000,
  pausedMs: 30_000,
}

const METHOD = '/geyser.Geyser/Subscribe'
const TOKEN_NAME = 'x-token'
/** A transaction has 1,232 bytes, 4,096 in version 1, and its result some hundred KiB of logs and inner instructions. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024
/** Shares of the assembler's memory: slots in flight, and slots that wait. */
const WINDOW_SHARE = 1 / 16
const PAUSE_AT = 0.5
const RESUME_AT = 0.25

/** No retry helps: the server refuses the caller, or does not implement the method. */
const FINAL_CODES: ReadonlySet<number> = new Set([
  GRPC.unauthenticated,
  GRPC.permissionDenied,
  GRPC.unimplemented,
  GRPC.invalidArgument,
])

const REFUSED_REPLAY: ReadonlySet<number> = new Set([
  GRPC.unknown,
  GRPC.invalidArgument,
  GRPC.outOfRange,
  GRPC.internal,
])

/** The call that subscribes. `windowBytes`: bytes that the server may send ahead. */
export function callOf(
  { url, token, certificateAuthority }: GeyserEndpoint,
  { keepaliveMs }: Pick<GeyserTimes, 'keepaliveMs'>,
  windowBytes: number,
): GrpcCall {
  return {
    endpoint: url,
    path: METHOD,
    secret: token === undefined ? undefined : { name: TOKEN_NAME, value: token },
    certificateAuthority,
    messageBytesMax: MESSAGE_BYTES_MAX,
    windowBytes,
    keepaliveMs,
  }
}

export class GeyserSubscription {
  readonly #endpoint: GeyserEndpoint
  readonly #times: GeyserTimes
  readonly #assembler: BlockAssembler
  readonly #stream: GrpcStream
  readonly #silence: NodeJS.Timeout
  #error: GrpcError | undefined
  #hasUpdates = false
  #isPaused = false
  #isFetching = false
  /** The reader waits: held slots cannot be yielded yet. */
  #isWaiting = false
  #pauseEnd: NodeJS.Timeout | undefined
  /** Runs from the first wait of the reader until it has a slot. */
  #stall: NodeJS.Timeout | undefined
  #pings = 0
  #wake = Promise.withResolvers<void>()

  constructor(
    endpoint: GeyserEndpoint,
    times: GeyserTimes,
    assembler: BlockAssembler,
    subscription: Subscription,
  ) {
    this.#endpoint = endpoint
    this.#times = times
    this.#assembler = assembler
    const windowBytes = assembler.bytesMax * WINDOW_SHARE
    this.#stream = new GrpcStream(callOf(endpoint, times, windowBytes), {
      onMessage: (message) => this.#receive(message),
      onEnd: (error) => this.#fail(error),
    })
    this.#silence = setTimeout(() => this.#beSilent(), times.silentMs)
    this.#stream.send(subscribeRequest(subscription))
  }

  /** Whether the stream ended before it began, with one of the codes of servers that do not replay from the slot. */
  get hasRefusedReplay(): boolean {
    return this.#error !== undefined && !this.#hasUpdates && REFUSED_REPLAY.has(this.#error.code)
  }

  /** Why the stream ended, or undefined. */
  get error(): GrpcError | undefined {
    return this.#error
  }

  /** Resolves when the assembler may have more, the stream has ended, or the signal is aborted. */
  async more(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    // Nothing of what waits can be yielded without more of the stream.
    this.#resume()
    const { promise, resolve } = this.#wake
    const end = (): void => resolve()
    signal.addEventListener('abort', end, { once: true })
    this.#isWaiting = true
    this.#stall ??= setTimeout(() => this.#beStalled(), this.#times.stalledMs)
    await promise
    this.#isWaiting = false
    signal.removeEventListener('abort', end)
    this.#wake = Promise.withResolvers<void>()
  }

  /** While slots are fetched the stream is not paused. */
  setFetching(isFetching: boolean): void {
    this.#isFetching = isFetching
    if (isFetching) this.#resume()
  }

  /** The reader has handled a slot: lets the stream go on once enough was yielded. */
  relieve(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
    if (this.#assembler.fill <= RESUME_AT) this.#resume()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    clearTimeout(this.#pauseEnd)
    this.#silence.refresh()
    this.#stream.resume()
  }

  close(): void {
    clearTimeout(this.#silence)
    clearTimeout(this.#pauseEnd)
    clearTimeout(this.#stall)
    this.#stream.close()
  }

  #receive(message: Buffer): void {
    try {
      const update = readUpdate(message)
      if (update.kind === 'ping') this.#stream.send(pingRequest(++this.#pings))
      if (update.kind === 'ping' || update.kind === 'pong' || update.kind === 'other') return
      this.#hasUpdates = true
      this.#silence.refresh()
      if (this.#assembler.push(update)) this.#wake.resolve()
      if (this.#assembler.fill > PAUSE_AT && !this.#isFetching && !this.#isWaiting) this.#pause()
    } catch (cause) {
      if (!(cause instanceof WireError)) throw cause
      this.#fail(
        new GrpcError(GRPC.internal, `update that cannot be read: ${cause.message}`, { cause }),
      )
    }
  }

  #pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#stream.pause()
    this.#pauseEnd = setTimeout(() => {
      const text = `events were not consumed for ${this.#times.pausedMs / 1_000} s`
      this.#fail(new GrpcError(GRPC.unavailable, text))
    }, this.#times.pausedMs)
  }

  #beSilent(): void {
    if (this.#isPaused) return
    const text = `no update for ${this.#times.silentMs / 1_000} s`
    this.#fail(new GrpcError(GRPC.unavailable, text))
  }

  #beStalled(): void {
    const { newestSlot } = this.#assembler
    const newest = newestSlot === 0 ? 'no slot has it' : `the newest slot with it is ${newestSlot}`
    const seconds = this.#times.stalledMs / 1_000
    const text = `no slot at the commitment came for ${seconds} s although updates come: ${newest}`
    this.#fail(new GrpcError(GRPC.unavailable, text))
  }

  #fail(error: GrpcError): void {
    this.#error ??= error
    this.close()
    this.#wake.resolve()
  }

  /** The error as the source reports it. */
  toSourceError(cause: GrpcError): SourceError {
    const { code } = cause
    const advice = code === GRPC.unauthenticated ? ': check the x-token' : ''
    const text = `${this.#endpoint.name}: ${cause.message}${advice}`
    return new SourceError(text, { isRetryable: !FINAL_CODES.has(code), cause })
  }
}
