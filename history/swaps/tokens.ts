/** Reads the stored swaps of tokens: the first ones, those that set a price, and who traded in some slots or minutes. */
import type { Int64 } from '../../domain/amount.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import type { DexId } from '../../domain/venue.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { PRICED } from './priced.ts'

/** One of the first swaps of a token; amounts are lamports and base units. */
export type FirstSwapRow = {
  slot: number
  block_tx_index: number
  ix_index: number
  dex: DexId
  is_buy: boolean
  signature: string
  timestamp_ms: number
  sol_amount: Int64
  token_amount: Int64
  pair_address: string
  user: string
}
/** With what its wallet has of the token; `balance`: the text of a numeric, null where the ledger has nothing. */
export type EarlyRow = FirstSwapRow & {
  balance: string | null
  decimals: number
  largest_buy_lamports: Int64
  is_smart: boolean
  is_held: boolean
}
/** First and last slot. */
type SlotRange = { readonly low: Int64 | null; readonly high: Int64 | null }
/** `rows`: swaps to search; `oneSlot`: of which all buys are returned. */
type EarlyWanted = SlotRange & {
  readonly rows: number
  readonly wallets: number
  readonly oneSlot: number | null
}
/** A swap that set a price. */
export type PricingSwap = {
  signature: string
  slot: number
  timestamp_ms: number
  sol_amount: Int64
  token_amount: Int64
  quote_decimals: number
  pair_address: string
}
/** The swap with the highest price, and the price of now with US dollars a SOL. */
export type PeakRow = PricingSwap & {
  dex: number
  user: string
  price: number
  price_ms: number
  sol_usd: number | null
}
export type EarlyBuyRow = { token_id: number; buy_slot: number; mint_slot: number }
export type SlotBuyRow = Omit<FirstSwapRow, 'is_buy' | 'timestamp_ms'> & { token_id: number }
export type SaleRow = { token_id: number; minute: number; lamports: string }
type TraderRow = { ordinal: number; is_buy: boolean; wallet_id: number }

const listDecimals = query<{ token_id: number; decimals: number }>(
  'swap-history/list_past_decimals',
)
const listFirst = query<FirstSwapRow>('swap-history/list_first_swaps')
const listEarly = query<EarlyRow>('swap-history/list_early')
const findHighest = query<PeakRow>('swap-history/find_peak')
const findPrice = query<PricingSwap>('swap-history/find_price_at')
const listBuysOfWallet = query<EarlyBuyRow>('swap-history/list_early_buys')
const listBuysOfSlots = query<SlotBuyRow>('swap-history/list_slot_buys')
const listSales = query<SaleRow>('swap-history/list_creator_sales')
const listTraders = query<TraderRow>('swap-history/list_bucket_traders')

/** The first swap of a token among some slots, and all that tie with it. */
export function listFirstSwaps(
  db: Queryable,
  tokenId: number,
  { low, high }: SlotRange,
): Promise<FirstSwapRow[]> {
  return listFirst(db, [tokenId, low, high, 1])
}

/** The very first swap of a token, first buys of the wallets that bought first, and buys of one slot; with all that tie. */
export function listEarlySwaps(
  db: Queryable,
  tokenId: number,
  { low, high, rows, wallets, oneSlot }: EarlyWanted,
): Promise<EarlyRow[]> {
  return listEarly(db, [tokenId, low, high, rows, wallets, oneSlot])
}

/** Undefined: the token has no price. */
export async function findPeak(db: Queryable, mint: string): Promise<PeakRow | undefined> {
  return (await findHighest(db, [mint, ...PRICED]))[0]
}

/** The newest priced swap of pools at or before a time, Unix ms. */
export async function findPriceAt(
  db: Queryable,
  poolIds: readonly number[],
  atMs: number,
): Promise<PricingSwap | undefined> {
  return (await findPrice(db, [poolIds, atMs, ...PRICED]))[0]
}

/** The first slots of tokens, and the wallet's first buy within `slotsMax` slots of each; no row without such a buy. */
export function listEarlyBuys(
  db: Queryable,
  walletId: number,
  tokenIds: readonly number[],
  { low, high, slotsMax }: { low: number; high: number; slotsMax: number },
): Promise<EarlyBuyRow[]> {
  return listBuysOfWallet(db, [walletId, tokenIds, low, high, slotsMax])
}

/** Buys of tokens in one slot each. */
export function listSlotBuys(
  db: Queryable,
  wanted: readonly { readonly tokenId: number; readonly slot: number }[],
): Promise<SlotBuyRow[]> {
  const slots = wanted.map(({ slot }) => slot)
  const ids = wanted.map(({ tokenId }) => tokenId)
  return listBuysOfSlots(db, [ids, slots, leastOf(slots), greatestOf(slots)])
}

/** Sales of tokens by one wallet each in a minute each; `minuteMs`: its first Unix ms. */
export function listCreatorSales(
  db: Queryable,
  wanted: readonly {
    readonly tokenId: number
    readonly walletId: number
    readonly minuteMs: number
  }[],
): Promise<SaleRow[]> {
  const times = wanted.map(({ minuteMs }) => minuteMs)
  return listSales(db, [
    int4Array(wanted.map(({ tokenId }) => tokenId)),
    int4Array(wanted.map(({ walletId }) => walletId)),
    int8Array(times),
    leastOf(times),
    greatestOf(times),
  ])
}

/** Wallets that traded tokens in buckets of one width, ms. `ordinal`: the bucket's number from 1. */
export function listBucketTraders(
  db: Queryable,
  buckets: readonly { readonly tokenId: number; readonly bucketMs: number }[],
  widthMs: number,
): Promise<TraderRow[]> {
  return listTraders(db, [
    int4Array(buckets.map(({ tokenId }) => tokenId)),
    int8Array(buckets.map(({ bucketMs }) => bucketMs)),
    widthMs,
  ])
}

/** Decimals of mints as of a slot, by token id; none for a mint without a swap up to it. */
export async function listPastDecimals(
  db: Queryable,
  tokenIds: readonly number[],
  slot: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await listDecimals(db, [tokenIds, slot])
  return new Map(rows.map(({ token_id, decimals }) => [token_id, decimals]))
}
