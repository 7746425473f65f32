/**
 * Reads a page of a wallet's swaps, and what each of its sells realized: positions of the mints that it sells are
 * replayed from their first swap up to the newest sell of the page, as their lots are.
 */
import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { PositionProof, type SellProof } from '../../../domain/ledger/proof.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { type Page, readSwaps, type SwapFilter, type SwapPage } from '../swaps/read.ts'
import { keyFields, keyOf } from '../swaps/swap-key.ts'
import { ledgerSwaps, type SwapsWanted } from '../wallets/ledger-swaps.ts'
import { pastSwapsOf } from '../wallets/past.ts'

/** Proofs of the sells of the page by `nameOf`, as far as the ledger has read. */
export type TradePage = SwapPage & { proofs: ReadonlyMap<string, SellProof> }
type TradesWanted = { filter: SwapFilter & { user: string }; page: Page; walkMs: number }

const listSold = query<{ wallet_id: number; token_id: number; mint: string }>('trades/list_sold')

/** A swap as a key of a map. */
export const nameOf = (swap: SwapOrderKey): string => keyFields(swap).join(' ')

export function readTrades(
  db: Queryable,
  { filter, page, walkMs }: TradesWanted,
): Promise<TradePage> {
  return inSnapshot(db, async () => {
    const swaps = await readSwaps(db, filter, page, { walkMs })
    const { mints, keys } = sellsOf(swaps)
    const positions = keys.length === 0 ? [] : await listSold(db, [filter.user, mints])
    const [first] = positions
    if (first === undefined) return { ...swaps, proofs: new Map() }
    const tokenIds = positions.map(({ token_id }) => token_id)
    const walk = { walletId: first.wallet_id, user: filter.user, tokenIds }
    return { ...swaps, proofs: await proofsOf(db, walk, keys) }
  })
}

/** The same as of a slot. */
export async function readPastTrades(
  past: AsOfReading,
  { filter, page }: Omit<TradesWanted, 'walkMs'>,
): Promise<TradePage> {
  const { db, walkMs, slot: pastSlot } = past
  const swaps = await readSwaps(db, filter, page, { walkMs, pastSlot })
  const { mints, keys } = sellsOf(swaps)
  const walk = keys.length === 0 ? undefined : await pastSwapsOf(past, filter.user, mints)
  return { ...swaps, proofs: walk === undefined ? new Map() : await proofsOf(db, walk, keys) }
}

/** The sells of a page in canonical order, and their mints. */
function sellsOf({ rows }: SwapPage): { mints: string[]; keys: SwapOrderKey[] } {
  const sells = rows.filter((row) => !row.is_buy)
  const mints = [...new Set(sells.map((row) => row.token_address))]
  return { mints, keys: sells.map(keyOf).sort(compareSwaps) }
}

/** `sells`: in canonical order, of the mints of the walk; at least one. */
async function proofsOf(
  db: Queryable,
  walk: SwapsWanted & { tokenIds: readonly number[] },
  sells: readonly SwapOrderKey[],
): Promise<Map<string, SellProof>> {
  const found = new Map<string, SellProof>()
  const last = sells.at(-1) as SwapOrderKey
  const wanted = new Set(sells.map(nameOf))
  const proofs = new Map(walk.tokenIds.map((tokenId) => [tokenId, new PositionProof()]))
  for await (const swaps of ledgerSwaps(db, walk)) {
    for (const swap of swaps) {
      if (compareSwaps(swap, last) > 0) return found
      const proof = proofs.get(swap.tokenId)?.take(swap)
      if (proof !== undefined && wanted.has(nameOf(swap))) found.set(nameOf(swap), proof)
    }
  }
  return found
}
