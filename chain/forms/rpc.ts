/**
 * The forms of JSON-RPC: `getBlock` and `getTransaction` with encoding `json`, `jsonParsed`, `base64` or `base58`
 * (wire.ts), of legacy transactions and of versions 0 and 1. Pure.
 *
 * `jsonParsed` names keys instead of their indexes, and parses instructions of known programs: of these the token
 * transfers are read, since the venues' own instructions are never parsed.
 */
import { isObject } from '../../domain/text/exact-json.ts'
import { lacksList } from '../transaction/missing-part.ts'
import {
  amountOf,
  countOf,
  instructionsOf,
  type Json,
  listOf,
  objectOf,
  programsOf,
  textOf,
} from '../transaction/parts.ts'
import type {
  ChainBlock,
  ChainInstruction,
  ChainTransaction,
  ResultPart,
  TokenBalance,
  TokenTransfer,
} from '../transaction/transaction.ts'
import { tokenBalancesOf } from './balances.ts'
import { isMessageReadable, isResultReadable } from './readable.ts'
import { WireTransaction, wireMessageOf } from './wire.ts'

const MS_A_SECOND = 1_000

/** A block, or undefined for any other answer: `slot` comes from the request, as answers lack it. */
export function readRpcBlock(answer: unknown, slot: number): ChainBlock | undefined {
  if (!isObject(answer) || !Array.isArray(answer.transactions)) return undefined
  const { transactions } = answer
  return {
    slot,
    timestamp: timestampOf(answer),
    transactions: { [Symbol.iterator]: () => readAll(transactions) },
  }
}

function* readAll(transactions: readonly unknown[]): Generator<ChainTransaction | undefined> {
  for (const [index, each] of transactions.entries()) {
    yield readRpcTransaction(objectOf(each), index)
  }
}

/** The answer of `getTransaction` as a block of one; undefined for an answer without its slot. */
export function readRpcAnswer(answer: unknown): ChainBlock | undefined {
  const envelope = objectOf(answer)
  const slot = countOf(envelope.slot)
  if (slot === undefined) return undefined
  const transaction = readRpcTransaction(envelope, countOf(envelope.transactionIndex))
  return { slot, timestamp: timestampOf(envelope), transactions: [transaction] }
}

function timestampOf(answer: Json): number | undefined {
  const seconds = countOf(answer.blockTime)
  return seconds === undefined ? undefined : seconds * MS_A_SECOND
}

const FORM = { isPrinted: false }

/** Undefined where the envelope holds no transaction with its result, or one with a part that cannot be read. */
export function readRpcTransaction(
  envelope: Json,
  index: number | undefined,
): ChainTransaction | undefined {
  const meta = envelope.meta
  // A result without "err" is not one of success.
  if (!isObject(meta) || meta.err === undefined) return undefined
  if (meta.err === null && !isResultReadable(meta, FORM)) return undefined
  const wire = wireMessageOf(envelope.transaction)
  if (wire !== undefined) return new WireTransaction(wire, index, meta)
  const transaction = objectOf(envelope.transaction)
  const { message } = transaction
  const signature = textOf(listOf(transaction.signatures)[0])
  if (signature === '' || !isObject(message) || !isMessageReadable(message, FORM)) return undefined
  return new RpcTransaction(signature, index, message, meta)
}

/** Parts are made when they are first read: most transactions of a block concern no venue. */
class RpcTransaction implements ChainTransaction {
  readonly signature: string
  readonly index: number | undefined
  readonly #message: Json
  readonly #meta: Json
  #keys: readonly unknown[] | undefined
  #indexes: ReadonlyMap<unknown, number> | undefined
  #instructions: readonly ChainInstruction[] | undefined
  #balances: ReadonlyMap<number, TokenBalance> | undefined

  constructor(signature: string, index: number | undefined, message: Json, meta: Json) {
    this.signature = signature
    this.index = index
    this.#message = message
    this.#meta = meta
  }

  get hasFailed(): boolean {
    return this.#meta.err !== null && this.#meta.err !== undefined
  }

