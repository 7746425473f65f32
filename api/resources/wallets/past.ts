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
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { ledgerSwaps, type SwapsWanted, type WalletSwap } from './ledger-swaps.ts'

type FoldedRow = {
  wallet_id: number
  token_ids: number[]
  swap_count: number
  is_recomputed: boolean
}
type ChangedRow = FoldedRow & { wallet: string; has_others: boolean }
type PairRow = Omit<FoldedRow, 'token_ids'> & {
  wallet: string
  token_id: number
  is_changed: boolean
}

/** `changed`: tokens whose stored rows are of later; `swaps`: those of them to fold, undefined for none. */
export type PastWallet = {
  walletId: number
  changed: readonly number[]
  swaps: SwapsWanted | undefined
}
/** A position as it was at the slot. */
export type FoldedPosition = { walletId: number; tokenId: number; state: PositionState }

const findFolded = query<FoldedRow>('as-of/find_folded')
const findChanged = query<ChangedRow>('as-of/find_changed')
/** Planned per execution: a generic plan may scan all holders of a mint. */
const listChangedPairs = query<PairRow>('as-of/list_changed_pairs', { isPlannedAnew: true })

/** Swaps are counted up to so many times the bound, for the refusal. */
const COUNTED_BOUNDS = 5
/** Swaps of an answer that are retained where several of its figures fold them: some megabytes. */
const RETAINED_SWAPS_MAX = 20_000

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
  await expectFoldablePositions(past, [found])
  return { walletId: found.wallet_id, tokenIds: found.token_ids, user, untilSlot: slot }
}

/** Wallets that were looked up for an answer, by their addresses. */
const lookedUp = new WeakMap<AsOfReading, Map<string, Promise<PastWallet[]>>>()

/** The wallet as of the slot; undefined where it had no swap. Once for an answer. Throws ApiError like pastSwapsOf. */
export async function pastWallet(past: AsOfReading, user: string): Promise<PastWallet | undefined> {
  const wallets = lookedUp.get(past) ?? new Map<string, Promise<PastWallet[]>>()
  lookedUp.set(past, wallets)
  const looking = wallets.get(user) ?? pastWallets(past, [user])
  wallets.set(user, looking)
  return (await looking)[0]
}

/** The same of several wallets, in no order, those without a swap left out: the bound is of all together. */
export async function pastWallets(
  past: AsOfReading,
  users: readonly string[],
): Promise<PastWallet[]> {
  const { db, slot } = past
  const [rows] = await Promise.all([findChanged(db, [users, slot]), past.expectLedger()])
  await expectFoldablePositions(
    past,
    rows.filter((row) => row.token_ids.length > 0 || row.is_recomputed),
  )
  const wallets: PastWallet[] = []
  for (const { wallet_id: walletId, token_ids: changed, has_others, wallet: user } of rows) {
    const owned = { walletId, tokenIds: changed }
    if (changed.length === 0) wallets.push({ walletId, changed, swaps: undefined })
    else if (has_others || (await countWalletSwaps(db, owned, { slot, most: 1 })) > 0) {
      wallets.push({ walletId, changed, swaps: { ...owned, user, untilSlot: slot } })
    }
  }
  return wallets
}

