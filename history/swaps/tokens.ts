/** Reads the stored swaps of tokens: the first ones, those that set a price, and who traded in some slots or minutes. */
import type { Int64 } from '../../domain/amount.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { MINUTE_MS } from '../../domain/time/time-bucket.ts'
import type { DexId } from '../../domain/venue.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { ofPoolSlots, ofPools, type PoolSlots } from '../sealed/find/pools.ts'
import { readBoth, SLOT_MAX, sealedRuns } from '../sealed/pages.ts'
import { knownSealed, type Sealed } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'
import { ofMinutes, type PoolRunRow } from './pools.ts'
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

/** `first_slot`: of its swaps; null without one. */
export type TokenPool = { pool_id: number; token_id: number; first_slot: number | null }

/** Buckets whose sealed traders are read at once. */
const BUCKETS_AT_ONCE = 20

const listDecimals = swapStatement<{ token_id: number; decimals: number }>(
  'swap-history/list_past_decimals',
)
const listFirst = swapStatement<FirstSwapRow>('swap-history/list_first_swaps')
const listEarly = swapStatement<EarlyRow>('swap-history/list_early')
const findHighest = swapStatement<PeakRow>('swap-history/find_peak')
const findPrice = swapStatement<PricingSwap>('swap-history/find_price_at')
const listBuysOfWallet = swapStatement<EarlyBuyRow>('swap-history/list_early_buys')
const listBuysOfSlots = swapStatement<SlotBuyRow>('swap-history/list_slot_buys')
const listSales = swapStatement<SaleRow>('swap-history/list_creator_sales')
const listTraders = swapStatement<TraderRow>('swap-history/list_bucket_traders')
const listPools = query<TokenPool>('sealed-history/list_token_pools')
const findPeakMinute = query<PoolRunRow>('sealed-history/find_peak_minute')
const listPricedMinutes = query<PoolRunRow>('sealed-history/list_priced_minutes')
const listTokenMinutes = query<PoolRunRow>('sealed-history/list_token_minutes')

/** The first swap of a token among some slots, and all that tie with it. */
export function listFirstSwaps(
  db: Queryable,
  tokenId: number,
  { low, high }: SlotRange,
): Promise<FirstSwapRow[]> {
  return readBoth(db, low ?? SLOT_MAX, listFirst, [tokenId, low, high, 1], (sealed) =>
    firstOfToken(db, sealed, tokenId, { low, high }, 1),
  )
}

/** The very first swap of a token, first buys of the wallets that bought first, and buys of one slot; with all that tie. */
export function listEarlySwaps(
  db: Queryable,
  tokenId: number,
  { low, high, rows, wallets, oneSlot }: EarlyWanted,
): Promise<EarlyRow[]> {
  const parameters = [tokenId, low, high, rows, wallets, oneSlot]
  return readBoth(db, low ?? SLOT_MAX, listEarly, parameters, (sealed) =>
    firstOfToken(db, sealed, tokenId, { low, high }, rows),
  )
}

/** At least the first `rows` sealed swaps of a token, and all of the slot of the last of them. */
async function firstOfToken(
  db: Queryable,
  sealed: Sealed,
  tokenId: number,
  { low, high }: SlotRange,
  rows: number,
): Promise<readonly StoredSwap[]> {
  if (low === null || high === null) return []
  const pools = await sealedPools(db, sealed, [tokenId])
  const ids = pools.map(({ pool_id }) => pool_id)
  const found = await ofPools(db, sealed, ids, { low, high }, { order: 'asc', rows })
  const last = found.map(({ slot }) => slot).sort((a, b) => a - b)[rows - 1]
  return last === undefined ? found : found.filter(({ slot }) => slot <= last)
}

/** Pools of tokens with swaps in slots that are sealed. */
async function sealedPools(
  db: Queryable,
  { lastSlot }: Sealed,
  tokenIds: readonly number[],
): Promise<(TokenPool & { first_slot: number })[]> {
  return (await listPools(db, [tokenIds])).filter(
    (pool): pool is TokenPool & { first_slot: number } =>
      pool.first_slot !== null && pool.first_slot <= lastSlot,
  )
}

/** Undefined: the token has no price. */
export async function findPeak(db: Queryable, mint: string): Promise<PeakRow | undefined> {
  const find = async (sealed: Sealed) => ofMinutes(db, sealed, await findPeakMinute(db, [mint]))
  return (await readBoth(db, 0, findHighest, [mint, ...PRICED], find))[0]
}

/** The newest priced swap of pools at or before a time, Unix ms. */
export async function findPriceAt(
  db: Queryable,
  poolIds: readonly number[],
  atMs: number,
): Promise<PricingSwap | undefined> {
  const find = async (sealed: Sealed) =>
    ofMinutes(db, sealed, await listPricedMinutes(db, [poolIds, atMs]))
  return (await readBoth(db, 0, findPrice, [poolIds, atMs, ...PRICED], find))[0]
}

