/**
 * Reads a page of a wallet's swaps, and what each of its sells realized: positions of the mints that it sells are
 * replayed from their first swap up to the newest sell of the page, as their lots are.
 */
import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { PositionProof, type SellProof } from '../../../domain/ledger/proof.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { type Page, readSwaps, type SwapFilter, type SwapPage } from '../swaps/read.ts'
import { keyFields, keyOf } from '../swaps/swap-key.ts'
import { ledgerSwaps } from '../wallets/ledger-swaps.ts'

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
    const sells = swaps.rows.filter((row) => !row.is_buy)
    const mints = [...new Set(sells.map((row) => row.token_address))]
    const keys = sells.map(keyOf).sort(compareSwaps)
    return { ...swaps, proofs: await proofsOf(db, filter.user, mints, keys) }
  })
}

/** `sells`: in canonical order, of these mints. */
async function proofsOf(
  db: Queryable,
  user: string,
  mints: readonly string[],
  sells: readonly SwapOrderKey[],
): Promise<Map<string, SellProof>> {
  const found = new Map<string, SellProof>()
  const last = sells.at(-1)
  const positions = last === undefined ? [] : await listSold(db, [user, mints])
  const [first] = positions
  if (first === undefined || last === undefined) return found
  const wanted = new Set(sells.map(nameOf))
  const proofs = new Map(positions.map(({ token_id }) => [token_id, new PositionProof()]))
  const walk = { walletId: first.wallet_id, user, tokenIds: [...proofs.keys()] }
  for await (const swaps of ledgerSwaps(db, walk)) {
    for (const swap of swaps) {
      if (compareSwaps(swap, last) > 0) return found
      const proof = proofs.get(swap.tokenId)?.take(swap)
      if (proof !== undefined && wanted.has(nameOf(swap))) found.set(nameOf(swap), proof)
    }
  }
  return found
}
