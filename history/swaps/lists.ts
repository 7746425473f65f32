/**
 * Lists of stored swaps in canonical order, a page at a time. Each list has one index with its order for any values, so
 * that its plan may be cached. Rows that tie in (slot, block_tx_index, ix_index, dex) are returned together or not at all.
 * Decision: docs/decisions/0106-stored-swaps-are-read-in-one-room.md
 */
import type { Int64 } from '../../domain/amount.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { variants } from '../../sql/query.ts'
import type { Order, ServedSwap } from './served-swap.ts'

/** `large`: swaps of 10 SOL and more. `poolIds` of a wallet: null for all. */
export type SwapList =
  | { readonly by: 'all' | 'large' }
  | { readonly by: 'wallet'; readonly walletId: number; readonly poolIds: readonly number[] | null }
  | { readonly by: 'pools'; readonly poolIds: readonly number[] }

/** Lamports from which a swap is in the list of large ones. */
export const LARGE_LAMPORTS = 10_000_000_000n

/** Canonical order, to the fields that indexes have. */
export type SwapPosition = readonly [
  slot: Int64,
  blockTxIndex: number,
  ixIndex: number,
  dex: number,
]

/** Undefined: any. Lamports; Unix ms, inclusive. */
type SwapTraits = {
  readonly dex?: number | undefined
  readonly is_buy?: boolean | undefined
  readonly min_sol?: bigint | undefined
  readonly from?: Int64 | undefined
  readonly to?: Int64 | undefined
}

type SwapPageWanted = {
  readonly order: Order
  /** The position after which the page begins. */
  readonly after: SwapPosition
  /** First and last slot. */
  readonly slots: { readonly low: number; readonly high: number }
  readonly rows: number
  readonly traits: SwapTraits
  /** The time to search for matches, ms: afterwards any swap is returned, so that the caller knows how far it came. */
  readonly searchMs: number
}

const ORDERS: readonly Order[] = ['asc', 'desc']
const LISTS = {
  all: variants<ServedSwap, Order>('swap-history/list_swaps', ORDERS),
  large: variants<ServedSwap, Order>('swap-history/list_whale_swaps', ORDERS),
  wallet: variants<ServedSwap, Order>('swap-history/list_wallet_swaps', ORDERS),
  pools: variants<ServedSwap, Order>('swap-history/list_pool_swaps', ORDERS),
}

/** At least `rows` swaps if so many exist, and with the last one all that tie with it. Unordered. */
export function listSwaps(
  db: Queryable,
  list: SwapList,
  { order, after, slots, rows, traits, searchMs }: SwapPageWanted,
): Promise<ServedSwap[]> {
  const { dex, is_buy, min_sol, from, to } = traits
  const matched = [dex, is_buy, min_sol, from, to].map((trait) => trait ?? null)
  const bounds = [...after, slots.low, slots.high, rows]
  return LISTS[list.by][order](db, [...bounds, ...matched, searchMs, ...ownersOf(list)])
}

function ownersOf(list: SwapList): unknown[] {
  if (list.by === 'wallet') return [list.walletId, list.poolIds]
  return list.by === 'pools' ? [list.poolIds] : []
}