/** The first slots of tokens, and the wallet's first buy within `slotsMax` slots of each; no row without such a buy. */
export function listEarlyBuys(
  db: Queryable,
  walletId: number,
  tokenIds: readonly number[],
  { low, high, slotsMax }: { low: number; high: number; slotsMax: number },
): Promise<EarlyBuyRow[]> {
  const parameters = [walletId, tokenIds, low, high, slotsMax]
  return readBoth(db, low, listBuysOfWallet, parameters, async (sealed) => {
    const pools = await sealedPools(db, sealed, tokenIds)
    const ids = pools.map(({ pool_id }) => pool_id)
    const firsts = await ofPools(db, sealed, ids, { low, high }, { order: 'asc', rows: 1 })
    const tokenOf = new Map(pools.map(({ pool_id, token_id }) => [pool_id, token_id]))
    const births = new Map<number, number>()
    for (const { pool_id, slot } of firsts) {
      const tokenId = tokenOf.get(pool_id)!
      births.set(tokenId, Math.min(slot, births.get(tokenId) ?? slot))
    }
    // A first swap in the table is earlier, if at all: what follows it within the slots is no later.
    const runs = pools.flatMap(({ pool_id, token_id }): PoolSlots[] => {
      const birth = births.get(token_id)
      if (birth === undefined) return []
      return [{ poolId: pool_id, slots: { low: birth, high: birth + slotsMax } }]
    })
    return ofPoolSlots(db, sealed, sealedRuns(sealed, runs), { order: 'asc' })
  })
}

/** Buys of tokens in one slot each. */
export function listSlotBuys(
  db: Queryable,
  wanted: readonly { readonly tokenId: number; readonly slot: number }[],
): Promise<SlotBuyRow[]> {
  const slots = wanted.map(({ slot }) => slot)
  const ids = wanted.map(({ tokenId }) => tokenId)
  const low = leastOf(slots)
  return readBoth(
    db,
    low,
    listBuysOfSlots,
    [ids, slots, low, greatestOf(slots)],
    async (sealed) => {
      const own = wanted.filter(({ slot }) => slot <= sealed.lastSlot)
      const pools = Map.groupBy(
        await sealedPools(db, sealed, [...new Set(own.map(({ tokenId }) => tokenId))]),
        ({ token_id }) => token_id,
      )
      const runs = own.flatMap(({ tokenId, slot }) =>
        (pools.get(tokenId) ?? []).map((pool) => ({
          poolId: pool.pool_id,
          slots: { low: slot, high: slot },
        })),
      )
      return ofPoolSlots(db, sealed, sealedRuns(sealed, runs), { order: 'asc' })
    },
  )
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
  const tokenIds = int4Array(wanted.map(({ tokenId }) => tokenId))
  const walletIds = wanted.map(({ walletId }) => walletId)
  const parameters = [
    ...[tokenIds, int4Array(walletIds), int8Array(times)],
    ...[leastOf(times), greatestOf(times)],
  ]
  return readBoth(db, 0, listSales, parameters, async (sealed) => {
    const minutes = await listTokenMinutes(db, [tokenIds, int8Array(times), MINUTE_MS])
    const own = new Set(walletIds)
    const found = await ofMinutes(db, sealed, minutes)
    return found.filter(({ wallet_id, is_buy }) => !is_buy && own.has(wallet_id))
  })
}

/** Wallets that traded tokens in buckets of one width, ms. `ordinal`: the bucket's number from 1. */
export async function listBucketTraders(
  db: Queryable,
  buckets: readonly { readonly tokenId: number; readonly bucketMs: number }[],
  widthMs: number,
): Promise<TraderRow[]> {
  const traders: TraderRow[] = []
  const isSealed = (await knownSealed(db)).lastSlot >= 0
  const atOnce = isSealed ? BUCKETS_AT_ONCE : buckets.length
  for (let from = 0; from < buckets.length; from += atOnce) {
    const some = buckets.slice(from, from + atOnce)
    const parameters = [
      int4Array(some.map(({ tokenId }) => tokenId)),
      int8Array(some.map(({ bucketMs }) => bucketMs)),
      widthMs,
    ]
    const rows = await readBoth(db, 0, listTraders, parameters, async (sealed) =>
      ofMinutes(db, sealed, await listTokenMinutes(db, parameters)),
    )
    for (const row of rows) traders.push({ ...row, ordinal: row.ordinal + from })
  }
  return traders
}

/** Decimals of mints as of a slot, by token id; none for a mint without a swap up to it. */
export async function listPastDecimals(
  db: Queryable,
  tokenIds: readonly number[],
  slot: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await readBoth(db, 0, listDecimals, [tokenIds, slot], async (sealed) => {
    const pools = await sealedPools(db, sealed, tokenIds)
    const runs = pools.flatMap(({ pool_id, first_slot }): PoolSlots[] =>
      first_slot <= slot ? [{ poolId: pool_id, slots: { low: first_slot, high: slot } }] : [],
    )
    return ofPoolSlots(db, sealed, runs, { order: 'desc', rows: 1 })
  })
  return new Map(rows.map(({ token_id, decimals }) => [token_id, decimals]))
}
