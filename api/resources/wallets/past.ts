/**
 * The swaps of a wallet up to a slot, which an answer as of this slot folds: the ledger's fold of the stored swaps, as its rows are.
 */
import { countWalletSwaps } from '../../../history/swaps/wallets.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { type AsOfReading, tooCostly } from '../../routing/reading/as-of.ts'
import type { SwapsWanted } from './ledger-swaps.ts'

type FoldedRow = {
  wallet_id: number
  token_ids: number[]
  swap_count: number
  is_recomputed: boolean
}

const findFolded = query<FoldedRow>('as-of/find_folded')

/** Swaps are counted up to so many times the bound, for the refusal. */
const COUNTED_BOUNDS = 5

/**
 * The swaps to fold, of some mints or of all; undefined where the wallet has none now. Throws ApiError where the ledger has
 * not applied all of them, and where they are too many.
 */
export async function pastSwapsOf(
  past: AsOfReading,
  user: string,
  mints?: readonly string[],
): Promise<(SwapsWanted & { tokenIds: readonly number[] }) | undefined> {
  const { db, slot, foldedSwapsMax: limit } = past
  const [[found]] = await Promise.all([findFolded(db, [user, mints ?? null]), past.expectLedger()])
  if (found === undefined) return undefined
  if (found.is_recomputed) {
    throw new ApiError('UNAVAILABLE', 'positions of the wallet are being recomputed: try again')
  }
  const owned = { walletId: found.wallet_id, tokenIds: found.token_ids }
  if (found.swap_count > limit) {
    const rows = await countWalletSwaps(db, owned, { slot, most: COUNTED_BOUNDS * limit })
    if (rows > limit) throw tooCostly(rows, limit)
  }
  return { ...owned, user, untilSlot: slot }
}
