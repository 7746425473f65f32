/** Reads all stored swaps of many wallets, as the ledger folds them. */
import type { Queryable } from '../../sql/driver/queryable.ts'
import { ofWallets } from '../sealed/find/wallets.ts'
import { readBoth, SLOT_MAX } from '../sealed/pages.ts'
import { swapStatement } from '../sealed/statement.ts'
import type { LedgerRow } from './wallets.ts'

export type WalletSwapRow = Omit<LedgerRow, 'pair_address'> & { wallet_id: number; pool_id: number }

const ALL_SLOTS = { low: 0, high: SLOT_MAX }

const listSwaps = swapStatement<WalletSwapRow>('swap-history/list_swaps_of_wallets')

/** The swaps of wallets by id, both ends included. Unordered. */
export function listSwapsOfWallets(
  db: Queryable,
  from: number,
  to: number,
): Promise<WalletSwapRow[]> {
  const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return readBoth(db, ALL_SLOTS.low, listSwaps, [from, to], (sealed) =>
    ofWallets(db, sealed, ids, ALL_SLOTS, { order: 'asc' }),
  )
}
