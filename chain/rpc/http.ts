/**
 * Requests to a Solana node over HTTP, for the providers of balances and mints and the source of blocks.
 * The URL may hold a key, in its path too: messages name the host only.
 *
 * A plain connection is read by connection.ts, a secure one by node:https. Redirects could leak a key and are not followed.
 */
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type Body, returnBody, takeBody, tooLong } from './body.ts'
import { exchange, type ReceivedHead } from './connection.ts'
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
  /** Value of content-encoding; empty without one. */
  readonly encoding: string
  /**
   * The result of `use` for the unpacked body, whose bytes are used again afterwards. Throws AnswerTooLong, ConnectionLost, and
   * the reason of the signal.
   */
  read<Made>(bytesMax: number, use: (body: Buffer) => Made): Promise<Made>
  discard(): void
}

/** The response of a POST. Throws ConnectionLost, and the reason of the signal. */
export async function post(
  { url, headers }: Endpoint,
  question: object,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const body = JSON.stringify(question)
  const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const send = url.startsWith('https:') ? sendSecure : sendPlain
  try {
    return responseOf(await send(url, sent, body, signal), signal)
  } catch (cause) {
    throw failureOf(cause as Error, signal)
  }
}

const failureOf = (cause: Error, signal: AbortSignal): Error =>
  signal.aborted ? signal.reason : new ConnectionLost('connection lost', { cause })

type Headers = Readonly<Record<string, string>>

function sendPlain(
  url: string,
  headers: Headers,
  body: string,
  signal: AbortSignal,
): Promise<ReceivedHead> {
  const target = new URL(url)
  const lines = [
    `POST ${target.pathname}${target.search} HTTP/1.1`,
    `host: ${target.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: keep-alive',
  ]
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
  return exchange(target, bytes, signal)
}

/** A TLS socket of Node does not read into memory of its owner. */
function sendSecure(
  url: string,
  headers: Headers,
  body: string,
  signal: AbortSignal,
): Promise<ReceivedHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const sent = request(url, { method: 'POST', headers, signal })
    sent.once('response', (message) => resolve(receivedHead(message)))
    sent.on('error', reject)
    sent.end(body)
  })
}

function receivedHead(message: IncomingMessage): ReceivedHead {
  return {
    status: message.statusCode ?? 0,
    headers: new Map(Object.entries(message.headers).map(([name, value]) => [name, `${value}`])),
    collect: (bytesMax) => collect(message, bytesMax),
    discard: () => void message.destroy(),
  }
}

function collect(message: IncomingMessage, bytesMax: number): Promise<Body> {
  const body = takeBody()
  return new Promise((resolve, reject) => {
    message.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > bytesMax) message.destroy(tooLong(bytesMax))
      else body.append(chunk)
    })
    message.once('end', () => resolve(body))
    message.once('error', reject)
  })
}

function responseOf(head: ReceivedHead, signal: AbortSignal): HttpResponse {
  const encoding = head.headers.get('content-encoding') ?? ''
  return {
    status: head.status,
    retryAfter: head.headers.get('retry-after') ?? null,
    encoding,
    async read(bytesMax, use) {
      const body = await head.collect(bytesMax).catch((error: Error) => {
        throw error instanceof AnswerTooLong ? error : failureOf(error, signal)
      })
      const made = use(encoding === 'gzip' ? await unpack(body.bytes, bytesMax) : body.bytes)
      returnBody(body)
      return made
    },
    discard: head.discard,
  }
}

const unpackAll = promisify(gunzip)
const UNPACKED_CHUNK_BYTES = 1024 * 1024

async function unpack(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    const options = { maxOutputLength: bytesMax, chunkSize: UNPACKED_CHUNK_BYTES }
    return await unpackAll(bytes, options)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(bytesMax)
    throw new ConnectionLost('response cannot be decompressed', { cause })
  }
}
