/**
 * One attempt to send a delivery: a POST with the headers of Standard Webhooks, bounded in time and in what is read of
 * the answer. Never throws: whatever an endpoint does is an outcome.
 *
 * A redirect is a failure: following one would leave the checks of the target.
 */

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { PrivatePolicy } from '../../../domain/webhook-target.ts'
import { guardedLookup, readTarget } from '../../../streams/outgoing/target.ts'

/** `isGone`: 410, the endpoint wants no more. `retryAfterMs`: pause that the endpoint requested, 0 for none. */
export type Outcome =
  | { isAccepted: true; status: number }
  | { isAccepted: false; error: string; isGone: boolean; retryAfterMs: number }

export type Poster = {
  /** `headers`: those of the delivery. */
  post(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Outcome>
  close(): void
}

/** Bytes of an answer that are read, so that its connection can be used again; a longer one is cut. */
const ANSWER_BYTES_MAX = 16 * 1024
const HEADER_BYTES_MAX = 16 * 1024
/** Milliseconds that an idle connection stays open. */
const IDLE_MS = 5_000
const GONE = 410
const USER_AGENT = 'swaptide-webhooks/1'

/** One connection to one endpoint, which stays open between deliveries. Throws TargetRefused. */
export function openPoster(text: string, policy: PrivatePolicy, boundMs: number): Poster {
  const url = readTarget(text, policy)
  const isTls = url.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: 1, timeout: IDLE_MS }
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options)
  const lookup = guardedLookup(policy)
  const send = isTls ? requestHttps : requestHttp
  const attempt = (
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Outcome | 'stale'> => {
    const { promise, resolve } = Promise.withResolvers<Outcome | 'stale'>()
    const request = send(url, {
      method: 'POST',
      agent: agent as HttpAgent,
      lookup,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal: AbortSignal.any([signal, AbortSignal.timeout(boundMs)]),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': USER_AGENT,
        ...headers,
      },
    })
    let answered: Outcome | undefined
    request.on('response', (answer) => {
      const outcome = outcomeOf(answer)
      answered = outcome
      drain(answer, () => resolve(outcome))
    })
    request.on('error', (error) => {
      // The status counts, whatever becomes of the rest of the answer.
      if (answered !== undefined) return resolve(answered)
      // The endpoint closed the connection while it was idle: nothing of this delivery was answered.
      const isStale = request.reusedSocket && 'code' in error && error.code === 'ECONNRESET'
      resolve(isStale ? 'stale' : failure(textOf(error, boundMs)))
    })
    request.end(body)
    return promise
  }
  return {
    async post(body, headers, signal) {
      const first = await attempt(body, headers, signal)
      if (first !== 'stale') return first
      const second = await attempt(body, headers, signal)
      return second === 'stale' ? failure('the connection was closed') : second
    },
    close: () => agent.destroy(),
  }
}

/** Reads up to the bound; `done` is called when the answer has ended, or was cut. */
function drain(answer: IncomingMessage, done: () => void): void {
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) answer.destroy()
  })
  answer.once('error', () => {})
  answer.once('close', done)
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  if (statusCode >= 200 && statusCode < 300) return { isAccepted: true, status: statusCode }
  const isRedirect = statusCode >= 300 && statusCode < 400
  const error = isRedirect
    ? `status ${statusCode}: redirects are not followed`
    : `status ${statusCode}`
  const retryAfterMs = readRetryAfter(headers['retry-after'])
  return { isAccepted: false, error, isGone: statusCode === GONE, retryAfterMs }
}

/** Seconds as milliseconds; 0 for anything else, dates included: their clock is another. */
function readRetryAfter(text = ''): number {
  return /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : 0
}

function failure(error: string): Outcome {
  return { isAccepted: false, error, isGone: false, retryAfterMs: 0 }
}

function textOf(error: Error & { code?: string }, boundMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `no answer within ${boundMs} ms`
  }
  return error.code === undefined ? error.message : `${error.code}: ${error.message}`
}
