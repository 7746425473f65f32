/**
 * A transaction as the decoder reads it, independent of the form in which a source delivered it (forms/). Pure.
 *
 * Invariants: `instructions` are all instructions, outer and inner, in execution order; `program` and `accounts`
 * are indexes of `key()`, which counts static keys first, then the loaded writable and the loaded readonly ones;
 * amounts are exact.
 */
import { decodeBase58 } from '../../domain/numbers/base58.ts'

/** A part of a transaction's result, by its name in JSON-RPC. */
export type ResultPart =
  | 'innerInstructions'
  | 'logMessages'
  | 'preTokenBalances'
  | 'postTokenBalances'
  | 'loadedAddresses'

export type ChainTransaction = {
  readonly signature: string
  /** Position in the block; undefined where the source does not know it. */
  readonly index: number | undefined
  readonly hasFailed: boolean
  /** Keys below it signed; the first one pays the fee. */
  readonly signerCount: number
  readonly keyCount: number
  /** Base58 of an account key; '' for an index that the transaction lacks. */
  key(index: number): string
  /** The programs that ran, each once: cheap, where making `instructions` is not. */
  readonly programs: Iterable<number>
  readonly instructions: readonly ChainInstruction[]
  /** Undefined where the source has none. */
  readonly logs: readonly unknown[] | undefined
  readonly tokenBalances: ReadonlyMap<number, TokenBalance>
  /** Whether the source did not have a list of the result, which is then read as empty (forms/missing-part.ts). */
  lacks(part: ResultPart): boolean
}

export type ChainInstruction = {
  readonly program: number
  readonly accounts: ArrayLike<number>
  /** Base58 text or the bytes; payloadOf() reads it, and leaves the bytes. '' where the source parsed it itself. */
  payload: string | Uint8Array
  /** 1 for outer instructions; 0 where the source does not know the height of an inner one. */
  readonly height: number
  /** Index of the outer instruction that it belongs to. */
  readonly outer: number
  /** Present where the source parsed a token transfer itself (jsonParsed). */
  readonly parsedTransfer?: TokenTransfer
}

export type TokenTransfer = {
  /** Indexes of the token accounts. */
  readonly source: number
  readonly destination: number
  /** Base units that leave the source. */
  readonly baseUnits: bigint
  /** Base units that Token-2022 withholds at the destination; undefined where the instruction lacks them. */
  readonly fee: bigint | undefined
}

export type TokenBalance = {
  readonly mint: string
  /** '' in blocks of before owners were recorded. */
  readonly owner: string
  readonly decimals: number
  /** Whether the transaction made the account. */
  readonly isNew: boolean
  /** Base units before and after the transaction; 0 where the account did not exist. */
  readonly before: bigint
  readonly after: bigint
}

/** A block, or a single transaction as a block of one. */
export type ChainBlock = {
  readonly slot: number
  /** Unix ms; undefined where the chain recorded no time. */
  readonly timestamp: number | undefined
  /** Undefined for an entry that is no transaction with its result. */
  readonly transactions: Iterable<ChainTransaction | undefined>
}

const NO_BYTES = new Uint8Array(0)

/** The bytes of an instruction; empty where its text is not base58. */
export function payloadOf(instruction: ChainInstruction): Uint8Array {
  if (typeof instruction.payload === 'string') {
    instruction.payload = decodeBase58(instruction.payload, PAYLOAD_TEXT_MAX) ?? NO_BYTES
  }
  return instruction.payload
}

/** Base58 characters of the longest instruction that a transaction of 4,096 bytes or a CPI of 10 KiB holds. */
const PAYLOAD_TEXT_MAX = 16_384
