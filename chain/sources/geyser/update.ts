/**
 * Updates of a Yellowstone stream from their bytes: the fields that the assembler of blocks needs. Pure.
 */
import { WireReader } from '../../../streams/codec/protobuf.ts'
import { NOWHERE, type Range, rangeOf, readFields } from '../../forms/geyser/fields.ts'
import {
  SUBSCRIBE_UPDATE,
  SUBSCRIBE_UPDATE_BLOCK_META,
  SUBSCRIBE_UPDATE_SLOT,
  SUBSCRIBE_UPDATE_TRANSACTION,
  SUBSCRIBE_UPDATE_TRANSACTION_STATUS,
  UNIX_TIMESTAMP,
} from '../../forms/geyser/tags.ts'
import { GeyserTransaction } from '../../forms/geyser/transaction.ts'
import { WANTED } from './request.ts'

/** In the order of their numbers on the wire. */
export const SLOT_STATUSES = [
  'processed',
  'confirmed',
  'finalized',
  'first_shred_received',
  'completed',
  'created_bank',
  'dead',
] as const
export type SlotStatus = (typeof SLOT_STATUSES)[number]

/** `status` is undefined where the server has one that is not known here. */
export type SlotUpdate = {
  readonly kind: 'slot'
  readonly slot: number
  readonly parent: number | undefined
  readonly status: SlotStatus | undefined
}

/** The status of a transaction: that the block has it. */
export type ExecutedUpdate = {
  readonly kind: 'executed'
  readonly slot: number
  readonly index: number
  /** Whether it passes the filter of transactions, so that the server sends the transaction too. */
  readonly isWanted: boolean
  readonly signature: Uint8Array
}

type TransactionUpdate = {
  readonly kind: 'transaction'
  readonly slot: number
  readonly transaction: GeyserTransaction
}

export type MetaUpdate = {
  readonly kind: 'meta'
  readonly slot: number
  readonly blockhash: string
  readonly parentSlot: number
  readonly parentBlockhash: string
  /** Unix ms; undefined where the chain recorded no time. */
  readonly timestamp: number | undefined
  /** All transactions of the block, votes and failed ones too. */
  readonly executedCount: number
}

/** The updates that blocks are assembled from. */
export type BlockUpdate = SlotUpdate | ExecutedUpdate | TransactionUpdate | MetaUpdate

/** `other`: kinds that were not subscribed to. */
type GeyserUpdate =
  | BlockUpdate
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'other' }

const MS_A_SECOND = 1_000

/** The bytes of a SubscribeUpdate. Throws WireError. */
export function readUpdate(bytes: Uint8Array): GeyserUpdate {
  const reader = new WireReader(bytes)
  let update = { kind: 'other' } as GeyserUpdate
  let isWanted = false
  readFields(reader, [0, bytes.length], (tag) => {
    if (tag === SUBSCRIBE_UPDATE.filters) {
      if (reader.ascii() === WANTED) isWanted = true
      return true
    }
    const read = UPDATES[tag]
    if (read === undefined) return false
    const range = rangeOf(reader)
    update = read(reader, range, bytes)
    reader.at = range[1]
    reader.end = bytes.length
    return true
  })
  return update.kind === 'executed' ? { ...update, isWanted } : update
}

type UpdateReader = (reader: WireReader, range: Range, bytes: Uint8Array) => GeyserUpdate

const UPDATES: Readonly<Record<number, UpdateReader>> = {
  [SUBSCRIBE_UPDATE.slot]: readSlot,
  [SUBSCRIBE_UPDATE.transaction]: readTransaction,
  [SUBSCRIBE_UPDATE.blockMeta]: readMeta,
  [SUBSCRIBE_UPDATE.transactionStatus]: readExecuted,
  [SUBSCRIBE_UPDATE.ping]: () => ({ kind: 'ping' }),
  [SUBSCRIBE_UPDATE.pong]: () => ({ kind: 'pong' }),
}

function readSlot(reader: WireReader, range: Range): SlotUpdate {
  let [slot, status] = [0, 0]
  let parent: number | undefined
  readFields(reader, range, (tag) => {
    if (tag === SUBSCRIBE_UPDATE_SLOT.slot) slot = reader.safe()
    else if (tag === SUBSCRIBE_UPDATE_SLOT.parent) parent = reader.safe()
    else if (tag === SUBSCRIBE_UPDATE_SLOT.status) status = reader.safe()
    else return false
    return true
  })
  return { kind: 'slot', slot, parent, status: SLOT_STATUSES[status] }
}

function readExecuted(reader: WireReader, range: Range, bytes: Uint8Array): ExecutedUpdate {
  let [slot, index, signature] = [0, 0, NOWHERE]
  readFields(reader, range, (tag) => {
    if (tag === SUBSCRIBE_UPDATE_TRANSACTION_STATUS.slot) slot = reader.safe()
    else if (tag === SUBSCRIBE_UPDATE_TRANSACTION_STATUS.signature) signature = rangeOf(reader)
    else if (tag === SUBSCRIBE_UPDATE_TRANSACTION_STATUS.index) index = reader.safe()
    else return false
    return true
  })
  return { kind: 'executed', slot, index, isWanted: false, signature: bytes.subarray(...signature) }
}

function readTransaction(reader: WireReader, range: Range, bytes: Uint8Array): TransactionUpdate {
  let [slot, transaction] = [0, NOWHERE]
  readFields(reader, range, (tag) => {
    if (tag === SUBSCRIBE_UPDATE_TRANSACTION.slot) slot = reader.safe()
    else if (tag === SUBSCRIBE_UPDATE_TRANSACTION.transaction) transaction = rangeOf(reader)
    else return false
    return true
  })
  return {
    kind: 'transaction',
    slot,
    transaction: new GeyserTransaction(bytes.subarray(...transaction)),
  }
}

function readMeta(reader: WireReader, range: Range): MetaUpdate {
  let [slot, parentSlot, executedCount] = [0, 0, 0]
  let [blockhash, parentBlockhash] = ['', '']
  let time: Range | undefined
  readFields(reader, range, (tag) => {
    if (tag === SUBSCRIBE_UPDATE_BLOCK_META.slot) slot = reader.safe()
    else if (tag === SUBSCRIBE_UPDATE_BLOCK_META.blockhash) blockhash = reader.ascii()
    else if (tag === SUBSCRIBE_UPDATE_BLOCK_META.parentSlot) parentSlot = reader.safe()
    else if (tag === SUBSCRIBE_UPDATE_BLOCK_META.parentBlockhash) parentBlockhash = reader.ascii()
    else if (tag === SUBSCRIBE_UPDATE_BLOCK_META.executedTransactionCount) {
      executedCount = reader.safe()
    } else if (tag === SUBSCRIBE_UPDATE_BLOCK_META.blockTime) time = rangeOf(reader)
    else return false
    return true
  })
  const timestamp = time === undefined ? undefined : readSeconds(reader, time) * MS_A_SECOND
  return { kind: 'meta', slot, blockhash, parentSlot, parentBlockhash, timestamp, executedCount }
}

function readSeconds(reader: WireReader, range: Range): number {
  let seconds = 0
  readFields(reader, range, (tag) => {
    if (tag !== UNIX_TIMESTAMP.timestamp) return false
    seconds = reader.safe()
    return true
  })
  return seconds
}
