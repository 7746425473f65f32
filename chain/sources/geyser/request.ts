/**
 * Requests of a Yellowstone stream as bytes: the subscription, and a ping. Pure.
 *
 * Transactions are filtered by program. Alongside them the status of every transaction is subscribed to, a hundred bytes
 * each: their number must equal the block's count. A second filter of statuses is that of the transactions, and an
 * update names the filters that it passed: so each status shows whether a transaction must come with it.
 */
import { WireWriter } from '../../../streams/codec/protobuf.ts'
import {
  SUBSCRIBE_REQUEST,
  SUBSCRIBE_REQUEST_FILTER_SLOTS,
  SUBSCRIBE_REQUEST_FILTER_TRANSACTIONS,
  SUBSCRIBE_REQUEST_PING,
} from '../../forms/geyser/tags.ts'
import type { Commitment } from '../blocks/block-answer.ts'

/** By their number on the wire. */
const COMMITMENT_NUMBERS: Readonly<Record<Commitment, number>> = { confirmed: 1, finalized: 2 }

export type Subscription = {
  readonly commitment: Commitment
  /** Addresses of the programs whose transactions are wanted. */
  readonly programs: readonly string[]
  /** First slot that the server should replay; absent: from now on. */
  readonly fromSlot?: number
}

/** Names of filters, which the server repeats in each update: the shorter the better. */
export const WANTED = 'w'
const ALL = 'a'
/** Tags of the key and of the value in an entry of a map. */
const KEY = 10
const VALUE = 18

const writer = new WireWriter(4_096)

/** The bytes of the SubscribeRequest that begins a stream. */
export function subscribeRequest({ commitment, programs, fromSlot }: Subscription): Uint8Array {
  writer.begin()
  const writeWanted = (): void => {
    writer.optionalInteger(SUBSCRIBE_REQUEST_FILTER_TRANSACTIONS.vote, 0)
    writer.optionalInteger(SUBSCRIBE_REQUEST_FILTER_TRANSACTIONS.failed, 0)
    for (const program of programs) {
      writer.ascii(SUBSCRIBE_REQUEST_FILTER_TRANSACTIONS.accountInclude, program)
    }
  }
  entry(SUBSCRIBE_REQUEST.slots, ALL, () => {
    writer.optionalInteger(SUBSCRIBE_REQUEST_FILTER_SLOTS.filterByCommitment, 0)
    writer.optionalInteger(SUBSCRIBE_REQUEST_FILTER_SLOTS.interslotUpdates, 1)
  })
  entry(SUBSCRIBE_REQUEST.transactions, WANTED, writeWanted)
  entry(SUBSCRIBE_REQUEST.blocksMeta, ALL, () => {})
  writer.optionalInteger(SUBSCRIBE_REQUEST.commitment, COMMITMENT_NUMBERS[commitment])
  entry(SUBSCRIBE_REQUEST.transactionsStatus, ALL, () => {})
  entry(SUBSCRIBE_REQUEST.transactionsStatus, WANTED, writeWanted)
  if (fromSlot !== undefined) writer.optionalInteger(SUBSCRIBE_REQUEST.fromSlot, fromSlot)
  return writer.finish()
}

/** The bytes of a SubscribeRequest that is a ping; it leaves the subscription as it is. */
export function pingRequest(id: number): Uint8Array {
  writer.begin()
  const mark = writer.open(SUBSCRIBE_REQUEST.ping)
  writer.optionalInteger(SUBSCRIBE_REQUEST_PING.id, id)
  writer.close(mark)
  return writer.finish()
}

function entry(tag: number, name: string, writeFilter: () => void): void {
  const outer = writer.open(tag)
  writer.ascii(KEY, name)
  const inner = writer.open(VALUE)
  writeFilter()
  writer.close(inner)
  writer.close(outer)
}
