/**
 * Requests to a Solana node over HTTP: what the providers of balances and mints and the source of blocks have in common.
 * The URL may hold a key, in its path too: messages name the host alone.
 *
 * By node:http, which takes half the CPU of fetch for a block of 3 MB (docs/measurements). Redirects could leak a key and
 * are not followed.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { AnswerTooLong } from './failure.ts'

export type Endpoint = {
  url: string
  host: string
  headers: Readonly<Record<string, string>>
  /** Parts of the URL that may be a key. */
  secrets: readonly string[]
}

/** Shorter parts of a path are words such as `v2`. */
const SECRET_LENGTH_MIN = 8

export function endpointOf(rpcUrl: string): Endpoint {
  const url = new URL(rpcUrl)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'accept-encoding': 'gzip',
  }
  const secrets = [url.username, url.password, ...url.searchParams.values()]
    .concat(url.pathname.split('/').filter(({ length }) => length >= SECRET_LENGTH_MIN))
    .filter((part) => part !== '')
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    url.username = ''
    url.password = ''
  }
  return { url: url.href, host: url.host, headers, secrets }
}

/** A text without the keys of the URL: a node may repeat one in its error. */
export function withoutSecrets({ secrets }: Endpoint, text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

/** No response, or one that ended early; `cause` is the error of the connection. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

export type HttpResponse = {
  readonly status: number
  readonly retryAfter: string | null
  /** Its content-encoding; empty without one. */
  readonly encoding: string
  /**
   * The result of `use` for the unpacked body, whose bytes are used again afterwards. Throws AnswerTooLong, ConnectionLost, and
   * the reason of the signal.
   */
  read<Made>(bytesMax: number, use: (body: Buffer) => Made): Promise<Made>
  discard(): void
}

/** The response of a POST. Throws ConnectionLost, and the reason of the signal. */
export function post(
  { url, headers }: Endpoint,
  question: object,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const body = Buffer.from(JSON.stringify(question))
  const sent = { ...headers, 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(failureOf(cause, signal))
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const send = url.startsWith('https:') ? requestHttps : requestHttp
    const request = send(url, { method: 'POST', headers: sent, signal })
    request.once('response', (message) => resolve(responseOf(message, signal)))
    request.on('error', fail)
    request.end(body)
  })
}

const failureOf = (cause: Error, signal: AbortSignal): Error =>
  signal.aborted ? signal.reason : new ConnectionLost('connection lost', { cause })

function responseOf(message: IncomingMessage, signal: AbortSignal): HttpResponse {
  const { statusCode = 0, headers } = message
  const encoding = headers['content-encoding'] ?? ''
  return {
    status: statusCode,
    retryAfter: headers['retry-after'] ?? null,
    encoding,
    async read(bytesMax, use) {
      const body = BODIES.pop() ?? new Body()
      await readInto(body, message, bytesMax, signal)
      const made = use(encoding === 'gzip' ? await unpack(body.bytes, bytesMax) : body.bytes)
      if (BODIES.length < BODIES_MAX && body.capacity <= BODY_BYTES_MAX) BODIES.push(body)
      return made
    },
    discard: () => void message.destroy(),
  }
}

const tooLong = (bytesMax: number): AnswerTooLong =>
  new AnswerTooLong(`answer of more than ${bytesMax} bytes`)

/** Bodies that are used again: blocks come one after the other, and new memory costs page faults and collections. */
const BODIES: Body[] = []
const BODIES_MAX = 16
const BODY_BYTES_MAX = 8 * 1024 * 1024
const BODY_BYTES_MIN = 64 * 1024

class Body {
  #buffer = Buffer.alloc(0)
  #length = 0

  get capacity(): number {
    return this.#buffer.length
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) {
      const longer = Buffer.allocUnsafeSlow(
        Math.max(length, 2 * this.#buffer.length, BODY_BYTES_MIN),
      )
      this.#buffer.copy(longer, 0, 0, this.#length)
      this.#buffer = longer
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }
}

function readInto(
  body: Body,
  message: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): Promise<void> {
  body.clear()
  return new Promise((resolve, reject) => {
    message.on('data', (chunk: Buffer) => {
      if (body.bytes.length + chunk.length > bytesMax) message.destroy(tooLong(bytesMax))
      else body.append(chunk)
    })
    message.once('end', resolve)
    message.once('error', (error) => {
      reject(error instanceof AnswerTooLong ? error : failureOf(error, signal))
    })
  })
}

const unpackAll = promisify(gunzip)
const UNPACKED_CHUNK_BYTES = 1024 * 1024

async function unpack(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    const options = { maxOutputLength: bytesMax, chunkSize: UNPACKED_CHUNK_BYTES }
    return await unpackAll(bytes, options)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(bytesMax)
    throw new ConnectionLost('answer cannot be unpacked', { cause })
  }
}
