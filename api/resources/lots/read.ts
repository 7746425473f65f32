/**
 * Reads the proof of a position: replays its swaps from the first one and returns one page of the result.
 */

import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { HeldSwaps, type PositionEnd } from '../../../domain/ledger/held-swaps.ts'
import { PositionProof } from '../../../domain/ledger/proof.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import type { PositionEndRow } from '../../../history/swaps/wallets.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { ledgerSwaps, positionEndOf, type WalletSwap } from '../wallets/ledger-swaps.ts'
import { pastSwapsOf } from '../wallets/past.ts'
import { type LotsCursor, LotsPage, lotsCursor, lotsList, readLotsCursor } from './lots-page.ts'

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
  const { wallet: user, mint } = wanted
  const cursor = cursorOf(wanted)
  return inSnapshot(db, async () => {
    const [position] = await findPosition(db, [user, mint])
    if (position === undefined) return undefined
    const { wallet_id: walletId, token_id: tokenId, decimals } = position
    const stored = ledgerSwaps(db, { walletId, user, tokenIds: [tokenId] })
    const read = await foldLots(wanted, cursor, stored, (all) =>
      heldOf(all, positionEndOf(position)),
    )
    return { ...read, decimals }
  })
}

/** The same as of a slot: undefined where the wallet had no position in the mint. */
export async function readPastLots(
  past: AsOfReading,
  wanted: LotsWanted,
): Promise<LotsRead | undefined> {
  const { db, slot } = past
  const cursor = cursorOf(wanted)
  const swaps = await pastSwapsOf(past, wanted.wallet, [wanted.mint])
  if (swaps === undefined) return undefined
  const read = await foldLots(wanted, cursor, ledgerSwaps(db, swaps), (all) => all)
  if (read.proof.state.last === undefined) return undefined
  const [decimals = 0] = (await listPastDecimals(db, swaps.tokenIds, slot)).values()
  return { ...read, decimals }
}

/** Throws ApiError where the cursor is of another list. */
function cursorOf({ wallet, mint, cursor }: LotsWanted): LotsCursor | undefined {
  return cursor === undefined ? undefined : readLotsCursor(lotsList(wallet, mint), cursor)
}

/** `held`: the swaps that a walk proves which begins now. */
async function foldLots(
  { wallet, mint, limit }: LotsWanted,
  cursor: LotsCursor | undefined,
  stored: AsyncIterable<WalletSwap[]>,
  held: (pages: AsyncIterable<WalletSwap[]>) => AsyncIterable<WalletSwap[]>,
): Promise<Omit<LotsRead, 'decimals'>> {
  const list = lotsList(wallet, mint)
  const proof = new PositionProof()
  const page = new LotsPage(limit, MATCHES_MAX, cursor?.end)
  for await (const swaps of cursor === undefined ? held(stored) : upTo(stored, cursor.asOf)) {
    for (const swap of swaps) {
      const sell = proof.take(swap)
      if (sell !== undefined) page.takeSell(sell)
    }
  }
  page.takeLots(proof.openLots())
  const asOf = cursor?.asOf ?? proof.state.last
  const nextCursor =
    page.end === undefined || asOf === undefined ? null : lotsCursor(list, { asOf, end: page.end })
  return { proof, page, nextCursor }
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
