/**
 * Blocks of an SQD Portal over HTTP: a request is answered by a stream of lines, one block each.
 *
 * Requests are paced by a token bucket, and all of them pause where the portal throttles one. A request that fails is
 * repeated with growing delays, `attemptsMax` times: then it is a retryable SourceError, as it is a final one at once where the
 * portal refuses it. Redirects are not followed. Messages name the host only, and no key.
 */
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../../domain/text/exact-json.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import { retryAfterMs } from '../../rpc/failure.ts'
import { ConnectionLost, type Endpoint, endpointOf, withoutSecrets } from '../../rpc/http.ts'
import { Pacing } from '../../rpc/pacing.ts'
import { countOf, listOf, objectOf, textOf } from '../../transaction/parts.ts'
import { linesOf } from './lines.ts'
import { type PortalQuery, portalBody } from './query.ts'
import { unpacked } from './unpack.ts'

/** The public portal allows 20 requests in 10 s. */
const REQUESTS_PER_SECOND = 2

/** `value` may be a key: no message contains it. */
export type PortalHeader = { readonly name: string; readonly value: string }

export type PortalOptions = {
  /** URL of the dataset. */
  url: string
  /** A header that the portal demands; it is sent to the host of `url` only. */
  header?: PortalHeader | undefined
  requestsPerSecond?: number
  /** Milliseconds without a byte after which a connection counts as lost. */
  idleMs?: number
  /** Times that one request is sent before its failure ends the source. */
  attemptsMax?: number
  /** Milliseconds before the first repetition; each further one waits twice as long. */
  retryFromMs?: number
}

/** A block by its number and hash, as the portal lists those of its chain on a fork. */
export type PortalBlockName = { readonly slot: number; readonly hash: string }

/**
 * - `lines`: blocks, ascending; they may end before the last slot that was requested
 * - `beyond_head`: no block of the range exists yet
 * - `fork`: the parent that was named is no part of the portal's chain, of which these are blocks, ascending
 */
export type PortalAnswer =
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<string> }
  | { readonly kind: 'beyond_head' }
  | { readonly kind: 'fork'; readonly blocks: readonly PortalBlockName[] }

type PortalRequest = {
  path: string
  /** How messages name it. */
  subject: string
  body?: string
  /** A status that is an answer to this request, not a failure. */
  isAbsent?: number
}

/** `bytes`: of bodies, as they came over the network. */
type PortalCounts = { requests: number; throttled: number; failed: number; bytes: number }

const IDLE_MS = 60_000
const ATTEMPTS_MAX = 10
const RETRY_FROM_MS = 1_000
const RETRY_TO_MS = 60_000
/** Characters of an error text of the portal that are shown. */
const MESSAGE_LENGTH_MAX = 200
const ERROR_BYTES_MAX = 64 * 1024

const [OK, NO_CONTENT, NOT_FOUND, CONFLICT, THROTTLED, NO_WORKERS] = [200, 204, 404, 409, 429, 529]
const USED_STATUSES = new Set([OK, NO_CONTENT, CONFLICT])
const FINAL_STATUSES = new Set([400, 401, 403, 404, 413, 422])

export class PortalClient {
  readonly host: string
  readonly counts: PortalCounts = { requests: 0, throttled: 0, failed: 0, bytes: 0 }
  /** The highest slot that a response named as the portal's newest block; 0 before the first. */
  newestSlot = 0
  readonly #endpoint: Endpoint
  readonly #header: PortalHeader | undefined
  readonly #pacing: Pacing
  readonly #idleMs: number
  readonly #attemptsMax: number
  readonly #retryFromMs: number

  constructor(options: PortalOptions) {
    const endpoint = endpointOf(options.url.replace(/\/+$/, ''))
    const secrets = options.header === undefined ? [] : secretsOf(options.header)
    this.#endpoint = { ...endpoint, secrets: [...endpoint.secrets, ...secrets] }
    this.host = endpoint.host
    this.#header = options.header
    this.#pacing = new Pacing(options.requestsPerSecond ?? REQUESTS_PER_SECOND)
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#attemptsMax = options.attemptsMax ?? ATTEMPTS_MAX
    this.#retryFromMs = options.retryFromMs ?? RETRY_FROM_MS
  }

  /** The newest block; `isFinalized`: that no fork can replace. Throws SourceError. */
  async head(signal: AbortSignal, isFinalized = false): Promise<number> {
    const path = isFinalized ? '/finalized-head' : '/head'
    const read = (json: unknown): number | undefined => countOf(objectOf(json).number)
    const slot = await this.#get(path, 'the newest block', read, signal)
    this.newestSlot = Math.max(this.newestSlot, slot)
    return slot
  }

  /**
   * The first slot with a block at or after a time in Unix seconds; undefined where there is none yet, for which the portal's
   * source answers 404 and its specification 204. Throws SourceError.
   */
  slotAt(seconds: number, signal: AbortSignal): Promise<number | undefined> {
    const subject = `the block at ${new Date(seconds * 1_000).toISOString()}`
    const use = async (message: IncomingMessage): Promise<number | undefined> => {
      if (message.statusCode !== OK) {
        message.resume()
        return undefined
      }
      const slot = countOf(objectOf(JSON.parse(await textWithin(message))).block_number)
      if (slot === undefined) throw new ConnectionLost('the portal names none')
      return slot
    }
    const request = { path: `/timestamps/${seconds}/block`, subject, isAbsent: NOT_FOUND }
    return this.#request(request, use, signal)
  }

