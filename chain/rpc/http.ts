/**
 * Requests to a Solana node over HTTP, for the providers of balances and mints and the source of blocks.
 * The URL may hold a key, in its path too: messages name only the host.
 * Redirects could leak a key and are not followed.
 *
 * Law: a response is whole or its promise rejects. A connection that the server closed while it was idle costs no request.
 * Decision: docs/decisions/0042-bodies-of-blocks-are-read-by-node-http.md
 */
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type Body, returnBody, takeBody, tooLong } from './body.ts'
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
  try {
    return responseOf(await send(url, sent, body, signal), signal)
  } catch (cause) {
    throw failureOf(cause as Error, signal)
  }
}

const failureOf = (cause: Error, signal: AbortSignal): Error =>
  signal.aborted ? signal.reason : new ConnectionLost('connection lost', { cause })

type Headers = Readonly<Record<string, string>>

async function send(
  url: string,
  headers: Headers,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  for (;;) {
    signal.throwIfAborted()
    const sent = request(url, { method: 'POST', headers, signal })
    try {
      return await new Promise((resolve, reject) => {
        sent.once('response', resolve)
        sent.on('error', reject)
        sent.end(body)
      })
    } catch (error) {
      // The server closed the connection while it was idle: another one is tried.
      const isStale = sent.reusedSocket && CLOSED.has((error as NodeJS.ErrnoException).code ?? '')
      if (!isStale || signal.aborted) throw error
    }
  }
}

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

async function collect(message: IncomingMessage, bytesMax: number): Promise<Body> {
  const body = takeBody()
  // Leaving the loop by an error closes the connection; a connection that closes early throws.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > bytesMax) throw tooLong(bytesMax)
    body.append(chunk)
  }
  return body
}

function responseOf(message: IncomingMessage, signal: AbortSignal): HttpResponse {
  const encoding = message.headers['content-encoding'] ?? ''
  return {
    status: message.statusCode ?? 0,
    retryAfter: message.headers['retry-after'] ?? null,
    encoding,
    async read(bytesMax, use) {
      const body = await collect(message, bytesMax).catch((error: Error) => {
        throw error instanceof AnswerTooLong ? error : failureOf(error, signal)
      })
      const made = use(encoding === 'gzip' ? await unpack(body.bytes, bytesMax) : body.bytes)
      returnBody(body)
      return made
    },
    discard: () => void message.destroy(),
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
