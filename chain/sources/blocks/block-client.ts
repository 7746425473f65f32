/**
 * Slots and blocks of a Solana node over JSON-RPC.
 *
 * Every request is repeated until it is answered whole, paced by a token bucket and by what the node demands, and given
 * up after `retryBudgetMs`: then it is RpcUnavailable, as it is at once where the node will never answer. No answer is
 * used in part. Messages name the host only, and no key of the URL.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { counted } from '../../../domain/text/plural.ts'
import { READ_PROGRAMS } from '../../decode.ts'
import { parseBlockText } from '../../forms/block-text.ts'
import { type Failure, type FailureKind, failureOf } from '../../rpc/failure.ts'
import { type Endpoint, endpointOf, post, withoutSecrets } from '../../rpc/http.ts'
import { Pacing } from '../../rpc/pacing.ts'
import { type ParseAnswer, resultOf } from '../../rpc/result.ts'
import { UnusableAnswer } from '../../rpc/rpc-answer.ts'
import type { ChainTransaction } from '../../transaction/transaction.ts'
import {
  blockSettings,
  type Commitment,
  type DecodedSlot,
  decodeBlockResult,
  type Link,
  readBlockTime,
  readLink,
  readSignatureCount,
  readSlot,
  readSlots,
  readTransactionResult,
  TRANSACTION_VERSION,
  TRANSACTION_VERSION_OLDER,
  transactionSettings,
  type WantedTransaction,
} from './block-answer.ts'
import type { SlotBlock } from './slot-block.ts'

export class RpcUnavailable extends Error {
  override name = 'RpcUnavailable'
  readonly isRetryable: boolean

  constructor(message: string, isRetryable: boolean) {
    super(message)
    this.isRetryable = isRetryable
  }
}

export type BlockClientOptions = {
  rpcUrl: string
  commitment?: Commitment
  requestsPerSecond?: number
  /** Milliseconds for one whole answer. */
  timeoutMs?: number
  /** Milliseconds that one request may fail again and again, and that a slot may not be there yet. */
  retryBudgetMs?: number
  /** Milliseconds before the first repetition; each further one waits twice as long. */
  retryFromMs?: number
}

export type BlockClient = {
  /** The provider, as messages name it. */
  readonly host: string
  readonly commitment: Commitment
  readonly counts: Readonly<RequestCounts>
  /** The highest slot that getSlot returned so far. */
  readonly newestSlot: number
  /** The highest slot with a block, at the client's commitment or at another. */
  getSlot(signal: AbortSignal, commitment?: Commitment): Promise<number>
  /** The lowest slot whose block the node holds. */
  getFirstSlot(signal: AbortSignal): Promise<number>
  /** Unix seconds of the block of a slot. */
  getTime(slot: number, signal: AbortSignal): Promise<number>
  /** Slots of a range that have a block, as far as the node knows; slots beyond its highest one are not listed. */
  getBlocks(from: number, to: number, signal: AbortSignal): Promise<number[]>
  /** The first slot with a block at or after a slot; waits for one. */
  findBlock(from: number, signal: AbortSignal): Promise<number>
  getLink(slot: number, signal: AbortSignal): Promise<Link>
  /** `isCertain`: another block names this one as its parent, so an answer that it was skipped is wrong. */
  getBlock(slot: number, signal: AbortSignal, isCertain?: boolean): Promise<SlotBlock>
  /** A transaction of a block with its whole result. */
  getTransaction(wanted: WantedTransaction, signal: AbortSignal): Promise<ChainTransaction>
}

/** `throttled`: refused because of a rate limit; `failed`: repeated for any other reason. */
type RequestCounts = { requests: number; throttled: number; failed: number }

export const REQUESTS_PER_SECOND = 50
const TIMEOUT_MS = 15_000
const RETRY_BUDGET_MS = 30_000
const RETRY_FROM_MS = 200
const RETRY_TO_MS = 5_000

/** The answer to a failure that a request expects, or `again` to repeat it at once. */
type OnFailure<Read> = (kind: FailureKind) => { value: Read } | 'again' | undefined

