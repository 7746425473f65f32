/** Reads the stored swaps of wallets, as the ledger folds them. */
import type { Int64 } from '../../domain/amount.ts'
import type { DexId } from '../../domain/venue.ts'
import type { HeldQuantity } from '../../domain/wallet/portfolio-value.ts'
import { int4Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

/** A stored swap as the ledger folds it; amounts are lamports and base units. */
export type LedgerRow = {
  slot: number
  block_tx_index: number
  ix_index: number
  dex: DexId
  is_buy: boolean
  signature: string
  pair_address: string
  sol_amount: Int64
  token_amount: Int64
  timestamp_ms: number
  quote_decimals: number
  transfer_fee_in: Int64
  transfer_fee_out: Int64
}
/** Number of swaps that a position holds, and what its row states of the newest of them. */
export type PositionEndRow = {
  swap_count: number
  last_slot: number
  last_ix_index: number
  last_dex: DexId
  last_is_buy: boolean
  last_sol_amount: Int64
  last_token_amount: Int64
}
/** First and last slot. */
type SlotRange = { readonly low: Int64; readonly high: Int64 }
type PositionId = { readonly walletId: number; readonly tokenId: number }
/** `tokenIds`, `dex`: undefined for all. */
type WalletSwapsWanted = SlotRange & {
  readonly walletId: number
  readonly tokenIds?: readonly number[] | undefined
  readonly dex?: number | undefined
}
/** `tokenIds`: null for all. `fromMs`, `toMs`: the beginnings of the first and the last day, Unix ms. */
type QuantitiesWanted = SlotRange & {
  readonly walletId: number
  readonly fromMs: number
  readonly toMs: number
  readonly tokenIds: readonly number[] | null
}
/** Sells at one position; `endMs` is exclusive. */
type TiedSells = {
  readonly walletId: number
  readonly tokenIds: readonly number[]
  readonly position: readonly (number | null)[]
  readonly fromMs: number
  readonly endMs: number
}

const countSwapsOf = query<{ swap_count: number }>('swap-history/count_wallet_swaps')
const openSwaps = query('swap-history/open_wallet_swaps')
const fetchSwaps = query<LedgerRow & { token_id: number }>('swap-history/fetch_wallet_swaps')
const closeSwaps = query('swap-history/close_wallet_swaps')
const findTied = query<{ mint: string; sell_count: number }>('swap-history/find_tied_mint')
const findRecentSwap = query('swap-history/find_recent_swap')
const listDayQuantities = query<HeldQuantity>('swap-history/list_quantities')
/** Planned by the setting of its transaction. */
const listQuantitiesBySetting = query<HeldQuantity>('swap-history/list_quantities', {
  isPlannedBySetting: true,
})
const listSwapsOfPositions = query<LedgerRow & { ordinal: number }>(
  'swap-history/list_position_swaps',
)
const listMiscountedOf = query<{ wallet_id: number; token_id: number }>(
  'swap-history/list_miscounted',
)
const merge = query('swap-history/merge_transactions')

/**
 * Pages of a wallet's swaps by slot, block_tx_index, ix_index and dex; ties are the caller's to order. Within a transaction, one
 * wallet at a time.
 */
export async function* walletSwaps(
  db: Queryable,
  { walletId, low, high, tokenIds, dex }: WalletSwapsWanted,
): AsyncGenerator<(LedgerRow & { token_id: number })[]> {
  await openSwaps(db, [walletId, low, high, tokenIds ?? null, dex ?? null])
  for (;;) {
    const rows = await fetchSwaps(db)
    if (rows.length === 0) break
    yield rows
  }
  await closeSwaps(db)
}

/** The mint of the canonically first of several sells at one position, and their number. Undefined: none. */
export async function findTiedMint(
  db: Queryable,
  { walletId, tokenIds, position, fromMs, endMs }: TiedSells,
): Promise<{ mint: string; sell_count: number } | undefined> {
  return (await findTied(db, [walletId, tokenIds, fromMs, ...position, endMs]))[0]
}

/** Whether a wallet has a swap no older than a time, Unix ms, within slots that hold every such swap. */
export async function hasSwapSince(
  db: Queryable,
  wallet: string,
  { low, high }: SlotRange,
  sinceMs: number,
): Promise<boolean> {
  return (await findRecentSwap(db, [wallet, low, high, sinceMs])).length > 0
}

/** Holdings of a wallet by token at the ends of days. `planning`: by the transaction's setting, or by the connection. */
export function listQuantities(
  db: Queryable,
  { walletId, low, high, fromMs, toMs, tokenIds }: QuantitiesWanted,
  planning: 'setting' | 'connection',
): Promise<HeldQuantity[]> {
  const list = planning === 'setting' ? listQuantitiesBySetting : listDayQuantities
  return list(db, [walletId, low, high, fromMs, toMs, tokenIds])
}

/**
 * Swaps of positions from a slot on, whole slots, each position's in the order of slots: about `rows` of each, fewer only at
 * its end. `ordinal`: the position's number from 1.
 */
export function listPositionSwaps(
  db: Queryable,
  positions: readonly (PositionId & { readonly fromSlot: number })[],
  rows: number,
): Promise<(LedgerRow & { ordinal: number })[]> {
  return listSwapsOfPositions(db, [
    int4Array(positions.map(({ walletId }) => walletId)),
    int4Array(positions.map(({ tokenId }) => tokenId)),
    positions.map(({ fromSlot }) => fromSlot),
    rows,
  ])
}

/** Positions of wallets that do not hold as many swaps as are stored. */
export async function listMiscounted(
  db: Queryable,
  walletIds: readonly number[],
): Promise<PositionId[]> {
  const rows = await listMiscountedOf(db, [walletIds])
  return rows.map((row) => ({ walletId: row.wallet_id, tokenId: row.token_id }))
}

/** Counts the transactions of the hours in the temporary table leaderboard_judged, where they are not known. */
export async function mergeTransactions(db: Queryable): Promise<void> {
  await merge(db)
}

/** How many swaps a wallet has in some mints up to a slot, at most `most`. */
export async function countWalletSwaps(
  db: Queryable,
  { walletId, tokenIds }: { readonly walletId: number; readonly tokenIds: readonly number[] },
  { slot, most }: { readonly slot: number; readonly most: number },
): Promise<number> {
  return (await countSwapsOf(db, [walletId, tokenIds, slot, most]))[0]?.swap_count ?? 0
}
