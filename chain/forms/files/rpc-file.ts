/**
 * Answers of JSON-RPC in files: what getBlock and getTransaction return, in each encoding that holds whole transactions.
 * Any other form, and the error of a node, is refused by its name. Pure.
 */
import { isObject } from '../../../domain/text/exact-json.ts'
import { countOf, type Json, listOf, objectOf, textOf } from '../../transaction/parts.ts'
import type { ChainBlock } from '../../transaction/transaction.ts'
import { readRpcAnswer, readRpcBlock } from '../rpc.ts'
import { WIRE_ENCODINGS } from '../wire.ts'
import { slotOfBlock } from './slot.ts'
import { shown, UnreadableBlockFile, unknownForm } from './unreadable.ts'

/** The result of an answer, or the value where it is a result already. Throws UnreadableBlockFile. */
export function resultOf(answer: unknown): Json {
  if (!isObject(answer)) throw unknownForm()
  const { error, result } = answer
  if (error !== undefined && error !== null && !isObject(result)) throw refusedBy(error)
  if (result === undefined) {
    if (Number.isInteger(answer.code) && 'message' in answer) throw refusedBy(answer)
    return answer
  }
  if (result === null) {
    throw new UnreadableBlockFile('its result is null: the node has no such block or transaction')
  }
  if (!isObject(result)) throw unknownForm()
  return result
}

/** `{"code": -32007, "message": "..."}`; gateways before a node answer a text, or lack the code. */
function refusedBy(error: unknown): UnreadableBlockFile {
  const { code, message } = objectOf(error)
  const text = typeof message === 'string' ? message : textOf(error) || JSON.stringify(error)
  const number = Number.isInteger(code) ? ` ${code}` : ''
  return new UnreadableBlockFile(`JSON-RPC error${number} ${shown(text)}`)
}

export const isRpcBlock = (json: Json): boolean =>
  Array.isArray(json.transactions) || isHeader(json)

/** A block without its transactions. */
const isHeader = (json: Json): boolean =>
  textOf(json.blockhash) !== '' && textOf(json.previousBlockhash) !== ''

/** `slot`: that of the caller. Throws UnreadableBlockFile. */
export function readBlockAnswer(
  json: Json,
  name: string | undefined,
  slot: number | undefined,
): ChainBlock {
  if (!Array.isArray(json.transactions)) {
    throw withDetails(Array.isArray(json.signatures) ? 'signatures' : 'none')
  }
  for (const entry of json.transactions) expectWhole(objectOf(entry))
  const block = readRpcBlock(json, slot ?? slotOfBlock(json, name))
  if (block === undefined) throw unknownForm()
  return block
}

export const isRpcTransaction = (json: Json): boolean =>
  'meta' in json && (isObject(json.transaction) || isEncoded(json.transaction))

const isEncoded = (transaction: unknown): boolean =>
  typeof transaction === 'string' || typeof listOf(transaction)[0] === 'string'

/** Throws UnreadableBlockFile. */
export function readTransactionAnswer(json: Json, given: number | undefined): ChainBlock {
  const slot = given ?? countOf(json.slot)
  if (slot === undefined) throw new UnreadableBlockFile('its slot is missing: add --slot SLOT')
  expectWhole(json)
  const block = readRpcAnswer({ ...json, slot })
  if (block === undefined) throw unknownForm()
  return block
}

/** Throws UnreadableBlockFile for a known form without the instructions of the transaction. */
function expectWhole({ transaction }: Json): void {
  const [text, encoding] = listOf(transaction)
  if (typeof text === 'string' && !WIRE_ENCODINGS.some((each) => each === encoding)) {
    const found = typeof encoding === 'string' ? shown(encoding) : 'absent'
    const expected = `expected json, jsonParsed, ${WIRE_ENCODINGS.join(' or ')}`
    throw new UnreadableBlockFile(`encoding ${found} of a transaction: ${expected}`)
  }
  if (!isObject(transaction)) return
  const { message, accountKeys } = transaction
  if (message === undefined && Array.isArray(accountKeys)) throw withDetails('accounts')
  if (!isObject(message)) return
  if ('compiledInstructions' in message || 'staticAccountKeys' in message) {
    throw new UnreadableBlockFile(
      'a transaction as objects of web3.js print it: expected the answer of the node itself',
    )
  }
}

function withDetails(details: string): UnreadableBlockFile {
  const expected = 'which lack the instructions: request it with "full"'
  return new UnreadableBlockFile(
    `an answer of getBlock with transactionDetails "${details}", ${expected}`,
  )
}