type Request<Read> = {
  method: string
  /** How messages name it. */
  subject: string
  /** Made for each attempt. */
  parameters: () => unknown[]
  /** Absent: as JSON. May throw SyntaxError. */
  parse?: ParseAnswer | undefined
  /** May throw UnusableAnswer. */
  read: (result: unknown) => Read
  onFailure?: OnFailure<Read>
}

export function openBlockClient(options: BlockClientOptions): BlockClient {
  return new RpcBlockClient(options)
}

class RpcBlockClient implements BlockClient {
  readonly host: string
  readonly commitment: Commitment
  readonly counts: RequestCounts = { requests: 0, throttled: 0, failed: 0 }
  newestSlot = 0
  readonly #endpoint: Endpoint
  readonly #pacing: Pacing
  readonly #timeoutMs: number
  readonly #retryBudgetMs: number
  readonly #retryFromMs: number
  #transactionVersion = TRANSACTION_VERSION

  constructor(options: BlockClientOptions) {
    this.#endpoint = endpointOf(options.rpcUrl)
    this.host = this.#endpoint.host
    this.commitment = options.commitment ?? 'confirmed'
    this.#pacing = new Pacing(options.requestsPerSecond ?? REQUESTS_PER_SECOND)
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS
    this.#retryBudgetMs = options.retryBudgetMs ?? RETRY_BUDGET_MS
    this.#retryFromMs = options.retryFromMs ?? RETRY_FROM_MS
  }

