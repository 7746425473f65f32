/**
 * Messages of JSON-RPC, as the Model Context Protocol uses them: kinds, errors, and batches, which the protocol had until
 * version 2025-06-18. Pure.
 * Decision: docs/decisions/0069-mcp-messages-and-arguments.md
 */
import { isObject, type JsonObject } from '../../domain/text/exact-json.ts'
import { RPC_CODES } from '../routing/error.ts'
import { writeExact } from '../routing/json.ts'

/** A bigint: an integer that no double holds. */
export type RpcId = string | number | bigint

export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; message: JsonObject }
  | { kind: 'notification'; method: string; message: JsonObject }
  /** The result or the error of a request that this server would have sent; it sends none. */
  | { kind: 'response' }
  /** `id`: null where the message has none that can be read. */
  | { kind: 'invalid'; id: RpcId | null; reason: string }

type RpcCode = keyof typeof RPC_CODES

/** Maximum number of messages of a batch. */
export const BATCH_MAX = 50
/** First version of the protocol without batches. Versions are dates. */
const WITHOUT_BATCHES = '2025-06-18'

/** Reads a JSON value as one message. */
export function messageOf(value: unknown): RpcMessage {
  if (!isObject(value)) return { kind: 'invalid', id: null, reason: 'expected an object' }
  const { jsonrpc, id, method } = value
  const known = isId(id) ? id : null
  const invalid = (reason: string): RpcMessage => ({ kind: 'invalid', id: known, reason })
  if (jsonrpc !== '2.0') return invalid('expected "jsonrpc": "2.0"')
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' }
  if (typeof method !== 'string') return invalid('expected "method", a text')
  if (value.params !== undefined && !isObject(value.params)) {
    return invalid('expected "params" to be an object')
  }
  if (!('id' in value)) return { kind: 'notification', method, message: value }
  if (known === null) return invalid('expected "id" to be a text or an integer')
  return { kind: 'request', id: known, method, message: value }
}

function isId(id: unknown): id is RpcId {
  return typeof id === 'string' || typeof id === 'bigint' || Number.isSafeInteger(id)
}

/** An error as the text of a message. */
export function rpcError(id: RpcId | null, code: RpcCode, message: string): string {
  return writeExact({ jsonrpc: '2.0', id, error: { code: RPC_CODES[code], message } })
}

/**
 * Why a batch is refused as a whole; undefined: each of its messages gets its own answer. `version`: that of the protocol;
 * where none is named it is one with batches, as the protocol has it.
 */
export function refusedBatch(
  batch: readonly unknown[],
  version: string | undefined,
): string | undefined {
  if (version !== undefined && version >= WITHOUT_BATCHES) {
    return `version ${version} of the protocol has no batches: send one message`
  }
  if (batch.length === 0) return 'the batch is empty: send one message'
  return batch.length > BATCH_MAX ? `expected at most ${BATCH_MAX} messages in a batch` : undefined
}

/** A message of a batch. */
export function batchedMessageOf(value: unknown): RpcMessage {
  const message = messageOf(value)
  if (message.kind !== 'request' || message.method !== 'initialize') return message
  return { kind: 'invalid', id: message.id, reason: 'initialize is no part of a batch' }
}
