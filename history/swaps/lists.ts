/**
 * Lists of stored swaps in canonical order, a page at a time. Each list has one index with its order for any values, so
 * that its plan may be cached. Rows that tie in (slot, block_tx_index, ix_index, dex) are returned together or not at all.
 * Decision: docs/decisions/0106-stored-swaps-are-read-in-one-room.md
 */
import type { Int64 } from '../../domain/amount.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { type FoundList, searchPage } from '../sealed/find/pages.ts'
import { ofPools } from '../sealed/find/pools.ts'
import { large, ofSlots } from '../sealed/find/slots.ts'
import { storedLow } from '../sealed/find/stored.ts'
import { ofWallets } from '../sealed/find/wallets.ts'
import { type Sealed, withSealedFrom } from '../sealed/state.ts'
import { swapVariants } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'
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
  all: swapVariants<ServedSwap, Order>('swap-history/list_swaps', ORDERS),
  large: swapVariants<ServedSwap, Order>('swap-history/list_whale_swaps', ORDERS),
  wallet: swapVariants<ServedSwap, Order>('swap-history/list_wallet_swaps', ORDERS),
  pools: swapVariants<ServedSwap, Order>('swap-history/list_pool_swaps', ORDERS),
}

/**
 * At least `rows` swaps if so many exist, and with the last one all that tie with it. Unordered. Where swaps were dropped, the list
 * begins at the first stored slot.
 */
export function listSwaps(
  db: Queryable,
  list: SwapList,
  wanted: SwapPageWanted,
): Promise<ServedSwap[]> {
  const { order, rows, searchMs } = wanted
  const runOf = (own: SwapPageWanted) => (handed: readonly StoredSwap[], ms: number) =>
    LISTS[list.by][order](db, parametersOf(list, own, ms), handed)
  const low = greater(wanted.slots.low, order === 'asc' ? wanted.after[0] : 0)
  return withSealedFrom(
    db,
    low,
    () => runOf(wanted)([], searchMs),
    async (sealed) => {
      const slots = { ...wanted.slots, low: storedLow(sealed, wanted.slots.low) }
      const own = { ...wanted, slots }
      const run = runOf(own)
      const hot = await hotPage(sealed, own, run)
      if (hot !== undefined) return hot
      const page = await searchPage(db, sealed, foundList(list), {
        ...{ order, rows, searchMs },
        ...{ slots: slotsOf(own), isWanted: matcherOf(own) },
      })
      return run(page.swaps, page.isComplete ? searchMs : 0)
    },
  )
}

/** A page that begins above sealed history, newest first, and is full before it comes to it. */
async function hotPage(
  { lastSlot }: Sealed,
  { order, after, slots, rows, searchMs }: SwapPageWanted,
  run: (handed: readonly StoredSwap[], searchMs: number) => Promise<ServedSwap[]>,
): Promise<ServedSwap[] | undefined> {
  if (order === 'asc' || after[0] <= lastSlot || slots.high <= lastSlot) return undefined
  const page = await run([], searchMs)
  const isAbove = page.filter(({ slot }) => slot > lastSlot).length >= rows
  return isAbove ? page : undefined
}

function slotsOf({ order, after, slots }: SwapPageWanted): { low: Int64; high: Int64 } {
  return order === 'asc'
    ? { low: greater(slots.low, after[0]), high: slots.high }
    : { low: slots.low, high: lesser(slots.high, after[0]) }
}

const greater = (a: Int64, b: Int64): Int64 => (a > b ? a : b)
const lesser = (a: Int64, b: Int64): Int64 => (a < b ? a : b)

function foundList(list: SwapList): FoundList {
  const one = () => 0
  switch (list.by) {
    case 'all':
      return {
        find: (db, sealed, slots, listing) => ofSlots(db, sealed, [slots], listing),
        keyOf: one,
      }
    case 'large':
      return { find: large, keyOf: one }
    case 'wallet': {
      const { walletId, poolIds } = list
      return {
        find: (db, sealed, slots, listing) =>
          ofWallets(db, sealed, [walletId], slots, { ...listing, poolIds }),
        keyOf: one,
      }
    }
    case 'pools':
      return {
        find: (db, sealed, slots, listing) => ofPools(db, sealed, list.poolIds, slots, listing),
        keyOf: (swap) => swap.pool_id,
      }
    default:
      return list satisfies never
  }
}

function matcherOf({ order, after, traits }: SwapPageWanted) {
  const { dex, is_buy: isBuy, min_sol: minSol, from, to } = traits
  return (swap: StoredSwap): boolean =>
    isBeyond(swap, after, order) &&
    (dex === undefined || swap.dex === dex) &&
    (isBuy === undefined || swap.is_buy === isBuy) &&
    (minSol === undefined || swap.sol_amount >= minSol) &&
    (from === undefined || swap.timestamp_ms >= from) &&
    (to === undefined || swap.timestamp_ms <= to)
}

/** Whether a list that comes to a position has a swap afterwards. */
function isBeyond(swap: StoredSwap, after: SwapPosition, order: Order): boolean {
  const own: SwapPosition = [swap.slot, swap.block_tx_index, swap.ix_index, swap.dex]
  const index = own.findIndex((each, at) => each !== after[at])
  if (index === -1) return false
  return own[index]! > after[index]! === (order === 'asc')
}

function parametersOf(
  list: SwapList,
  { after, slots, rows, traits }: SwapPageWanted,
  searchMs: number,
): unknown[] {
  const { dex, is_buy, min_sol, from, to } = traits
  const matched = [dex, is_buy, min_sol, from, to].map((trait) => trait ?? null)
  const bounds = [...after, slots.low, slots.high, rows]
  return [...bounds, ...matched, searchMs, ...ownersOf(list)]
}

function ownersOf(list: SwapList): unknown[] {
  if (list.by === 'wallet') return [list.walletId, list.poolIds]
  return list.by === 'pools' ? [list.poolIds] : []
}