  async getSlot(signal: AbortSignal, commitment = this.commitment): Promise<number> {
    const slot = await this.#request(
      {
        method: 'getSlot',
        subject: 'the newest slot',
        parameters: () => [{ commitment }],
        read: readSlot,
      },
      signal,
    )
    this.newestSlot = Math.max(this.newestSlot, slot)
    return slot
  }

  getFirstSlot(signal: AbortSignal): Promise<number> {
    return this.#request(
      {
        method: 'getFirstAvailableBlock',
        subject: 'the first slot',
        parameters: () => [],
        read: readSlot,
      },
      signal,
    )
  }

  getTime(slot: number, signal: AbortSignal): Promise<number> {
    return this.#requestBlock(slot, 'none', readBlockTime, signal)
  }

  getBlocks(from: number, to: number, signal: AbortSignal): Promise<number[]> {
    return this.#request(
      {
        method: 'getBlocks',
        subject: `the blocks of ${from} to ${to}`,
        parameters: () => [from, to, { commitment: this.commitment }],
        read: (result) => readSlots(result, from, to),
      },
      signal,
    )
  }

  findBlock(from: number, signal: AbortSignal): Promise<number> {
    const read = (result: unknown): number => {
      const [first] = readSlots(result, from, Number.MAX_SAFE_INTEGER)
      if (first === undefined) throw new UnusableAnswer('there is none yet', false)
      return first
    }
    return this.#request(
      {
        method: 'getBlocksWithLimit',
        subject: `the next block after slot ${from - 1}`,
        parameters: () => [from, 1, { commitment: this.commitment }],
        read,
      },
      signal,
    )
  }

  getLink(slot: number, signal: AbortSignal): Promise<Link> {
    return this.#requestBlock(slot, 'none', (result) => readLink(result, slot), signal)
  }

  /** An empty list of transactions may be a lost one: it is believed if the list of signatures is empty, too. */
  async getBlock(slot: number, signal: AbortSignal, isCertain = false): Promise<SlotBlock> {
    const startedAt = performance.now()
    for (;;) {
      const fetched = await this.#requestFullBlock(slot, signal, isCertain)
      if (fetched === undefined) return { slot, block: undefined }
      const { transactionCount, ...slotBlock } = fetched
      if (transactionCount > 0) return slotBlock
      const signatures = await this.#requestBlock(slot, 'signatures', readSignatureCount, signal)
      if (signatures === 0) return slotBlock
      this.counts.failed++
      if (performance.now() - startedAt > this.#retryBudgetMs) {
        const text = `${counted(signatures, 'signature')} without a transaction`
        throw new RpcUnavailable(`slot ${slot} from ${this.host}: ${text}`, true)
      }
    }
  }

  getTransaction(wanted: WantedTransaction, signal: AbortSignal): Promise<ChainTransaction> {
    const { signature } = wanted
    return this.#requestVersioned(
      {
        method: 'getTransaction',
        subject: `transaction ${signature}`,
        read: (result) => readTransactionResult(result, wanted),
      },
      (version) => [signature, transactionSettings(this.commitment, version)],
      signal,
    )
  }

  /** Undefined for a slot that was skipped. */
  #requestFullBlock(
    slot: number,
    signal: AbortSignal,
    isCertain: boolean,
  ): Promise<DecodedSlot | undefined> {
    return this.#requestBlock<DecodedSlot | undefined>(
      slot,
      'full',
      (result) => decodeBlockResult(result, slot),
      signal,
      (kind) => (kind === 'skipped' && !isCertain ? { value: undefined } : undefined),
      (body) => parseBlockText(body, READ_PROGRAMS),
    )
  }

  #requestBlock<Read>(
    slot: number,
    details: 'full' | 'signatures' | 'none',
    read: (result: unknown) => Read,
    signal: AbortSignal,
    onFailure?: OnFailure<Read>,
    parse?: ParseAnswer,
  ): Promise<Read> {
    return this.#requestVersioned(
      { method: 'getBlock', subject: `slot ${slot}`, parse, read, ...(onFailure && { onFailure }) },
      (version) => [slot, blockSettings(this.commitment, details, version)],
      signal,
    )
  }

  /** Requests the newest version of transactions until the node refuses it, then the one before it. */
  #requestVersioned<Read>(
    request: Omit<Request<Read>, 'parameters'>,
    parametersOf: (version: number) => unknown[],
    signal: AbortSignal,
  ): Promise<Read> {
    let version = this.#transactionVersion
    return this.#request(
      {
        ...request,
        parameters: () => {
          version = this.#transactionVersion
          return parametersOf(version)
        },
        onFailure: (kind) => {
          if (kind !== 'refused_parameters' || version === TRANSACTION_VERSION_OLDER) {
            return request.onFailure?.(kind)
          }
          this.#transactionVersion = TRANSACTION_VERSION_OLDER
          return 'again'
        },
      },
      signal,
    )
  }

  async #request<Read>(request: Request<Read>, signal: AbortSignal): Promise<Read> {
    const startedAt = performance.now()
    for (let failures = 0; ; failures++) {
      await this.#pacing.admit(signal)
      const attempt = await this.#attempt(request, signal)
      if ('value' in attempt) return attempt.value
      const outcome = request.onFailure?.(attempt.kind)
      if (outcome === 'again') continue
      if (outcome !== undefined) return outcome.value
      const { kind, text } = attempt
      const isFinal = kind === 'final' || kind === 'refused_parameters'
      const waitMs =
        attempt.retryAfterMs ?? Math.min(RETRY_TO_MS, this.#retryFromMs * 2 ** failures)
      if (isFinal || performance.now() - startedAt + waitMs > this.#retryBudgetMs) {
        const shown = withoutSecrets(this.#endpoint, text)
        throw new RpcUnavailable(`${request.subject} from ${this.host}: ${shown}`, !isFinal)
      }
      if (kind === 'throttled') {
        this.counts.throttled++
        this.#pacing.pause(waitMs)
      } else {
        this.counts.failed++
        await sleep(waitMs, undefined, { signal })
      }
    }
  }

  async #attempt<Read>(
    { method, parameters, parse, read }: Request<Read>,
    signal: AbortSignal,
  ): Promise<{ value: Read } | Failure> {
    const id = ++this.counts.requests
    // Cleared when the request ends: the timer of AbortSignal.timeout would hold the response until it fires.
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(timeoutError()), this.#timeoutMs)
    const bound = AbortSignal.any([signal, late.signal])
    let retryAfter: string | null = null
    try {
      const question = { jsonrpc: '2.0', id, method, params: parameters() }
      const response = await post(this.#endpoint, question, bound)
      retryAfter = response.retryAfter
      return { value: read(await resultOf(response, id, parse)) }
    } catch (error) {
      signal.throwIfAborted()
      return failureOf(error, retryAfter, Date.now())
    } finally {
      clearTimeout(timer)
    }
  }
}

const timeoutError = (): Error => new DOMException('no answer in time', 'TimeoutError')
