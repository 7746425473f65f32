/**
 * Failed requests to a node, by what is to be done next. Pure.
 *
 * - `throttled`: all requests pause, by Retry-After where the node names a time
 * - `not_yet`: the slot is not there yet
 * - `skipped`: the node has no block for the slot
 * - `refused_parameters`: the node does not accept the parameters
 * - `final`: the same request will fail again
 * - `transient`: anything else, broken answers and lost connections included
 */
import { UnusableAnswer } from './rpc-answer.ts'

export type FailureKind =
  | 'throttled'
  | 'not_yet'
  | 'skipped'
  | 'refused_parameters'
  | 'final'
  | 'transient'

export type Failure = { kind: FailureKind; text: string; retryAfterMs?: number }

export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong'
}

/** A response with a status other than 200 that holds no JSON-RPC error. */
export class HttpStatus extends Error {
  override name = 'HttpStatus'
  readonly status: number

  constructor(status: number) {
    super(`HTTP status ${status}`)
    this.status = status
  }
}

/** Codes of JSON-RPC as Solana's nodes and their gateways use them. */
const KIND_OF_CODE: ReadonlyMap<number, FailureKind> = new Map([
  // The node lags; rate limits of gateways.
  [-32_005, 'throttled'],
  [-32_429, 'throttled'],
  [429, 'throttled'],
  // Block not available, block status not available, minimum context slot not reached.
  [-32_004, 'not_yet'],
  [-32_014, 'not_yet'],
  [-32_016, 'not_yet'],
  // Slot skipped, or missing in the ledger or in long-term storage.
  [-32_007, 'skipped'],
  [-32_009, 'skipped'],
  [-32_602, 'refused_parameters'],
  // Block cleaned up, no transaction history, unsupported transaction version, unknown method, no request.
  [-32_001, 'final'],
  [-32_011, 'final'],
  [-32_015, 'final'],
  [-32_601, 'final'],
  [-32_600, 'final'],
])
export const STATUS_OK = 200
export const STATUS_THROTTLED = 429
/** Request time-out, too early. */
const TRANSIENT_STATUSES = new Set([408, 425])
/** A longer Retry-After of a provider is cut to this. */
const RETRY_AFTER_MS_MAX = 60_000

/** `retryAfter`: that header of the response, if there was one. `nowMs`: Unix ms, for a header that is a date. */
export function failureOf(error: unknown, retryAfter: string | null, nowMs: number): Failure {
  const wait = retryAfterMs(retryAfter, nowMs)
  const timed = wait === undefined ? {} : { retryAfterMs: wait }
  return { ...kindAndText(error), ...timed }
}

function kindAndText(error: unknown): Failure {
  if (error instanceof HttpStatus) return { kind: kindOfStatus(error.status), text: error.message }
  if (error instanceof UnusableAnswer) {
    const kind = KIND_OF_CODE.get(error.code ?? 0) ?? 'transient'
    return { kind, text: error.isRefusal ? error.message : `unusable answer: ${error.message}` }
  }
  if (error instanceof SyntaxError) {
    return { kind: 'transient', text: 'unusable answer: it is not JSON' }
  }
  if (error instanceof AnswerTooLong) return { kind: 'transient', text: error.message }
  if (!(error instanceof Error)) throw error
  if (error.name === 'TimeoutError') return { kind: 'transient', text: 'no answer in time' }
  // A lost connection has a cause; an error without one is an error of this program.
  if (!(error.cause instanceof Error)) throw error
  return { kind: 'transient', text: error.cause.message || error.message }
}

function kindOfStatus(status: number): FailureKind {
  if (status === STATUS_THROTTLED) return 'throttled'
  return status >= 300 && status < 500 && !TRANSIENT_STATUSES.has(status) ? 'final' : 'transient'
}

/** Seconds or an HTTP date; undefined where there is none. */
export function retryAfterMs(text: string | null, nowMs: number): number | undefined {
  if (text === null || text === '') return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : new Date(text).getTime() - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX)
}
