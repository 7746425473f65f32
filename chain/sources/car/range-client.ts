/**
 * Files over HTTP by ranges: what a server sends is used where it is exactly the range that was requested.
 *
 * A connection that breaks off, a range that comes short, and a status that passes are requested again from the first byte that
 * is missing, with growing delays, `attemptsMax` times in a row: then it is a retryable SourceError. A server that answers
 * without ranges, a file that changed meanwhile, and a refusal are final. Redirects are not followed. Messages name the host
 * and the file only, and no key.
 */
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { SourceError } from '../../../streams/sources/source.ts'
import { retryAfterMs } from '../../rpc/failure.ts'
import { ConnectionLost, type Endpoint, endpointOf, withoutSecrets } from '../../rpc/http.ts'
import { Pacing } from '../../rpc/pacing.ts'
import { readPart } from './range-part.ts'

export type RangeOptions = {
  /** URL of the folder. */
  url: string
  requestsPerSecond?: number
  /** Bytes of one range. */
  rangeBytes?: number
  /** Milliseconds without a byte after which a connection counts as lost. */
  idleMs?: number
  /** Times that one range is requested before its failure ends the source. */
  attemptsMax?: number
  /** Milliseconds before the first repetition; each further one waits twice as long. */
  retryFromMs?: number
}

const REQUESTS_PER_SECOND = 20
const RANGE_BYTES = 64 * 1024 * 1024
const IDLE_MS = 60_000
const ATTEMPTS_MAX = 10
const RETRY_FROM_MS = 1_000
const RETRY_TO_MS = 60_000

const [OK, PARTIAL, NOT_FOUND, TOO_EARLY, TIMED_OUT, THROTTLED] = [200, 206, 404, 425, 408, 429]

/** A failure that no repetition mends, with its reason. */
class FinalFailure extends Error {
  override name = 'FinalFailure'
}

export class RangeClient {
  readonly host: string
  readonly counts = { requests: 0, throttled: 0, failed: 0 }
  readonly #endpoint: Endpoint
  readonly #options: RangeOptions
  readonly #pacing: Pacing
  /** By path: which version of the file was read before. */
  readonly #versions = new Map<string, string>()

  constructor(options: RangeOptions) {
    this.#endpoint = endpointOf(options.url.replace(/\/+$/, ''))
    this.host = this.#endpoint.host
    this.#options = options
    this.#pacing = new Pacing(options.requestsPerSecond ?? REQUESTS_PER_SECOND)
  }

  /** The bytes of a file from an offset on, to its end. Throws SourceError. */
  async *read(path: string, start: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { rangeBytes = RANGE_BYTES } = this.#options
    let at = start
    let total = Number.POSITIVE_INFINITY
    let failures = 0
    while (at < total) {
      const last = Math.min(total, at + rangeBytes) - 1
      try {
        const message = await this.#send(path, signal, { range: `bytes=${at}-${last}` })
        try {
          total = this.#expectPart(path, message, at, last)
          for await (const chunk of readPart(message, Math.min(total, last + 1) - at)) {
            at += chunk.length
            failures = 0
            yield chunk
          }
        } finally {
          message.destroy()
        }
      } catch (error) {
        failures = await this.#failed(error, failures, `${path} from byte ${at} on`, signal)
      }
    }
  }

  /** A whole file of so many bytes; undefined where the server has none. Throws SourceError. */
  async whole(path: string, bytes: number, signal: AbortSignal): Promise<Buffer | undefined> {
    for (let failures = 0; ; ) {
      try {
        const message = await this.#send(path, signal)
        try {
          if (message.statusCode === NOT_FOUND) return undefined
          if (message.statusCode !== OK) throw this.#refusal(message)
          const chunks: Buffer[] = []
          for await (const chunk of readPart(message, bytes)) chunks.push(chunk)
          return Buffer.concat(chunks)
        } finally {
          message.destroy()
        }
      } catch (error) {
        failures = await this.#failed(error, failures, path, signal)
      }
    }
  }

