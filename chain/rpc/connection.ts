/**
 * Requests over HTTP/1.1 on sockets of node:net, which stay open for the next request. The socket reads a body straight into
 * the memory in which it is parsed: no buffer and no copy for each 64 KiB
 * (docs/decisions/0042-bodies-of-blocks-are-read-into-place.md).
 *
 * Law: a response is whole or its promise rejects. A connection that the server closed while it was idle costs no request:
 * that is sent again on another one, as long as no byte of a response came.
 */
import { connect, type Socket } from 'node:net'
import { type Body, takeBody, tooLong } from './body.ts'
import { type ResponseHead, type ResponseListener, ResponseParser } from './response-parser.ts'

export type ReceivedHead = ResponseHead & {
  /** The whole body. Rejects with AnswerTooLong, the error of the connection, or the reason of the signal. */
  collect(bytesMax: number): Promise<Body>
  discard(): void
}

/** For heads and short bodies of all connections: bytes are read and used in the same turn. */
const SHARED = Buffer.allocUnsafeSlow(64 * 1024)
const DIRECT_READ_BYTES_MIN = 4 * 1024
const DIRECT_READ_BYTES_MAX = 1024 * 1024
const IDLE_MS_MAX = 4_000
/** A server closes after the time that it names: the request must arrive before. */
const IDLE_MARGIN_MS = 1_000
const HTTP_PORT = 80

const idle = new Map<string, Connection[]>()

/** The response to a request to this `http:` URL; `bytes`: head and body of the request. */
export async function exchange(
  url: URL,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<ReceivedHead> {
  for (;;) {
    signal.throwIfAborted()
    const reused = idle.get(url.host)?.pop()
    const response = new Exchange()
    try {
      return await (reused ?? new Connection(url)).send(bytes, response, signal)
    } catch (error) {
      if (reused === undefined || response.hasBegun || signal.aborted) throw error
    }
  }
}

class Exchange implements ResponseListener {
  readonly parser = new ResponseParser(this)
  hasBegun = false
  idleMs = IDLE_MS_MAX
  readonly #body = takeBody()
  readonly #head = Promise.withResolvers<ReceivedHead>()
  readonly #whole = Promise.withResolvers<Body>()
  #bytesMax: number | undefined
  #abandon: (error: Error) => void = () => {}

  constructor() {
    // A response that is discarded has no reader.
    this.#whole.promise.catch(() => {})
  }

  get head(): Promise<ReceivedHead> {
    return this.#head.promise
  }

  /** `abandon`: closes the connection, and fails this with the error. */
  begin(abandon: (error: Error) => void): void {
    this.#abandon = abandon
  }

  onHead(head: ResponseHead): void {
    const seconds = /\btimeout=(\d{1,6})/i.exec(head.headers.get('keep-alive') ?? '')?.[1]
    if (seconds !== undefined) {
      this.idleMs = Math.min(IDLE_MS_MAX, Number(seconds) * 1_000 - IDLE_MARGIN_MS)
    }
    this.#head.resolve({
      ...head,
      collect: (bytesMax) => {
        this.#bytesMax = bytesMax
        if (this.#body.length > bytesMax) this.#abandon(tooLong(bytesMax))
        return this.#body.length > bytesMax
          ? Promise.reject(tooLong(bytesMax))
          : this.#whole.promise
      },
      discard: () => this.#abandon(new Error('response was discarded')),
    })
  }

  onBody(bytes: Buffer): void {
    this.#bound(bytes.length)
    this.#body.append(bytes)
  }

  /** Where the next bytes belong; undefined where that is to be found by the parser. */
  room(): Buffer | undefined {
    const { bodyBytesNext } = this.parser
    if (this.#bytesMax === undefined || bodyBytesNext < DIRECT_READ_BYTES_MIN) return undefined
    return this.#body.room(Math.min(bodyBytesNext, DIRECT_READ_BYTES_MAX))
  }

  /** The socket wrote so many bytes into the room. */
  fill(count: number): void {
    this.#bound(count)
    this.#body.extend(count)
    this.parser.pass(count)
  }

  finish(): void {
    this.#whole.resolve(this.#body)
  }

  fail(error: Error): void {
    this.#head.reject(error)
    this.#whole.reject(error)
  }

  #bound(count: number): void {
    const bytesMax = this.#bytesMax
    if (bytesMax !== undefined && this.#body.length + count > bytesMax) throw tooLong(bytesMax)
  }
}

class Connection {
  readonly #host: string
  readonly #socket: Socket
  #exchange: Exchange | undefined
  #isDirectRead = false
  #release = (): void => {}

  constructor(url: URL) {
    this.#host = url.host
    this.#socket = connect({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? HTTP_PORT : Number(url.port),
      noDelay: true,
      onread: {
        buffer: () => this.#nextBuffer(),
        callback: (count, buffer) => this.#read(count, buffer),
      },
    })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#close())
    this.#socket.on('timeout', () => this.#socket.destroy())
  }

  send(bytes: Buffer, response: Exchange, signal: AbortSignal): Promise<ReceivedHead> {
    const abort = (): void => this.#fail(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#release = () => signal.removeEventListener('abort', abort)
    this.#exchange = response
    response.begin((error) => {
      if (this.#exchange === response) this.#fail(error)
    })
    this.#socket.ref()
    this.#socket.setTimeout(0)
    this.#socket.write(bytes)
    return response.head
  }

  #nextBuffer(): Buffer {
    const room = this.#exchange?.room()
    this.#isDirectRead = room !== undefined
    return room ?? SHARED
  }

  #read(count: number, buffer: Uint8Array): boolean {
    const response = this.#exchange
    if (response === undefined) {
      // Bytes that answer no request.
      this.#socket.destroy()
      return true
    }
    response.hasBegun = true
    try {
      if (this.#isDirectRead) response.fill(count)
      else response.parser.push(Buffer.from(buffer.buffer, buffer.byteOffset, count))
    } catch (error) {
      this.#fail(error as Error)
    }
    if (response.parser.isDone && this.#exchange === response) this.#finish(response)
    return true
  }

  #finish(response: Exchange): void {
    this.#exchange = undefined
    this.#release()
    response.finish()
    if (!response.parser.isPersistent || response.idleMs <= 0 || this.#socket.destroyed) {
      this.#socket.destroy()
      return
    }
    this.#socket.setTimeout(response.idleMs)
    this.#socket.unref()
    const others = idle.get(this.#host)
    if (others === undefined) idle.set(this.#host, [this])
    else others.push(this)
  }

  #close(): void {
    const others = (idle.get(this.#host) ?? []).filter((other) => other !== this)
    if (others.length === 0) idle.delete(this.#host)
    else idle.set(this.#host, others)
    const response = this.#exchange
    if (response === undefined) return
    response.parser.end()
    if (response.parser.isDone) this.#finish(response)
    else this.#fail(new Error(response.hasBegun ? 'aborted' : 'socket hang up'))
  }

  #fail(error: Error): void {
    const response = this.#exchange
    this.#exchange = undefined
    this.#release()
    this.#socket.destroy()
    response?.fail(error)
  }
}
