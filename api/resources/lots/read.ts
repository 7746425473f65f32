/**
 * Reads the proof of a position: replays its swaps from the first one and returns one page of the result.
 */

import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { HeldSwaps, type PositionEnd } from '../../../domain/ledger/held-swaps.ts'
import { PositionProof } from '../../../domain/ledger/proof.ts'
import type { PositionEndRow } from '../../../history/swaps/wallets.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ledgerSwaps, positionEndOf, type WalletSwap } from '../wallets/ledger-swaps.ts'
import { LotsPage, lotsCursor, lotsList, readLotsCursor } from './lots-page.ts'

type PositionRow = PositionEndRow & { wallet_id: number; token_id: number; decimals: number }
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
    const proof = new PositionProof()
    const page = new LotsPage(limit, MATCHES_MAX, cursor?.end)
    const stored = ledgerSwaps(db, { walletId, user, tokenIds: [tokenId] })
    const swapsAsOf =
      cursor === undefined ? heldOf(stored, positionEndOf(position)) : upTo(stored, cursor.asOf)
    for await (const swaps of swapsAsOf) {
      for (const swap of swaps) {
        const sell = proof.take(swap)
        if (sell !== undefined) page.takeSell(sell)
      }
    }
    page.takeLots(proof.openLots())
    const asOf = cursor?.asOf ?? proof.state.last
    const nextCursor =
      page.end === undefined || asOf === undefined
        ? null
        : lotsCursor(list, { asOf, end: page.end })
    return { proof, page, decimals, nextCursor }
  })
}

/** Pages of the swaps that the row of the position holds. */
async function* heldOf(
  pages: AsyncIterable<WalletSwap[]>,
  end: PositionEnd,
): AsyncGenerator<WalletSwap[]> {
  const held = new HeldSwaps<WalletSwap>(end)
  for await (const swaps of pages) {
    yield swaps.filter((swap) => held.take(swap))
    if ((swaps.at(-1)?.slot ?? 0) > end.slot) break
  }
  yield held.rest()
}

async function* upTo(
  pages: AsyncIterable<WalletSwap[]>,
  asOf: SwapOrderKey,
): AsyncGenerator<WalletSwap[]> {
  for await (const swaps of pages) {
    yield swaps.filter((swap) => compareSwaps(swap, asOf) <= 0)
    if (compareSwaps(swaps.at(-1) ?? asOf, asOf) > 0) break
  }
}
