/**
 * The form of JSON-RPC with encodings `base64` and `base58`: the message in its wire form, the result as with encoding
 * `json`. Pure.
 */
import { decodeBase58 } from '../../domain/numbers/base58.ts'
import { lacksList } from '../transaction/missing-part.ts'
import {
  countOf,
  type Json,
  listOf,
  objectOf,
  textOf,
  withInner,
  withInnerPrograms,
} from '../transaction/parts.ts'
import type {
  ChainInstruction,
  ChainTransaction,
  ResultPart,
  TokenBalance,
} from '../transaction/transaction.ts'
import { tokenBalancesOf } from './balances.ts'
import { WireMessage } from './wire-message.ts'

export const WIRE_ENCODINGS = ['base64', 'base58'] as const

/** Base58 characters of a transaction of 4,096 bytes, the longest of version 1. */
const BASE58_LENGTH_MAX = 5_600

/**
 * The message of an entry, which is `[text, 'base64']`, `[text, 'base58']`, a text in base58 as older nodes answer it, or
 * was read before; undefined for anything else.
 */
export function wireMessageOf(transaction: unknown): WireMessage | undefined {
  if (transaction instanceof WireMessage) return transaction
  const [text, encoding] =
    typeof transaction === 'string' ? [transaction, 'base58'] : listOf(transaction)
  if (encoding === 'base64') return WireMessage.read(Buffer.from(textOf(text), 'base64'))
  if (encoding !== 'base58') return undefined
  const bytes = decodeBase58(textOf(text), BASE58_LENGTH_MAX)
  return bytes === undefined ? undefined : WireMessage.read(Buffer.from(bytes))
}

/** Parts are made when they are first read: most transactions of a block concern no venue. */
export class WireTransaction implements ChainTransaction {
  readonly index: number | undefined
  readonly #message: WireMessage
  readonly #meta: Json
  #signature: string | undefined
  #loaded: readonly unknown[] | undefined
  #instructions: readonly ChainInstruction[] | undefined
  #balances: ReadonlyMap<number, TokenBalance> | undefined

  constructor(message: WireMessage, index: number | undefined, meta: Json) {
    this.index = index
    this.#message = message
    this.#meta = meta
  }

  get signature(): string {
    this.#signature ??= this.#message.signature
    return this.#signature
  }

  get hasFailed(): boolean {
    return this.#meta.err !== null && this.#meta.err !== undefined
  }

  get signerCount(): number {
    return this.#message.signerCount
  }

  get logs(): readonly unknown[] | undefined {
    const { logMessages } = this.#meta
    return Array.isArray(logMessages) ? logMessages : undefined
  }

  get keyCount(): number {
    return this.#message.keyCount + this.#loadedKeys().length
  }

  key(index: number): string {
    const { keyCount } = this.#message
    if (index < keyCount) return index < 0 ? '' : this.#message.key(index)
    return textOf(this.#loadedKeys()[index - keyCount])
  }

  lacks(part: ResultPart): boolean {
    return lacksList(this.#meta, part, false)
  }

  #loadedKeys(): readonly unknown[] {
    this.#loaded ??= loadedOf(this.#meta)
    return this.#loaded
  }

  get programs(): ReadonlySet<number> {
    return withInnerPrograms(this.#message.programs(), this.#meta, programOf)
  }

  get instructions(): readonly ChainInstruction[] {
    this.#instructions ??= withInner(this.#message.instructions(), this.#meta, undefined, readInner)
    return this.#instructions
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    this.#balances ??= tokenBalancesOf(this.#meta)
    return this.#balances
  }
}

/** Keys that lookup tables load: the writable ones, then the readonly ones. */
function loadedOf(meta: Json): readonly unknown[] {
  const { writable, readonly } = objectOf(meta.loadedAddresses)
  return [...listOf(writable), ...listOf(readonly)]
}

const NO_KEY = -1

const indexOf = (value: unknown): number => countOf(value) ?? NO_KEY
const programOf = (entry: Json): number => indexOf(entry.programIdIndex)

function readInner(entry: Json, outer: number, height: number): ChainInstruction {
  return {
    program: programOf(entry),
    accounts: listOf(entry.accounts).map(indexOf),
    payload: textOf(entry.data),
    height,
    outer,
  }
}
