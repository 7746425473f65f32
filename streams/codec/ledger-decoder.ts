/**
 * A FEED message as the ledger reads it: of each swap the fields that change a position, with its addresses interned.
 * All other fields, and pool events, are skipped. It decodes the same values as decodeFeedBatch()
 * (test/streams/codec/ledger-decoder.test.ts), at half the cost.
 */

import type { LedgerSwap } from '../../domain/ledger/position.ts'
import type { DexId } from '../../domain/venue.ts'
import type { Name, NameTable } from './address-table.ts'
import type { FeedMark } from './event-codec.ts'
import { WireReader } from './protobuf.ts'
import { passBy, readTraded } from './swap-codec.ts'
import { FEED_BATCH, SWAP } from './tags.ts'

/** Names that are shared by all lanes of a process. */
export type LedgerNames = { users: NameTable; mints: NameTable; pairs: NameTable }

/** `isRetraction`: the message takes its swaps back. */
export type SwapMark = FeedMark & { isRetraction: boolean }

/** A swap as the ledger decodes it, with its wallet and its mint. */
export type DecodedSwap = { swap: LedgerSwap; user: Name; mint: Name; mark: SwapMark }

export const NO_NAME: Name = { text: '', id: 0 }

/** The swaps of a FEED message, in its order. Throws WireError. */
export function decodeLedgerSwaps(payload: Uint8Array, names: LedgerNames): DecodedSwap[] {
  return readFeedSwaps(payload, (reader, mark) => readDecodedSwap(reader, names, mark))
}

/** Applies `read` to each swap of a FEED message; the mark is complete once all are read. */
export function readFeedSwaps<Decoded>(
  payload: Uint8Array,
  read: (reader: WireReader, mark: SwapMark) => Decoded,
): Decoded[] {
  const reader = new WireReader(payload)
  const swaps: Decoded[] = []
  const mark: SwapMark = { poolLane: 0, commitNumber: 0, part: 0, isRetraction: false }
  while (reader.at < payload.length) {
    const tag = reader.tag()
    if (tag === FEED_BATCH.swap || tag === FEED_BATCH.retractedSwap) {
      mark.isRetraction = tag === FEED_BATCH.retractedSwap
      reader.end = reader.lengthEnd()
      swaps.push(read(reader, mark))
      reader.end = payload.length
    } else if (tag === FEED_BATCH.poolLane) mark.poolLane = reader.safe()
    else if (tag === FEED_BATCH.commitNumber) mark.commitNumber = reader.safe()
    else if (tag === FEED_BATCH.part) mark.part = reader.safe()
    else reader.skip(tag & 7)
  }
  return swaps
}

export const readName = (reader: WireReader, table: NameTable): Name => {
  const end = reader.lengthEnd()
  const found = table.find(reader.bytes, reader.at, end)
  reader.at = end
  return found
}

function readDecodedSwap(reader: WireReader, names: LedgerNames, mark: SwapMark): DecodedSwap {
  let user = NO_NAME
  let mint = NO_NAME
  const swap: LedgerSwap = {
    slot: 0,
    blockTxIndex: 0,
    ixIndex: 0,
    dex: 0 as DexId,
    isBuy: false,
    signature: '',
    pairAddress: '',
    user: '',
    solAmount: 0,
    tokenAmount: 0,
    timestamp: 0,
    quoteDecimals: 0,
    transferFeeIn: 0,
    transferFeeOut: 0,
  }
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case SWAP.signature:
        swap.signature = reader.ascii()
        break
      case SWAP.tokenAddress:
        mint = readName(reader, names.mints)
        break
      case SWAP.pairAddress:
        swap.pairAddress = readName(reader, names.pairs).text
        break
      case SWAP.user:
        user = readName(reader, names.users)
        break
      default:
        if (!readTraded(reader, tag, swap)) passBy(reader, tag)
    }
  }
  swap.user = user.text
  return { swap, user, mint, mark }
}