  /** The size of the file. Throws where the response is not the range. */
  #expectPart(path: string, message: IncomingMessage, first: number, last: number): number {
    const { statusCode, headers } = message
    if (statusCode === OK) throw new FinalFailure('it is sent whole: the server serves no ranges')
    if (statusCode === NOT_FOUND) throw new FinalFailure('the server has no such file')
    if (statusCode !== PARTIAL) throw this.#refusal(message)
    const stated = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '')
    const [begin, end, total] = (stated ?? []).slice(1).map(Number)
    const expected = Math.min(last, (total ?? 0) - 1)
    if (total === undefined || begin !== first || end !== expected) {
      const found = headers['content-range'] ?? 'no range'
      throw new FinalFailure(`the server answers "${found}", expected ${first} to ${last}`)
    }
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') throw new FinalFailure(`it is sent as "${encoding}"`)
    this.#expectVersion(path, `${headers.etag ?? headers['last-modified'] ?? ''} ${total}`)
    return total
  }

  #expectVersion(path: string, version: string): void {
    const known = this.#versions.get(path)
    if (known !== undefined && known !== version) {
      throw new FinalFailure('the file has changed while it was read')
    }
    this.#versions.set(path, version)
  }

  #refusal({ statusCode = 0, headers }: IncomingMessage): Error {
    const reason = `HTTP status ${statusCode}`
    if (statusCode === THROTTLED || headers['retry-after'] !== undefined) {
      this.counts.throttled++
      const waitMs = retryAfterMs(headers['retry-after'] ?? null, Date.now())
      this.#pacing.pause(waitMs ?? this.#options.retryFromMs ?? RETRY_FROM_MS)
      return new ConnectionLost(reason)
    }
    const mayPass = statusCode >= 500 || statusCode === TIMED_OUT || statusCode === TOO_EARLY
    return mayPass ? new ConnectionLost(reason) : new FinalFailure(reason)
  }

  /** The number of failures in a row, after the wait before the next attempt. Throws SourceError. */
  async #failed(
    error: unknown,
    failures: number,
    subject: string,
    signal: AbortSignal,
  ): Promise<number> {
    signal.throwIfAborted()
    const isFinal = error instanceof FinalFailure
    const isPassing = error instanceof ConnectionLost || isSystemError(error)
    if (!isFinal && !isPassing) throw error
    this.counts.failed++
    const { attemptsMax = ATTEMPTS_MAX, retryFromMs = RETRY_FROM_MS } = this.#options
    if (isFinal || failures + 1 >= attemptsMax) {
      const reason = withoutSecrets(this.#endpoint, (error as Error).message)
      const text = `${subject} from ${this.host}: ${reason}`
      throw new SourceError(text, { isRetryable: !isFinal, cause: error })
    }
    await sleep(Math.min(RETRY_TO_MS, retryFromMs * 2 ** failures), undefined, { signal })
    return failures + 1
  }

  async #send(
    path: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<IncomingMessage> {
    await this.#pacing.admit(signal)
    this.counts.requests++
    const { url, headers: own } = this.#endpoint
    const { idleMs = IDLE_MS } = this.#options
    const { authorization } = own
    const send = url.startsWith('https:') ? requestSecure : requestPlain
    return new Promise((resolve, reject) => {
      const sent = send(`${url.replace(/\/$/, '')}/${path}`, {
        headers: {
          ...headers,
          ...(authorization === undefined ? {} : { authorization }),
          'accept-encoding': 'identity',
        },
        timeout: idleMs,
        signal,
      })
      sent.once('timeout', () => sent.destroy(new ConnectionLost(`no byte in ${idleMs} ms`)))
      sent.once('error', reject)
      sent.once('response', resolve)
      sent.end()
    })
  }
}

const isSystemError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException).code === 'string'
