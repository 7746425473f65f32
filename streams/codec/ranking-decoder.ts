/**
 * A FEED message as the ranking reads it: the wallet, the mint, the time and the side. All other fields of a swap are
 * skipped, its signature and its amounts too. It decodes the same values as decodeFeedBatch(), and refuses truncated
 * bytes and fields of a wrong type (test/streams/codec/ranking-decoder.test.ts).
 */

import type { Name } from './address-table.ts'
import {
  type LedgerNames,
  NO_NAME,
  readFeedSwaps,
  readName,
  type SwapMark,
} from './ledger-decoder.ts'
import type { WireReader } from './protobuf.ts'
import { passBy } from './swap-codec.ts'
import { SWAP } from './tags.ts'

/** A swap as the ranking decodes it. */
export type DecodedTrade = {
  /** The wallet's. */
  readonly walletLane: number
  user: Name
  mint: Name
  isBuy: boolean
  timestamp: number
  readonly mark: SwapMark
}

/** The swaps of a FEED message, in its order; its subject names the lane of all their wallets. Throws WireError. */
export function decodeRankingTrades(
  payload: Uint8Array,
  walletLane: number,
  names: Pick<LedgerNames, 'users' | 'mints'>,
): DecodedTrade[] {
  return readFeedSwaps(payload, (reader, mark) => {
    const trade = { walletLane, user: NO_NAME, mint: NO_NAME, isBuy: false, timestamp: 0, mark }
    return readTrade(reader, names, trade)
  })
}

function readTrade(
  reader: WireReader,
  { users, mints }: Pick<LedgerNames, 'users' | 'mints'>,
  trade: DecodedTrade,
): DecodedTrade {
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case SWAP.timestamp:
        trade.timestamp = reader.safe()
        break
      case SWAP.tokenAddress:
        trade.mint = readName(reader, mints)
        break
      case SWAP.user:
        trade.user = readName(reader, users)
        break
      case SWAP.isBuy:
        trade.isBuy = reader.safe() !== 0
        break
      default:
        passBy(reader, tag)
    }
  }
  return trade
}
