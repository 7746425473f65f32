/**
 * Questions about slots and blocks to a Solana node, and the check of its answers. Pure.
 *
 * An answer is used as a whole or not at all: one that lacks its hashes, its transactions, the result of a transaction or
 * a part of it, or its time, or that names a later parent, is unusable and is requested again.
 */
import { isObject } from '../../../domain/text/exact-json.ts'
import { printed } from '../../../streams/ingest/refusal.ts'
import { decodeBlock } from '../../decode.ts'
import { unreadablePart } from '../../forms/readable.ts'
import { readRpcBlock, readRpcTransaction } from '../../forms/rpc.ts'
import { UnusableAnswer } from '../../rpc/rpc-answer.ts'
import { countOf, objectOf, textOf } from '../../transaction/parts.ts'
import type { ChainBlock, ChainTransaction } from '../../transaction/transaction.ts'
import type { SlotBlock } from './slot-block.ts'

export const COMMITMENTS = ['confirmed', 'finalized'] as const
export type Commitment = (typeof COMMITMENTS)[number]

export type Link = NonNullable<SlotBlock['link']>

/** The newest version of transactions that is requested, and the one for nodes that do not know it. */
export const TRANSACTION_VERSION = 1
export const TRANSACTION_VERSION_OLDER = 0

export function blockSettings(
  commitment: Commitment,
  transactionDetails: 'full' | 'signatures' | 'none',
  maxSupportedTransactionVersion: number,
): object {
  return {
    // A tenth less of a block than json, with fewer objects.
    encoding: 'base64',
    transactionDetails,
    rewards: false,
    maxSupportedTransactionVersion,
    commitment,
  }
}

export function transactionSettings(
  commitment: Commitment,
  maxSupportedTransactionVersion: number,
): object {
  return { encoding: 'base64', maxSupportedTransactionVersion, commitment }
}

type FetchedBlock = {
  readonly slot: number
  readonly block: ChainBlock
  readonly link: Link
  readonly transactionCount: number
}

/** The block of `getBlock` with all its transactions. Throws UnusableAnswer. */
export function readBlockResult(result: unknown, slot: number): FetchedBlock {
  const link = readLink(result, slot)
  const { transactions, blockTime } = objectOf(result)
  if (!Array.isArray(transactions)) throw unusable('it has no transactions')
  if (countOf(blockTime) === undefined) throw unusable('it has no block time')
  const block = readRpcBlock(result, slot)
  if (block === undefined) throw unusable('it is no block')
  const read = Array.from(block.transactions)
  const broken = transactions.findIndex((each, index) => {
    return read[index] === undefined || !('err' in objectOf(objectOf(each).meta))
  })
  if (broken !== -1) {
    const part = unreadablePart(objectOf(objectOf(transactions[broken]).meta), { isPrinted: false })
    const reason = part === undefined ? '' : `: its ${part} cannot be read`
    throw unusable(`transaction ${broken} is not one with its result${reason}`)
  }
  return { slot, block: { ...block, transactions: read }, link, transactionCount: read.length }
}

/** A block that was fetched, and how many transactions it has. */
export type DecodedSlot = SlotBlock & { readonly transactionCount: number }

/** The block of `getBlock`, decoded; each transaction has the parts that the decoder needs. Throws UnusableAnswer. */
export function decodeBlockResult(result: unknown, slot: number): DecodedSlot {
  const { block, ...fetched } = readBlockResult(result, slot)
  const decoded = decodeBlock(block)
  const [incomplete] = decoded.incomplete
  if (incomplete !== undefined) {
    const { index, part } = incomplete
    throw unusable(`transaction ${index} lacks ${part}: the node may not record them`)
  }
  return { ...fetched, block: { slot, timestamp: block.timestamp, decoded } }
}

/** `index`: its position in the block, which the answer lacks. */
export type WantedTransaction = {
  readonly slot: number
  readonly signature: string
  readonly index: number | undefined
}

/** The transaction of `getTransaction` with the parts that the decoder needs. Throws UnusableAnswer. */
export function readTransactionResult(
  result: unknown,
  { slot, signature, index }: WantedTransaction,
): ChainTransaction {
  if (!isObject(result)) throw unusable('the node does not have it')
  if (result.slot !== slot) throw unusable(`it is of slot ${printed(result.slot)}, not ${slot}`)
  const transaction = readRpcTransaction(result, index)
  if (transaction?.signature !== signature) throw unusable('it is not one with its result')
  const alone = { slot, timestamp: 0, transactions: [transaction] }
  const [incomplete] = decodeBlock(alone).incomplete
  if (incomplete === undefined) return transaction
  throw unusable(`it lacks ${incomplete.part}: the node may not record them`)
}

/** The hashes of `getBlock` only. Throws UnusableAnswer. */
export function readLink(result: unknown, slot: number): Link {
  if (!isObject(result)) throw unusable('it is no block')
  const blockhash = textOf(result.blockhash)
  const parentBlockhash = textOf(result.previousBlockhash)
  const parentSlot = countOf(result.parentSlot)
  if (blockhash === '' || parentBlockhash === '') throw unusable('it has no block hash')
  if (parentSlot === undefined || parentSlot >= slot) {
    throw unusable(
      `expected a parent before slot ${slot}, found ${printed(result.parentSlot) ?? 'none'}`,
    )
  }
  return { blockhash, parentSlot, parentBlockhash }
}

/** The time of `getBlock` in Unix seconds. Throws UnusableAnswer. */
export function readBlockTime(result: unknown): number {
  const seconds = countOf(objectOf(result).blockTime)
  if (seconds === undefined) throw unusable('it has no block time')
  return seconds
}

/** How many transactions `getBlock` lists with `transactionDetails: signatures`. Throws UnusableAnswer. */
export function readSignatureCount(result: unknown): number {
  const { signatures } = objectOf(result)
  if (!Array.isArray(signatures)) throw unusable('it has no signatures')
  return signatures.length
}

/** The slot of `getSlot`. Throws UnusableAnswer. */
export function readSlot(result: unknown): number {
  const slot = countOf(result)
  if (slot === undefined || typeof result !== 'number') throw unusable('expected a slot')
  return slot
}

/** The slots of `getBlocks` and `getBlocksWithLimit`, ascending and within the range. Throws UnusableAnswer. */
export function readSlots(result: unknown, from: number, to: number): number[] {
  if (!Array.isArray(result)) throw unusable('expected a list of slots')
  const slots: number[] = []
  let before = from - 1
  for (const each of result) {
    const slot = readSlot(each)
    if (slot <= before || slot > to) {
      throw unusable(`expected ascending slots of ${from} to ${to}, found ${slot} after ${before}`)
    }
    slots.push(slot)
    before = slot
  }
  return slots
}

const unusable = (text: string): UnusableAnswer => new UnusableAnswer(text, false)