  get signerCount(): number {
    return signerCountOf(this.#message)
  }

  get logs(): readonly unknown[] | undefined {
    const { logMessages } = this.#meta
    return Array.isArray(logMessages) ? logMessages : undefined
  }

  get keyCount(): number {
    return this.#listed().length
  }

  key(index: number): string {
    return textOf(this.#listed()[index])
  }

  lacks(part: ResultPart): boolean {
    return lacksList(this.#meta, part, false)
  }

  get programs(): ReadonlySet<number> {
    return programsOf(this.#message, this.#meta, this.#programOf)
  }

  get instructions(): readonly ChainInstruction[] {
    this.#instructions ??= instructionsOf(
      this.#message,
      this.#meta,
      undefined,
      (entry, outer, height) => readInstruction(entry, outer, height, this.#indexOf),
    )
    return this.#instructions
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    this.#balances ??= tokenBalancesOf(this.#meta)
    return this.#balances
  }

  readonly #programOf = (entry: Json): number => programOf(entry, this.#indexOf)

  /** By index in `json`, by key in `jsonParsed`. */
  readonly #indexOf = (key: unknown): number => {
    if (typeof key === 'number') return key
    this.#indexes ??= new Map(this.#listed().map((each, index) => [each, index]))
    return this.#indexes.get(key) ?? NO_KEY
  }

  #listed(): readonly unknown[] {
    this.#keys ??= keysOf(this.#message, this.#meta)
    return this.#keys
  }
}

function keysOf(message: Json, meta: Json): readonly unknown[] {
  const listed = listOf(message.accountKeys)
  if (isObject(listed[0])) return listed.map((entry) => objectOf(entry).pubkey)
  const { writable, readonly } = objectOf(meta.loadedAddresses)
  return [...listed, ...listOf(writable), ...listOf(readonly)]
}

function signerCountOf(message: Json): number {
  const listed = listOf(message.accountKeys)
  if (isObject(listed[0])) return listed.filter((entry) => objectOf(entry).signer === true).length
  return countOf(objectOf(message.header).numRequiredSignatures) ?? 1
}

const NO_KEY = -1

const programOf = (entry: Json, indexOf: (key: unknown) => number): number =>
  indexOf(entry.programIdIndex ?? entry.programId)

function readInstruction(
  entry: Json,
  outer: number,
  height: number,
  indexOf: (key: unknown) => number,
): ChainInstruction {
  const program = programOf(entry, indexOf)
  if (isObject(entry.parsed)) return readParsed(entry.parsed, program, outer, height, indexOf)
  return {
    program,
    accounts: accountsOf(entry.accounts, indexOf),
    payload: textOf(entry.data),
    height,
    outer,
  }
}

/** First bytes of the token programs' instructions, other than transfers, that change balances, by the parsed type. */
const MOVING_TAGS: Readonly<Record<string, number>> = {
  mintTo: 7,
  burn: 8,
  closeAccount: 9,
  mintToChecked: 14,
  burnChecked: 15,
  syncNative: 17,
}

/** An instruction that the node parsed itself: a transfer, or one of which the tag and the accounts alone are left. */
function readParsed(
  parsed: Json,
  program: number,
  outer: number,
  height: number,
  indexOf: (key: unknown) => number,
): ChainInstruction {
  const parsedTransfer = readTransfer(parsed, indexOf)
  if (parsedTransfer !== undefined) {
    return { program, accounts: [], payload: '', height, outer, parsedTransfer }
  }
  const tag = MOVING_TAGS[textOf(parsed.type)]
  if (tag === undefined) return { program, accounts: [], payload: '', height, outer }
  const accounts = Object.values(objectOf(parsed.info))
    .filter((each) => typeof each === 'string')
    .map(indexOf)
  return { program, accounts, payload: Uint8Array.of(tag), height, outer }
}

function accountsOf(value: unknown, indexOf: (key: unknown) => number): readonly number[] {
  const accounts = listOf(value)
  return accounts.every((each) => typeof each === 'number') ? accounts : accounts.map(indexOf)
}

const TRANSFERS = new Set(['transfer', 'transferChecked', 'transferCheckedWithFee'])

/** A token transfer as the node parsed it; one of lamports has `lamports` and no amount. */
function readTransfer(parsed: Json, indexOf: (key: unknown) => number): TokenTransfer | undefined {
  if (!TRANSFERS.has(textOf(parsed.type))) return undefined
  const facts = objectOf(parsed.info)
  const baseUnits = amountOf(facts.amount ?? objectOf(facts.tokenAmount).amount)
  if (baseUnits === undefined) return undefined
  return {
    source: indexOf(facts.source),
    destination: indexOf(facts.destination),
    baseUnits,
    fee: amountOf(objectOf(facts.feeAmount).amount),
  }
}
