/**
 * Events of a block of a CAR file. Pure.
 *
 * Some archives hold blocks whose results were not recorded: no logs, no inner instructions, and no flag for it. A
 * transaction that may have run a venue and whose result cannot be decoded is counted. Where they are more than 1 % of them and of
 * those that ran a venue, the slot is a gap with its reason; else each is reported and counted.
 */

import { VENUES } from '../../../domain/venue.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { type Decoded, decodeBlock, READ_PROGRAMS } from '../../decode.ts'
import {
  OTHER_TRANSACTION,
  type PackedTransaction,
  readCarTransaction,
  UnreadableTransaction,
} from '../../forms/car.ts'
import { KeySet } from '../../forms/key-set.ts'
import type { ChainTransaction } from '../../transaction/transaction.ts'
import type { SlotBlock, UnreadTransaction } from '../blocks/slot-block.ts'
import type { CarBlock } from './format/blocks.ts'

const PROGRAMS = new KeySet(READ_PROGRAMS)
const VENUE_PROGRAMS: ReadonlySet<string> = new Set(VENUES.map(({ program }) => program))
/** The greatest share that cannot be decoded: one in a hundred. */
const LACKING_PERCENT_MAX = 1

/** `entry`: its number in the block. */
type Lacking = UnreadTransaction & { readonly entry: number }

/** `parentBlockhash`: '' where it is not known. Throws CarError where a transaction lacks a frame. */
export function decodeCarBlock(block: CarBlock, parentBlockhash: string): SlotBlock {
  const { slot, timestamp, parentSlot, blockhash } = block
  const link = { blockhash, parentSlot, parentBlockhash }
  const lacking: Lacking[] = []
  const read = block.transactions.map((each, entry) => readOne(each, entry, lacking))
  const decoded = decodeEach({ slot, timestamp, transactions: read }, lacking)
  for (const { index, signature, part } of decoded.incomplete) {
    lacking.push({ entry: index, signature, reason: `its result lacks ${part}` })
  }
  const whole = { slot, block: { slot, timestamp, decoded }, link }
  const [first] = lacking
  if (first !== undefined) {
    const count = lacking.length + countOthers(read, lacking)
    if (lacking.length * 100 > count * LACKING_PERCENT_MAX) {
      const share = `${lacking.length} of ${counted(count)}`
      return { ...whole, gapReason: `${share} cannot be decoded: ${first.reason}` }
    }
  }
  return lacking.length === 0 ? whole : { ...whole, unread: lacking }
}

/** `1 transaction of venues` */
const counted = (count: number): string =>
  `${count} ${count === 1 ? 'transaction' : 'transactions'} of venues`

function readOne(packed: PackedTransaction, entry: number, lacking: Lacking[]): ChainTransaction {
  try {
    return readCarTransaction(packed, PROGRAMS)
  } catch (error) {
    if (!(error instanceof UnreadableTransaction)) throw error
    lacking.push({ entry, signature: error.signature, reason: error.message })
    return OTHER_TRANSACTION
  }
}

/** Transactions that ran a venue and did not fail, without those that cannot be decoded. */
function countOthers(read: readonly ChainTransaction[], lacking: readonly Lacking[]): number {
  const left = new Set(lacking.map(({ entry }) => entry))
  return read.filter((each, entry) => !left.has(entry) && !each.hasFailed && runsVenue(each)).length
}

function runsVenue(transaction: ChainTransaction): boolean {
  for (const program of transaction.programs) {
    if (VENUE_PROGRAMS.has(transaction.key(program))) return true
  }
  return false
}

type ReadBlock = {
  readonly slot: number
  readonly timestamp: number | undefined
  readonly transactions: readonly ChainTransaction[]
}

/** Where a part cannot be read, transaction by transaction: it costs only itself. */
function decodeEach(block: ReadBlock, lacking: Lacking[]): Decoded {
  try {
    return decodeBlock(block)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
  const whole = decodeBlock({ ...block, transactions: [] })
  for (const [index, transaction] of block.transactions.entries()) {
    try {
      add(whole, decodeBlock({ ...block, transactions: [transaction] }), index)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      whole.transactionCount++
      const { signature } = transaction
      lacking.push({
        entry: index,
        signature,
        reason: `its result cannot be read: ${error.message}`,
      })
    }
  }
  return whole
}

function add(whole: Decoded, one: Decoded, index: number): void {
  whole.events.push(...one.events)
  whole.rejects.push(...one.rejects)
  whole.mismatches.push(...one.mismatches)
  whole.warnings.push(...one.warnings)
  whole.incomplete.push(...one.incomplete.map((each) => ({ ...each, index })))
  whole.transactionCount += one.transactionCount
  whole.failedCount += one.failedCount
  whole.unreadableCount += one.unreadableCount
}