  /** `isFinalized`: only blocks that no fork can replace. Throws SourceError; its lines throw ConnectionLost. */
  stream(query: PortalQuery, signal: AbortSignal, isFinalized = false): Promise<PortalAnswer> {
    const path = isFinalized ? '/finalized-stream' : '/stream'
    const body = portalBody(query)
    const use = async (message: IncomingMessage): Promise<PortalAnswer> => {
      const status = message.statusCode
      if (status === OK) return { kind: 'lines', lines: linesOf(this.#unpacked(message)) }
      if (status === NO_CONTENT) {
        message.resume()
        return { kind: 'beyond_head' }
      }
      const { previousBlocks } = objectOf(JSON.parse(await textWithin(message)))
      return { kind: 'fork', blocks: blockNames(previousBlocks) }
    }
    return this.#request({ path, subject: `slot ${query.from}`, body }, use, signal)
  }

  /** A value that `read` finds in an answer of JSON; it is requested again while it is missing. */
  #get<Read>(
    path: string,
    subject: string,
    read: (json: unknown) => Read | undefined,
    signal: AbortSignal,
  ): Promise<Read> {
    const use = async (message: IncomingMessage): Promise<Read> => {
      if (message.statusCode !== OK) throw new ConnectionLost('the portal has none')
      const value = read(JSON.parse(await textWithin(message)))
      if (value === undefined) throw new ConnectionLost('the portal names none')
      return value
    }
    return this.#request({ path, subject }, use, signal)
  }

  async #request<Used>(
    { path, subject, body, isAbsent }: PortalRequest,
    use: (message: IncomingMessage) => Promise<Used>,
    signal: AbortSignal,
  ): Promise<Used> {
    for (let attempt = 1; ; attempt++) {
      await this.#pacing.admit(signal)
      let reason: string
      let waitMs = Math.min(RETRY_TO_MS, this.#retryFromMs * 2 ** (attempt - 1))
      let isFinal = false
      try {
        const message = await this.#send(path, body, signal)
        const status = message.statusCode ?? 0
        const newest = countOf(message.headers['x-sqd-head-number']) ?? 0
        this.newestSlot = Math.max(this.newestSlot, newest)
        if (USED_STATUSES.has(status) || status === isAbsent) return await use(message)
        const named = retryAfterMs(message.headers['retry-after'] ?? null, Date.now())
        if (status === THROTTLED || status === NO_WORKERS) {
          this.counts.throttled++
          waitMs = named ?? waitMs
          this.#pacing.pause(waitMs)
        }
        isFinal = FINAL_STATUSES.has(status) || (status >= 300 && status < 400)
        reason = `HTTP status ${status}${await this.#errorText(message)}`
      } catch (error) {
        signal.throwIfAborted()
        reason = error instanceof Error ? error.message : String(error)
      }
      this.counts.failed++
      if (isFinal || attempt >= this.#attemptsMax) {
        const shown = withoutSecrets(this.#endpoint, reason)
        throw new SourceError(`${subject} from ${this.host}: ${shown}`, { isRetryable: !isFinal })
      }
      await sleep(waitMs, undefined, { signal })
    }
  }

  /** The reason that the portal gives for a status: free text or JSON, by its version; '' without one. */
  async #errorText(message: IncomingMessage): Promise<string> {
    const text = (await textWithin(message).catch(() => '')).trim()
    // Removed before it is cut: a part of a key must not remain.
    const shown = withoutSecrets(this.#endpoint, messageOf(text)).slice(0, MESSAGE_LENGTH_MAX)
    return shown === '' ? '' : `: "${shown}"`
  }

  #unpacked(message: IncomingMessage): AsyncIterable<Buffer> {
    return unpackedBody(message, (bytes) => {
      this.counts.bytes += bytes
    })
  }

  #send(path: string, body: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, headers } = this.#endpoint
    this.counts.requests++
    const send = url.startsWith('https:') ? requestSecure : requestPlain
    return new Promise((resolve, reject) => {
      const sent = send(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...headers,
          'accept-encoding': 'zstd, gzip',
          ...(this.#header === undefined ? {} : { [this.#header.name]: this.#header.value }),
        },
        timeout: this.#idleMs,
        signal,
      })
      sent.once('timeout', () => sent.destroy(new ConnectionLost(`no byte in ${this.#idleMs} ms`)))
      sent.once('error', reject)
      sent.once('response', resolve)
      sent.end(body)
    })
  }
}

/** The value and its part after a scheme such as `Bearer`. */
const secretsOf = ({ value }: PortalHeader): string[] => [value, value.split(' ').at(-1) ?? value]

/** Throws ConnectionLost where it breaks off. */
function unpackedBody(
  message: IncomingMessage,
  onBytes: (count: number) => void = () => {},
): AsyncIterable<Buffer> {
  const received = async function* (): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of message as AsyncIterable<Buffer>) {
        onBytes(chunk.length)
        yield chunk
      }
    } catch (cause) {
      throw new ConnectionLost('connection lost', { cause })
    }
  }
  return unpacked(received(), message.headers['content-encoding'] ?? '')
}

/** The documents contradict each other on their order. */
function blockNames(list: unknown): PortalBlockName[] {
  return listOf(list)
    .map((each) => objectOf(each))
    .map(({ number, hash }) => ({ slot: countOf(number) ?? -1, hash: textOf(hash) }))
    .filter(({ slot, hash }) => slot >= 0 && hash !== '')
    .toSorted((one, other) => one.slot - other.slot)
}

async function textWithin(message: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of unpackedBody(message)) {
    text += chunk.toString('utf8')
    if (text.length > ERROR_BYTES_MAX) break
  }
  return text
}

function messageOf(text: string): string {
  try {
    const json: unknown = JSON.parse(text)
    if (!isObject(json)) return text
    return textOf(objectOf(json.error).message) || textOf(json.message) || text
  } catch {
    return text
  }
}