/** Pairs of a wallet and a mint, by wallet: those that later swaps changed are folded. Throws ApiError like pastSwapsOf. */
export async function pastPairs(
  past: AsOfReading,
  pairs: readonly { readonly wallet: string; readonly mint: string }[],
): Promise<{ tokenIds: readonly number[]; wallets: PastWallet[] }> {
  const { db, slot } = past
  const columns = [pairs.map(({ wallet }) => wallet), pairs.map(({ mint }) => mint)]
  const [rows] = await Promise.all([listChangedPairs(db, [...columns, slot]), past.expectLedger()])
  const wallets: PastWallet[] = []
  const folded: FoldedRow[] = []
  for (const [walletId, own] of Map.groupBy(rows, (row) => row.wallet_id)) {
    const later = own.filter((row) => row.is_changed)
    const changed = later.map((row) => row.token_id)
    const [{ wallet: user, is_recomputed }] = own as [PairRow]
    const swaps = { walletId, tokenIds: changed, user, untilSlot: slot }
    wallets.push({ walletId, changed, swaps: changed.length === 0 ? undefined : swaps })
    if (changed.length === 0 && !is_recomputed) continue
    const swap_count = later.reduce((sum, row) => sum + Number(row.swap_count), 0)
    folded.push({ wallet_id: walletId, token_ids: changed, swap_count, is_recomputed })
  }
  await expectFoldablePositions(past, folded)
  return { tokenIds: [...new Set(rows.map((row) => row.token_id))], wallets }
}

/** Swaps of changed positions that were read for an answer, where they are few. */
const readSwaps = new WeakMap<PastWallet, readonly WalletSwap[]>()

/** Pages of the swaps of the changed positions up to the slot, in canonical order, one walk at a time. */
export async function* changedSwaps(
  { db }: AsOfReading,
  wallet: PastWallet,
): AsyncGenerator<readonly WalletSwap[]> {
  const known = readSwaps.get(wallet)
  if (known !== undefined) yield known
  if (known !== undefined || wallet.swaps === undefined) return
  const read: WalletSwap[] = []
  for await (const page of ledgerSwaps(db, wallet.swaps)) {
    if (read.length <= RETAINED_SWAPS_MAX) for (const swap of page) read.push(swap)
    yield page
  }
  if (read.length <= RETAINED_SWAPS_MAX) readSwaps.set(wallet, read)
}

/** Each effect of the changed positions on an hour, as it was up to the slot. */
export async function foldChanged(
  past: AsOfReading,
  wallet: PastWallet,
  onHour: (tokenId: number, figures: HourFigures) => void,
): Promise<void> {
  const fold = new WalletFold(onHour)
  for await (const page of changedSwaps(past, wallet)) {
    for (const swap of page) fold.take(swap.tokenId, swap)
  }
}

/** The changed positions by their tokens, as they were at the slot; none of a token that had no swap up to it. */
export async function foldPositions(
  past: AsOfReading,
  wallet: PastWallet,
): Promise<Map<number, PositionState>> {
  const positions = new Map<number, PositionState>()
  for await (const page of changedSwaps(past, wallet)) {
    for (const swap of page) {
      const state = positions.get(swap.tokenId) ?? emptyPosition()
      applyToPosition(state, swap)
      state.hours.clear()
      positions.set(swap.tokenId, state)
    }
  }
  return positions
}

/** The same of several wallets, as a list. */
export async function foldWallets(
  past: AsOfReading,
  wallets: readonly PastWallet[],
): Promise<FoldedPosition[]> {
  const folded: FoldedPosition[] = []
  for (const wallet of wallets) {
    const { walletId } = wallet
    for (const [tokenId, state] of await foldPositions(past, wallet)) {
      folded.push({ walletId, tokenId, state })
    }
  }
  return folded
}

/** Throws ApiError where positions are being recomputed, and where the swaps of all up to the slot are too many. */
async function expectFoldablePositions(
  past: AsOfReading,
  found: readonly FoldedRow[],
): Promise<void> {
  const { db, slot, foldedSwapsMax: limit } = past
  if (found.some((row) => row.is_recomputed)) {
    throw new ApiError('UNAVAILABLE', 'positions of the wallet are being recomputed: try again')
  }
  if (found.reduce((sum, row) => sum + Number(row.swap_count), 0) <= limit) return
  const most = COUNTED_BOUNDS * limit
  let rows = 0
  for (const { wallet_id: walletId, token_ids: tokenIds } of found) {
    rows += await countWalletSwaps(db, { walletId, tokenIds }, { slot, most: most - rows })
    if (rows >= most) break
  }
  expectFoldable(past, rows)
}
