/**
 * Single requests to a node, each measured and never repeated: a check must see the failures that a source repeats. No text
 * repeats the keys of the URL.
 */
import { type Failure, failureOf } from '../../../chain/rpc/failure.ts'
import { type Endpoint, endpointOf, post, withoutSecrets } from '../../../chain/rpc/http.ts'
import { resultOf } from '../../../chain/rpc/result.ts'

/** `encoding`: the content-encoding of the response, empty without one. */
export type Answered = { result: unknown; tookMs: number; encoding: string }
export type Probe = Answered | { failure: Failure }

const TIMEOUT_MS = 15_000

export class RpcProbe {
  readonly host: string
  readonly #endpoint: Endpoint
  readonly #signal: AbortSignal
  #id = 0

  constructor(rpcUrl: string, signal: AbortSignal) {
    this.#endpoint = endpointOf(rpcUrl)
    this.host = this.#endpoint.host
    this.#signal = signal
  }

  /** Rejects only when the signal is aborted. */
  async request(method: string, parameters: readonly unknown[]): Promise<Probe> {
    const id = ++this.#id
    const bound = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)])
    const startedAt = performance.now()
    let retryAfter: string | null = null
    try {
      const question = { jsonrpc: '2.0', id, method, params: parameters }
      const response = await post(this.#endpoint, question, bound)
      retryAfter = response.retryAfter
      const result = await resultOf(response, id)
      return { result, tookMs: performance.now() - startedAt, encoding: response.encoding }
    } catch (error) {
      this.#signal.throwIfAborted()
      const failure = failureOf(error, retryAfter, Date.now())
      return { failure: { ...failure, text: withoutSecrets(this.#endpoint, failure.text) } }
    }
  }

  /** A text of the node, without the keys of the URL and on one line. */
  clean(text: string): string {
    return withoutSecrets(this.#endpoint, text)
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, 100)
  }
}

export const hasFailed = (probe: Probe): probe is { failure: Failure } => 'failure' in probe
