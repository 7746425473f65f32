/**
 * Reads the proof of a position: replays its swaps from the first one and returns one page of the result.
 */

import type { Int64 } from '../../../domain/amount.ts'
import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { PositionProof } from '../../../domain/ledger/proof.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ledgerSwaps } from '../wallets/ledger-swaps.ts'
import { LotsPage, lotsCursor, lotsList, readLotsCursor } from './lots-page.ts'

type PositionRow = {
  wallet_id: number
  token_id: number
  decimals: number
  slot: number
  block_tx_index: number
  ix_index: number
  dex: DexId
  is_buy: boolean
  signature: string
  pair_address: string
  sol_amount: Int64
  token_amount: Int64
}
type LotsWanted = { wallet: string; mint: string; limit: number; cursor?: string }
export type LotsRead = {
  proof: PositionProof
  page: LotsPage
  decimals: number
  nextCursor: string | null
}

/** Matches in one response: a sell of more continues in the next. */
export const MATCHES_MAX = 5_000

const findPosition = query<PositionRow>('lots/find_position')

/** Undefined where the wallet has no position in the mint. */
export async function readLots(db: Queryable, wanted: LotsWanted): Promise<LotsRead | undefined> {
  const { wallet: user, mint, limit, cursor: text } = wanted
  const list = lotsList(user, mint)
  const cursor = text === undefined ? undefined : readLotsCursor(list, text)
  return inSnapshot(db, async () => {
    const [position] = await findPosition(db, [user, mint])
    if (position === undefined) return undefined
    const { wallet_id: walletId, token_id: tokenId, decimals } = position
    const asOf = cursor?.asOf ?? orderKeyOf(position, user)
    const proof = new PositionProof()
    const page = new LotsPage(limit, MATCHES_MAX, cursor?.end)
    for await (const swaps of ledgerSwaps(db, { walletId, user, tokenIds: [tokenId] })) {
      for (const swap of swaps) {
        if (compareSwaps(swap, asOf) > 0) break
        const sell = proof.take(swap)
        if (sell !== undefined) page.takeSell(sell)
      }
      if (compareSwaps(swaps.at(-1) ?? asOf, asOf) > 0) break
    }
    page.takeLots(proof.openLots())
    const nextCursor = page.end === undefined ? null : lotsCursor(list, { asOf, end: page.end })
    return { proof, page, decimals, nextCursor }
  })
}

function orderKeyOf(row: PositionRow, user: string): SwapOrderKey {
  return {
    slot: row.slot,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    dex: row.dex,
    isBuy: row.is_buy,
    signature: row.signature,
    pairAddress: row.pair_address,
    user,
    solAmount: row.sol_amount,
    tokenAmount: row.token_amount,
  }
}
