/**
 * Reads a wallet as of a slot. Rows of positions without a swap after the slot are those of the slot; the swaps of the others up
 * to it are folded, by the ledger's own arithmetic.
 *
 * Law: a position is either in the stored rows or in the fold, with all of its hours.
 * Decision: docs/decisions/0120-as-of-reads-unchanged-rows.md
 */
import type { HourFigures } from '../../../domain/ledger/hours.ts'
import {
  applyToPosition,
  emptyPosition,
  type PositionState,
} from '../../../domain/ledger/position.ts'
import { WalletFold } from '../../../domain/ledger/wallet-fold.ts'
import { countWalletSwaps } from '../../../history/swaps/wallets.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { type AsOfReading, tooCostly } from '../../routing/reading/as-of.ts'
import { ledgerSwaps, type SwapsWanted } from './ledger-swaps.ts'

type FoldedRow = {
  wallet_id: number
  token_ids: number[]
  swap_count: number
  is_recomputed: boolean
}
type ChangedRow = FoldedRow & { has_others: boolean }

/** `changed`: tokens whose stored rows are of later; `swaps`: those of them to fold, undefined for none. */
type PastWallet = {
  walletId: number
  changed: readonly number[]
  swaps: SwapsWanted | undefined
}

const findFolded = query<FoldedRow>('as-of/find_folded')
const findChanged = query<ChangedRow>('as-of/find_changed')

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
  const { db, slot } = past
  const [[found]] = await Promise.all([findFolded(db, [user, mints ?? null]), past.expectLedger()])
  if (found === undefined) return undefined
  await expectFoldable(past, found)
  return { walletId: found.wallet_id, tokenIds: found.token_ids, user, untilSlot: slot }
}

/** The wallet as of the slot; undefined where it had no swap. Throws ApiError like pastSwapsOf. */
export async function pastWallet(past: AsOfReading, user: string): Promise<PastWallet | undefined> {
  const { db, slot } = past
  const [[found]] = await Promise.all([findChanged(db, [user, slot]), past.expectLedger()])
  if (found === undefined) return undefined
  const { wallet_id: walletId, token_ids: changed } = found
  if (changed.length === 0 && !found.is_recomputed) return { walletId, changed, swaps: undefined }
  await expectFoldable(past, found)
  const owned = { walletId, tokenIds: changed }
  if (!found.has_others && (await countWalletSwaps(db, owned, { slot, most: 1 })) === 0) {
    return undefined
  }
  return { walletId, changed, swaps: { ...owned, user, untilSlot: slot } }
}

/** Each effect of the changed positions on an hour, as it was up to the slot. */
export async function foldChanged(
  { db }: AsOfReading,
  { swaps }: PastWallet,
  onHour: (tokenId: number, figures: HourFigures) => void,
): Promise<void> {
  if (swaps === undefined) return
  const fold = new WalletFold(onHour)
  for await (const page of ledgerSwaps(db, swaps)) {
    for (const swap of page) fold.take(swap.tokenId, swap)
  }
}

/** The changed positions by their tokens, as they were at the slot; none of a token that had no swap up to it. */
export async function foldPositions(
  { db }: AsOfReading,
  { swaps }: PastWallet,
): Promise<Map<number, PositionState>> {
  const positions = new Map<number, PositionState>()
  if (swaps === undefined) return positions
  for await (const page of ledgerSwaps(db, swaps)) {
    for (const swap of page) {
      const state = positions.get(swap.tokenId) ?? emptyPosition()
      applyToPosition(state, swap)
      state.hours.clear()
      positions.set(swap.tokenId, state)
    }
  }
  return positions
}

/** Throws ApiError where positions are being recomputed, and where their swaps up to the slot are too many. */
async function expectFoldable(
  { db, slot, foldedSwapsMax: limit }: AsOfReading,
  found: FoldedRow,
): Promise<void> {
  if (found.is_recomputed) {
    throw new ApiError('UNAVAILABLE', 'positions of the wallet are being recomputed: try again')
  }
  if (found.swap_count <= limit) return
  const owned = { walletId: found.wallet_id, tokenIds: found.token_ids }
  const rows = await countWalletSwaps(db, owned, { slot, most: COUNTED_BOUNDS * limit })
  if (rows > limit) throw tooCostly(rows, limit)
}
