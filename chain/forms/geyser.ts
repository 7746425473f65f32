/**
 * The forms of a Yellowstone (Geyser) stream: transactions as the protobuf codec delivers them, with bytes for
 * keys, accounts and payloads, or printed as JSON, with base58 for bytes and zeros left out. Pure.
 *
 * Keys stay bytes until one is requested: a block has a hundred thousand, of which the decoder needs few.
 */

import { decodeBase58 } from '../../domain/numbers/base58.ts'
import { isObject } from '../../domain/text/exact-json.ts'
import { lacksList } from '../transaction/missing-part.ts'
import {
  base58Of,
  countOf,
  instructionsOf,
  type Json,
  lazy,
  listOf,
  objectOf,
  programsOf,
  textOf,
} from '../transaction/parts.ts'
import type { ChainBlock, ChainInstruction, ChainTransaction } from '../transaction/transaction.ts'
import { tokenBalancesOf } from './balances.ts'
import { isMessageReadable, isResultReadable } from './readable.ts'

const MS_A_SECOND = 1_000

/** A block update; undefined for any other update. */
export function readGeyserBlock(update: unknown): ChainBlock | undefined {
  const block = objectOf(objectOf(update).block ?? update)
  const slot = countOf(block.slot)
  if (slot === undefined || !Array.isArray(block.transactions)) return undefined
  const seconds = countOf(objectOf(block.blockTime).timestamp)
  const { transactions } = block
  return {
    slot,
    timestamp: seconds === undefined ? undefined : seconds * MS_A_SECOND,
    transactions: {
      *[Symbol.iterator]() {
        for (const each of transactions) yield readGeyserTransaction(objectOf(each))
      },
    },
  }
}

const FORM = { isPrinted: true }

/**
 * A transaction of a block update or of a transaction update; undefined where its result is missing, or a part cannot be
 * read.
 */
export function readGeyserTransaction(entry: Json): ChainTransaction | undefined {
  const transaction = objectOf(entry.transaction)
  const message = objectOf(transaction.message)
  const { meta } = entry
  const signature = base58Of(entry.signature ?? listOf(transaction.signatures)[0])
  if (signature === '' || !isObject(meta)) return undefined
  if (!isMessageReadable(message, FORM) || !isResultReadable(meta, FORM)) return undefined
  const instructions = lazy(() => instructionsOf(message, meta, 0, readInstruction))
  const tokenBalances = lazy(() => tokenBalancesOf(meta))
  const keys = [
    ...listOf(message.accountKeys),
    ...listOf(meta.loadedWritableAddresses),
    ...listOf(meta.loadedReadonlyAddresses),
  ]
  return {
    signature,
    index: entry.index === undefined ? 0 : countOf(entry.index),
    hasFailed: meta.err !== null && meta.err !== undefined,
    signerCount: countOf(objectOf(message.header).numRequiredSignatures) ?? 1,
    keyCount: keys.length,
    key: keyReader(keys),
    get programs() {
      return programsOf(message, meta, programOf)
    },
    get instructions() {
      return instructions()
    },
    logs:
      meta.logMessagesNone === true || !Array.isArray(meta.logMessages)
        ? undefined
        : meta.logMessages,
    get tokenBalances() {
      return tokenBalances()
    },
    lacks: (part) => meta[`${part}None`] === true || lacksList(meta, part, true),
  }
}

function keyReader(keys: readonly unknown[]): (index: number) => string {
  const texts: (string | undefined)[] = []
  return (index) => {
    let text = texts[index]
    if (text === undefined) {
      text = base58Of(keys[index])
      texts[index] = text
    }
    return text
  }
}

/** Protobuf printed as JSON leaves out zeros. */
const programOf = (entry: Json): number => countOf(entry.programIdIndex) ?? 0

const NO_ACCOUNTS = new Uint8Array(0)

function readInstruction(entry: Json, outer: number, height: number): ChainInstruction {
  const payload = entry.data
  return {
    program: programOf(entry),
    accounts: accountsOf(entry.accounts),
    payload: payload instanceof Uint8Array ? payload : textOf(payload),
    height,
    outer,
  }
}

function accountsOf(value: unknown): ArrayLike<number> {
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map((each) => countOf(each) ?? NO_KEY)
  return decodeBase58(textOf(value)) ?? NO_ACCOUNTS
}

const NO_KEY = -1
