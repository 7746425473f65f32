/**
 * Relays the messages of an MCP host, a line each, to /mcp of an API, and its answers back.
 *
 * ```
 * line -> JSON (-32700) -> message (-32600) -> request -> API -> answer, or its error
 *                              |-- notification: none; cancelled: ends the request, which has no answer then
 *                              `-- batch: the answers of its requests, in one line
 * ```
 * Invariant: every request has one answer, unless it was cancelled, and the input ends before its answers do. The text of a
 * message is passed on as it is, so no integer of it is rounded.
 */
import {
  batchedMessageOf,
  messageOf,
  type RpcId,
  type RpcMessage,
  refusedBatch,
  rpcError,
} from '../../api/mcp/message.ts'
import { writeExact } from '../../api/routing/json.ts'
import { isObject, parseExact } from '../../domain/text/exact-json.ts'
import { ForeignInput, readLines } from '../../streams/ingest/reading/ndjson.ts'

/** Sends a request as JSON text to the API. Resolves to its answer, on one line; rejects with a reason for the host. */
export type Post = (
  request: { id: RpcId; text: string; version: string | undefined },
  signal: AbortSignal,
) => Promise<string>
/** Resolves to false once the host reads no more. */
type WriteLines = (lines: readonly string[]) => Promise<boolean>

/** Requests that run at once; further lines wait. */
const RUNNING_MAX = 32
const CANCELLED = 'notifications/cancelled'

type Running = { id: RpcId; ended: AbortController }

export class Relay {
  readonly #post: Post
  readonly #write: WriteLines
  /** Aborted: the host went away, or this program is to end. */
  readonly #signal: AbortSignal
  readonly #running = new Set<Running>()
  /** Version of the protocol, from the answer to `initialize`. */
  #version: string | undefined

  constructor(post: Post, write: WriteLines, signal: AbortSignal) {
    this.#post = post
    this.#write = write
    this.#signal = signal
  }

  /** Resolves when the input has ended and every request of it is answered. */
  async relay(input: AsyncIterable<Uint8Array>): Promise<void> {
    const answering = new Set<Promise<void>>()
    try {
      for await (const { lines } of readLines(input)) {
        for (const { text, error } of lines) {
          const answered = this.#answerLine(text, error).finally(() => answering.delete(answered))
          answering.add(answered)
          // The version decides about the lines that follow.
          if (text.includes('"initialize"')) await answered
          while (answering.size >= RUNNING_MAX) await Promise.race(answering)
          if (this.#signal.aborted) return
        }
      }
    } catch (error) {
      if (this.#signal.aborted) return
      if (!(error instanceof ForeignInput)) throw error
      await this.#write([rpcError(null, 'parse', error.message)])
    }
    await Promise.all(answering)
  }

  async #answerLine(text: string, unreadable: string | undefined): Promise<void> {
    const answer = await this.#answerTo(text, unreadable)
    if (answer !== undefined) await this.#write([answer])
  }

  async #answerTo(text: string, unreadable: string | undefined): Promise<string | undefined> {
    if (unreadable !== undefined) return rpcError(null, 'parse', unreadable)
    let value: unknown
    try {
      value = parseExact(text)
    } catch {
      return rpcError(null, 'parse', 'expected one message of JSON a line')
    }
    if (!Array.isArray(value)) return await this.#answerMessage(messageOf(value), text)
    const refusal = refusedBatch(value, this.#version)
    if (refusal !== undefined) return rpcError(null, 'invalid', refusal)
    const answers = await Promise.all(
      value.map((each) => this.#answerMessage(batchedMessageOf(each), writeExact(each))),
    )
    const given = answers.filter((answer) => answer !== undefined)
    return given.length === 0 ? undefined : `[${given.join()}]`
  }

  async #answerMessage(message: RpcMessage, text: string): Promise<string | undefined> {
    switch (message.kind) {
      case 'request':
        return await this.#request(message.id, message.method, text)
      case 'notification':
        if (message.method === CANCELLED) this.#cancel(message.message.params)
        return undefined
      case 'response':
        return undefined
      case 'invalid':
        return rpcError(message.id, 'invalid', message.reason)
    }
  }

  async #request(id: RpcId, method: string, text: string): Promise<string | undefined> {
    const running: Running = { id, ended: new AbortController() }
    const end = () => running.ended.abort()
    this.#signal.addEventListener('abort', end)
    // The protocol has no cancellation of this one.
    if (method !== 'initialize') this.#running.add(running)
    const { signal } = running.ended
    try {
      const answer = await this.#post({ id, text, version: this.#version }, signal)
      if (signal.aborted) return undefined
      if (method === 'initialize') this.#version = versionOf(answer) ?? this.#version
      return answer
    } catch (error) {
      if (signal.aborted) return undefined
      return rpcError(id, 'internal', error instanceof Error ? error.message : String(error))
    } finally {
      this.#running.delete(running)
      this.#signal.removeEventListener('abort', end)
    }
  }

  /** A request that is unknown or answered is no error: the notification may have been late. */
  #cancel(params: unknown): void {
    if (!isObject(params)) return
    for (const { id, ended } of this.#running) if (id === params.requestId) ended.abort()
  }
}

function versionOf(answer: string): string | undefined {
  const { result } = JSON.parse(answer) as { result?: { protocolVersion?: unknown } }
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined
}
