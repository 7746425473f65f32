/**
 * The forms of JSON-RPC: `getBlock` and `getTransaction` with encoding `json` or `jsonParsed`, of legacy
 * transactions and of versions 0 and 1. Pure.
 *
 * `jsonParsed` names keys instead of their indexes, and parses instructions of known programs: of these the token
 * transfers are read, since the venues' own instructions are never parsed.
 */
import type {
  ChainBlock,
  ChainInstruction,
  ChainTransaction,
  TokenTransfer,
} from '../transaction.ts'
import { tokenBalancesOf } from './balances.ts'
import {
  amountOf,
  countOf,
  isObject,
  type Json,
  listOf,
  objectOf,
  textOf,
  textsOf,
} from './parts.ts'

const MS_A_SECOND = 1_000

/** A block, or undefined where the answer is none: `slot` comes from the request, as answers lack it. */
export function readRpcBlock(answer: unknown, slot: number): ChainBlock | undefined {
  if (!isObject(answer) || !Array.isArray(answer.transactions)) return undefined
  const { transactions } = answer
  return {
    slot,
    timestamp: timestampOf(answer),
    transactions: { [Symbol.iterator]: () => readAll(transactions) },
  }
}

function* readAll(transactions: readonly unknown[]): Generator<ChainTransaction> {
  for (const [index, each] of transactions.entries()) {
    const transaction = readRpcTransaction(objectOf(each), index)
    if (transaction !== undefined) yield transaction
  }
}

/** The answer of `getTransaction` as a block of one; undefined where it is none or lacks its slot. */
export function readRpcAnswer(answer: unknown): ChainBlock | undefined {
  const envelope = objectOf(answer)
  const slot = countOf(envelope.slot)
  if (slot === undefined) return undefined
  const transaction = readRpcTransaction(envelope, countOf(envelope.transactionIndex))
  if (transaction === undefined) return undefined
  return { slot, timestamp: timestampOf(envelope), transactions: [transaction] }
}

function timestampOf(answer: Json): number | undefined {
  const seconds = countOf(answer.blockTime)
  return seconds === undefined ? undefined : seconds * MS_A_SECOND
}

/** Undefined where the envelope holds no transaction with its result. */
export function readRpcTransaction(
  envelope: Json,
  index: number | undefined,
): ChainTransaction | undefined {
  const transaction = objectOf(envelope.transaction)
  const message = objectOf(transaction.message)
  const meta = envelope.meta
  const signature = textOf(listOf(transaction.signatures)[0])
  if (signature === '' || !isObject(meta)) return undefined
  const { keys, signerCount } = keysOf(message, meta)
  const indexes = new Map<string, number>()
  for (const [at, key] of keys.entries()) indexes.set(key, at)
  return {
    signature,
    index,
    hasFailed: meta.err !== null && meta.err !== undefined,
    keyCount: keys.length,
    signerCount,
    key: (at) => keys[at] ?? '',
    instructions: instructionsOf(message, meta, indexes),
    logs: textsOf(meta.logMessages),
    tokenBalances: tokenBalancesOf(meta),
  }
}

function keysOf(message: Json, meta: Json): { keys: readonly string[]; signerCount: number } {
  const listed = listOf(message.accountKeys)
  if (isObject(listed[0])) {
    const entries = listed.map(objectOf)
    return {
      keys: entries.map((entry) => textOf(entry.pubkey)),
      signerCount: entries.filter((entry) => entry.signer === true).length,
    }
  }
  const loaded = objectOf(meta.loadedAddresses)
  return {
    keys: [...listed, ...listOf(loaded.writable), ...listOf(loaded.readonly)].map(textOf),
    signerCount: countOf(objectOf(message.header).numRequiredSignatures) ?? 1,
  }
}

function instructionsOf(
  message: Json,
  meta: Json,
  indexes: ReadonlyMap<string, number>,
): readonly ChainInstruction[] {
  const inner = new Map<number, readonly unknown[]>()
  for (const each of listOf(meta.innerInstructions)) {
    const group = objectOf(each)
    const outer = countOf(group.index)
    if (outer !== undefined) inner.set(outer, listOf(group.instructions))
  }
  const instructions: ChainInstruction[] = []
  for (const [outer, each] of listOf(message.instructions).entries()) {
    instructions.push(readInstruction(objectOf(each), outer, 1, indexes))
    for (const nested of inner.get(outer) ?? []) {
      const entry = objectOf(nested)
      instructions.push(readInstruction(entry, outer, countOf(entry.stackHeight) ?? 0, indexes))
    }
  }
  return instructions
}

const NO_KEY = -1

function readInstruction(
  entry: Json,
  outer: number,
  height: number,
  indexes: ReadonlyMap<string, number>,
): ChainInstruction {
  const indexOf = (key: unknown): number =>
    typeof key === 'number' ? key : (indexes.get(textOf(key)) ?? NO_KEY)
  const parsedTransfer = isObject(entry.parsed) ? readTransfer(entry.parsed, indexOf) : undefined
  return {
    program: indexOf(entry.programIdIndex ?? entry.programId),
    accounts: listOf(entry.accounts).map(indexOf),
    payload: textOf(entry.data),
    height,
    outer,
    ...(parsedTransfer === undefined ? {} : { parsedTransfer }),
  }
}

const TRANSFERS = new Set(['transfer', 'transferChecked', 'transferCheckedWithFee'])

/** A token transfer as the node parsed it; one of lamports has `lamports` and no amount. */
function readTransfer(parsed: Json, indexOf: (key: unknown) => number): TokenTransfer | undefined {
  if (!TRANSFERS.has(textOf(parsed.type))) return undefined
  const facts = objectOf(parsed.info)
  const amount = facts.amount ?? objectOf(facts.tokenAmount).amount
  if (amount === undefined) return undefined
  const fee = objectOf(facts.feeAmount).amount
  return {
    source: indexOf(facts.source),
    destination: indexOf(facts.destination),
    amount: amountOf(amount),
    fee: fee === undefined ? undefined : amountOf(fee),
  }
}
