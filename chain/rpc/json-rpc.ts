/**
 * Requests to a Solana node over JSON-RPC, for the providers that use it.
 *
 * Law: all requests get a valid answer within the time-out, or the call rejects with NodeUnavailable: no other error,
 * no partial answer. A circuit breaker pauses requests to a node that fails repeatedly. The URL may hold a key: no
 * message repeats it.
 */
import { Breaker } from '../../domain/circuit-breaker.ts'
import type { Log } from '../../domain/log.ts'
import { AnswerTooLong } from './failure.ts'
import { type Endpoint, endpointOf, post } from './http.ts'
import { UnusableAnswer } from './rpc-answer.ts'

type NodeError =
  | 'provider is unreachable'
  | 'provider timed out'
  | 'provider refuses'
  | 'invalid response'
  | 'response is too large'
  | 'circuit breaker is open'
  | 'too many concurrent requests'

export class NodeUnavailable extends Error {
  override name = 'NodeUnavailable'
  readonly kind: NodeError

  constructor(kind: NodeError, text = '', options?: ErrorOptions) {
    super(text === '' ? kind : `${kind}: ${text}`, options)
    this.kind = kind
  }

  /** A failure of the node, not only of the requested address. */
  get isOfProvider(): boolean {
    return !ERRORS_OF_ADDRESS.has(this.kind)
  }
}

export type NodeOptions = {
  rpcUrl: string
  log: Log
  /** Milliseconds for a whole answer. */
  timeoutMs?: number
  /** Milliseconds for which the circuit breaker stays open. */
  restMs?: number
}

export type SolanaNode = {
  /** The result of `read` over the answers, in the order of the questions; it may throw UnusableAnswer. */
  request<Read>(
    questions: readonly object[],
    read: (answers: readonly unknown[]) => Read,
    signal: AbortSignal,
  ): Promise<Read>
}

const TIMEOUT_MS = 2_500
const BREAKER = { failuresMax: 5, restMs: 10_000 }
/** Concurrent requests of a process. */
const IN_FLIGHT_MAX = 64
/** About 20,000 accounts. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** A long list, a refusal or an account that cannot be read may be about one address only. */
const ERRORS_OF_ADDRESS: ReadonlySet<NodeError> = new Set([
  'provider refuses',
  'invalid response',
  'response is too large',
])

/** `name`: the node's name in logs. */
export function openNode(name: string, options: NodeOptions): SolanaNode {
  const { log, timeoutMs = TIMEOUT_MS, restMs = BREAKER.restMs } = options
  const endpoint = endpointOf(options.rpcUrl)
  const breaker = new Breaker({ ...BREAKER, restMs })
  let requestsInFlight = 0
  let isFailing = false
  const succeed = (): void => {
    breaker.succeed()
    if (isFailing) log.info({ node: name }, 'node recovered')
    isFailing = false
  }
  const fail = (refusal: NodeUnavailable): void => {
    breaker.fail(performance.now())
    if (!isFailing) log.warn({ node: name, err: refusal }, 'node request failed')
    isFailing = true
  }
  return {
    async request(questions, read, signal) {
      signal.throwIfAborted()
      if (requestsInFlight >= IN_FLIGHT_MAX)
        throw new NodeUnavailable('too many concurrent requests')
      if (!breaker.allows(performance.now())) {
        throw new NodeUnavailable('circuit breaker is open')
      }
      requestsInFlight += 1
      try {
        const result = read(await requestAll(endpoint, questions, timeoutMs, signal))
        succeed()
        return result
      } catch (cause) {
        if (signal.aborted) throw signal.reason
        const refusal = refusalOf(cause)
        if (refusal.isOfProvider) fail(refusal)
        throw refusal
      } finally {
        requestsInFlight -= 1
      }
    },
  }
}

async function requestAll(
  endpoint: Endpoint,
  questions: readonly object[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown[]> {
  // One that failed ends the others.
  const ended = new AbortController()
  const bound = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(timeoutMs)])
  try {
    return await Promise.all(questions.map((question) => request(endpoint, question, bound)))
  } finally {
    ended.abort()
  }
}

/** One question's answer as JSON. */
async function request(
  endpoint: Endpoint,
  question: object,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await post(endpoint, question, signal)
  if (response.status !== 200) {
    response.discard()
    throw new NodeUnavailable('provider is unreachable', `HTTP status ${response.status}`)
  }
  const text = await response.read(ANSWER_BYTES_MAX, (body) => body.toString('utf8'))
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NodeUnavailable('invalid response', 'expected JSON', { cause })
  }
}

function refusalOf(cause: unknown): NodeUnavailable {
  if (cause instanceof NodeUnavailable) return cause
  if (cause instanceof AnswerTooLong) return new NodeUnavailable('response is too large')
  if (cause instanceof UnusableAnswer) {
    const kind = cause.isRefusal ? 'provider refuses' : 'invalid response'
    return new NodeUnavailable(kind, cause.message, { cause })
  }
  const isLate = cause instanceof Error && cause.name === 'TimeoutError'
  return new NodeUnavailable(isLate ? 'provider timed out' : 'provider is unreachable', '', {
    cause,
  })
}
