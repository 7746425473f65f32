/**
 * One call of a gRPC method with streams in both directions, over Node's HTTP/2.
 *
 * The gRPC library passes each message through several objects; here a chunk of bytes is cut into its messages, which
 * costs a fourth of that (docs/decisions/0036-own-reader-of-yellowstone-streams.md). Backpressure is that of HTTP/2:
 * while the stream is paused, its window fills and the server stops. No text of an error repeats the metadata.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
  sensitiveHeaders,
} from 'node:http2'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { FrameReader, frameOf } from './frames.ts'

/** Status codes of gRPC that are distinguished. */
export const GRPC = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  permissionDenied: 7,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

export class GrpcError extends Error {
  override name = 'GrpcError'
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export type GrpcCall = {
  /** http:// or https://, with host and port. */
  endpoint: URL
  /** `/package.Service/Method` */
  path: string
  /** A credential, sent as metadata of this name. */
  secret?: { name: string; value: string } | undefined
  /** PEM of the authority of the server's certificate; absent: those of the system. */
  certificateAuthority?: string | undefined
  messageBytesMax: number
  /** Bytes that the server may send ahead. */
  windowBytes: number
  /** Milliseconds between two pings of the connection, and for the answer to one. */
  keepaliveMs: number
}

type GrpcListener = {
  onMessage: (message: Buffer) => void
  /** Once; nothing comes after it. A stream that ends with OK ends with an error too: it has no end by itself. */
  onEnd: (error: GrpcError) => void
}

/** The least that HTTP/2 allows without a change of settings. */
const WINDOW_BYTES_MIN = 65_535
const STATUS_TEXT_MAX = 200

export class GrpcStream {
  readonly #call: GrpcCall
  readonly #listener: GrpcListener
  readonly #session: ClientHttp2Session
  readonly #stream: ClientHttp2Stream
  readonly #frames: FrameReader
  readonly #keepalive: NodeJS.Timeout
  #trailers: Headers = {}
  #hasEnded = false

  constructor(call: GrpcCall, listener: GrpcListener) {
    this.#call = call
    this.#listener = listener
    this.#frames = new FrameReader(call.messageBytesMax)
    const windowBytes = Math.max(WINDOW_BYTES_MIN, call.windowBytes)
    this.#session = connect(call.endpoint, {
      settings: { initialWindowSize: windowBytes, enablePush: false },
      ...(call.certificateAuthority === undefined ? {} : { ca: call.certificateAuthority }),
    })
    this.#session.on('connect', () => this.#session.setLocalWindowSize(windowBytes))
    this.#session.on('error', (cause) => this.#fail(GRPC.unavailable, 'connection failed', cause))
    this.#session.on('goaway', () => this.#fail(GRPC.unavailable, 'server closes the connection'))
    this.#session.on('close', () => this.#fail(GRPC.unavailable, 'connection closed'))
    this.#stream = this.#session.request(headersOf(call))
    this.#stream.on('response', (headers) => this.#respond(headers))
    this.#stream.on('trailers', (trailers) => {
      this.#trailers = trailers
    })
    this.#stream.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#stream.on('end', () => this.#end())
    this.#stream.on('error', (cause) => this.#fail(GRPC.unavailable, 'connection failed', cause))
    this.#stream.on('close', () => this.#fail(GRPC.unavailable, 'server closed the stream'))
    this.#keepalive = setInterval(() => this.#ping(), call.keepaliveMs)
  }

  send(message: Uint8Array): void {
    if (!this.#hasEnded) this.#stream.write(frameOf(message))
  }

  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  /** Ends the call without an event to the listener. */
  close(): void {
    this.#hasEnded = true
    clearInterval(this.#keepalive)
    this.#stream.on('error', () => {})
    this.#session.on('error', () => {})
    this.#stream.close(constants.NGHTTP2_CANCEL)
    this.#session.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#hasEnded) return
    try {
      this.#frames.push(chunk, (message) => {
        if (!this.#hasEnded) this.#listener.onMessage(message)
      })
    } catch (cause) {
      if (!(cause instanceof WireError)) throw cause
      this.#fail(GRPC.internal, cause.message, cause)
    }
  }

  #respond(headers: Headers): void {
    const status = Number(headers[':status'])
    if (headers['grpc-status'] !== undefined) this.#trailers = headers
    else if (status !== 200) {
      this.#fail(CODE_OF_HTTP[status] ?? GRPC.unknown, `HTTP status ${status}`)
    } else if (!String(headers['content-type']).startsWith('application/grpc')) {
      this.#fail(GRPC.unknown, 'the answer is not gRPC')
    }
  }

  #end(): void {
    const code = Number(this.#trailers['grpc-status'] ?? GRPC.unavailable)
    const text = this.#clean(String(this.#trailers['grpc-message'] ?? ''))
    if (code === GRPC.ok) this.#fail(GRPC.unavailable, 'server ended the stream')
    else if (!this.#frames.isBetweenMessages) this.#fail(GRPC.unavailable, 'stream was cut')
    else this.#fail(code, text === '' ? `gRPC status ${code}` : `gRPC status ${code} "${text}"`)
  }

  #ping(): void {
    const late = setTimeout(
      () => this.#fail(GRPC.unavailable, 'server does not answer pings'),
      this.#call.keepaliveMs,
    )
    const isSent = !this.#session.destroyed && this.#session.ping(() => clearTimeout(late))
    if (!isSent) clearTimeout(late)
  }

  /** The server's words: decoded, on one line, without the credential. */
  #clean(text: string): string {
    const secret = this.#call.secret?.value
    const decoded = percentDecoded(text)
    const hidden = secret === undefined ? decoded : decoded.replaceAll(secret, '***')
    return hidden.replaceAll(/\p{Cc}/gu, ' ').slice(0, STATUS_TEXT_MAX)
  }

  #fail(code: number, text: string, cause?: unknown): void {
    if (this.#hasEnded) return
    this.close()
    const reason = cause instanceof WireError ? '' : reasonOf(cause)
    this.#listener.onEnd(new GrpcError(code, `${text}${reason}`, { cause }))
  }
}

/** The reason of an error; of a stream that waited for its connection, the connection's. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return error.cause instanceof Error ? reasonOf(error.cause) : `: ${error.message}`
}

type Headers = Readonly<Record<string, unknown>>

/** The mapping by which gRPC reads answers of proxies. */
const CODE_OF_HTTP: Readonly<Record<number, number>> = {
  400: GRPC.internal,
  401: GRPC.unauthenticated,
  403: GRPC.permissionDenied,
  404: GRPC.unimplemented,
  429: GRPC.unavailable,
  502: GRPC.unavailable,
  503: GRPC.unavailable,
  504: GRPC.unavailable,
}

function headersOf({ path, secret }: GrpcCall): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(secret === undefined ? {} : { [secret.name]: secret.value }),
    [sensitiveHeaders]: secret === undefined ? [] : [secret.name],
  }
}

/** Status texts are percent-encoded. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
