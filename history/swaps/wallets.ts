/** Reads the stored swaps of wallets, as the ledger folds them. */
import type { Int64 } from '../../domain/amount.ts'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import type { DexId } from '../../domain/venue.ts'
import type { HeldQuantity } from '../../domain/wallet/portfolio-value.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import type { Slots } from '../sealed/find/ranges.ts'
import { storedLow } from '../sealed/find/stored.ts'
import { ofWallets } from '../sealed/find/wallets.ts'
import { matchingSwaps, pagesOf, readBoth, SLOT_MAX } from '../sealed/pages.ts'
import {
  knownSealed,
  type Sealed,
  withSealed,
  withSealedFrom,
  withSealedOnce,
} from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import { distinctSwaps, type StoredSwap } from '../sealed/stored-swap.ts'
import type { TokenPool } from './tokens.ts'

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
/** `tokenIds`: null for all. `decimals`: where they are not those of now. `fromMs`, `toMs`: the beginnings of the first and the last day, Unix ms. */
type QuantitiesWanted = SlotRange & {
  readonly walletId: number
  readonly fromMs: number
  readonly toMs: number
  readonly tokenIds: readonly number[] | null
  readonly decimals?: ReadonlyMap<number, number>
}
/** Sells at one position; `endMs` is exclusive. */
type TiedSells = {
  readonly walletId: number
  readonly tokenIds: readonly number[]
  readonly position: readonly (number | null)[]
  readonly fromMs: number
  readonly endMs: number
}

type Position = PositionId & { readonly fromSlot: number }
/** Slots that hold the hour's swaps; `hour_ms`: its first Unix ms. */
type WalletHour = { wallet_id: number; hour_ms: number; low_slot: number; high_slot: number }

/** Sealed swaps of a wallet that are read at once. */
const PAGE_SWAPS = 20_000
/** Sealed swaps, and positions, of one statement: it looks at each of the former for each of the latter. */
const SWAPS_AT_ONCE = 5_000
const POSITIONS_AT_ONCE = 200
/** Wallets that are counted together, while they have few swaps. */
const WALLETS_AT_ONCE = 50
const FEW_SWAPS = 2_000
/** Hours of wallets whose transactions are counted by one statement. */
const HOURS_AT_ONCE = 100

const countSwapsOf = query<{ swap_count: number }>('swap-history/count_wallet_swaps')
const openSwaps = swapStatement('swap-history/open_wallet_swaps')
const fetchSwaps = query<LedgerRow & { token_id: number }>('swap-history/fetch_wallet_swaps')
const closeSwaps = query('swap-history/close_wallet_swaps')
const findTied = swapStatement<{ mint: string; sell_count: number }>('swap-history/find_tied_mint')
const findRecentSwap = query('swap-history/find_recent_swap')
const listDayQuantities = swapStatement<HeldQuantity>('swap-history/list_quantities', {
  isPlannedBySetting: true,
})
const listSwapsOfPositions = swapStatement<LedgerRow & { ordinal: number }>(
  'swap-history/list_position_swaps',
)
const listMiscountedOf = query<{ wallet_id: number; token_id: number }>(
  'swap-history/list_miscounted',
)
const listBounds = query<{ wallet_id: number; is_sure: boolean }>(
  'sealed-history/list_arbitrage_bounds',
)
const listJudged = swapStatement<{ wallet_id: number }>('swap-history/list_arbitrageurs', {
  isPlannedAnew: true,
})
const merge = swapStatement('swap-history/merge_transactions')
const listUncounted = query<WalletHour>('sealed-history/list_uncounted_hours')
const listPools = query<TokenPool>('sealed-history/list_token_pools')
const findWallet = query<{ id: number }>('sealed-history/find_wallet')

/**
 * Pages of a wallet's swaps by slot, block_tx_index, ix_index and dex; ties are the caller's to order. Within a transaction, one
 * wallet at a time.
 */
export async function* walletSwaps(
  db: Queryable,
  { walletId, low, high, tokenIds, dex }: WalletSwapsWanted,
): AsyncGenerator<(LedgerRow & { token_id: number })[]> {
  const poolIds = await poolsOf(db, tokenIds)
  let [from, isOpen, isLast] = [low, false, false]
  const open = async (sealed: Sealed) => {
    if (isOpen) await closeSwaps(db)
    isOpen = true
    const find = (slots: Slots, rows: number) =>
      ofWallets(db, sealed, [walletId], slots, { order: 'asc', rows, poolIds })
    const slots = { low: from, high }
    const pages = pagesOf(find, slots, 'asc', PAGE_SWAPS)
    const page = from > sealed.lastSlot ? { slots, swaps: [] } : (await pages.next()).value
    const { slots: own, swaps } = page as { slots: Slots; swaps: readonly StoredSwap[] }
    await openSwaps(db, [walletId, own.low, own.high, tokenIds ?? null, dex ?? null], swaps)
    return own.high
  }
  while (!isLast) {
    const end = await withSealed(db, open)
    for (;;) {
      const rows = await fetchSwaps(db)
      if (rows.length === 0) break
      yield rows
    }
    await closeSwaps(db)
    isOpen = false
    isLast = end >= high
    if (!isLast) from = Number(end) + 1
  }
}

/** Undefined for all. */
async function poolsOf(
  db: Queryable,
  tokenIds: readonly number[] | null | undefined,
): Promise<number[] | undefined> {
  if (tokenIds == null) return undefined
  return (await listPools(db, [tokenIds])).map(({ pool_id }) => pool_id)
}

/** The mint of the canonically first of several sells at one position, and their number. Undefined: none. */
export async function findTiedMint(
  db: Queryable,
  { walletId, tokenIds, position, fromMs, endMs }: TiedSells,
): Promise<{ mint: string; sell_count: number } | undefined> {
  const [slot = null] = position
  const parameters = [walletId, tokenIds, fromMs, ...position, endMs]
  const rows = await readBoth(db, slot ?? SLOT_MAX, findTied, parameters, async (sealed) => {
    if (slot === null) return []
    return ofWallets(db, sealed, [walletId], { low: slot, high: slot }, { order: 'asc' })
  })
  return rows[0]
}

/** Whether a wallet has a swap no older than a time, Unix ms, within slots that hold every such swap. */
export function hasSwapSince(
  db: Queryable,
  wallet: string,
  { low, high }: SlotRange,
  sinceMs: number,
): Promise<boolean> {
  const find = async () => (await findRecentSwap(db, [wallet, low, high, sinceMs])).length > 0
  return withSealedFrom(db, low, find, async (sealed) => {
    if (await find()) return true
    const [known] = await findWallet(db, [wallet])
    if (known === undefined) return false
    const list = (slots: Slots, rows: number) =>
      ofWallets(db, sealed, [known.id], slots, { order: 'desc', rows })
    const wanted = {
      rows: 1,
      isWanted: ({ timestamp_ms }: StoredSwap) => timestamp_ms >= sinceMs,
      pageRows: FEW_SWAPS,
    }
    return (await matchingSwaps(list, { low, high }, 'desc', wanted)).length > 0
  })
}

/** Holdings of a wallet by token at the ends of days, planned by the transaction's setting. */
export function listQuantities(
  db: Queryable,
  { walletId, low, high, fromMs, toMs, tokenIds, decimals = new Map() }: QuantitiesWanted,
): Promise<HeldQuantity[]> {
  const own = [tokenIds, [...decimals.keys()], [...decimals.values()]]
  const parameters = [walletId, low, high, fromMs, toMs, ...own]
  return readBoth(db, low, listDayQuantities, parameters, async (sealed) => {
    const poolIds = await poolsOf(db, tokenIds)
    return ofWallets(db, sealed, [walletId], { low, high }, { order: 'asc', poolIds })
  })
}

/**
 * Swaps of positions from a slot on, whole slots, each position's in the order of slots: about `rows` of each, fewer only at
 * its end. `ordinal`: the position's number from 1.
 */
export function listPositionSwaps(
  db: Queryable,
  positions: readonly Position[],
  rows: number,
): Promise<(LedgerRow & { ordinal: number })[]> {
  const read = async (some: readonly Position[], handed: readonly StoredSwap[]) =>
    listSwapsOfPositions(
      db,
      [
        int4Array(some.map(({ walletId }) => walletId)),
        int4Array(some.map(({ tokenId }) => tokenId)),
        some.map(({ fromSlot }) => fromSlot),
        rows,
      ],
      handed,
    )
  return withSealed(db, async (sealed) => {
    if (positions.every(({ fromSlot }) => fromSlot > sealed.lastSlot)) return read(positions, [])
    const result: (LedgerRow & { ordinal: number })[] = []
    let from = 0
    for await (const { count, handed } of sealedOfPositions(db, sealed, positions, rows)) {
      const some = positions.slice(from, from + count)
      for (const row of await read(some, handed)) {
        result.push({ ...row, ordinal: row.ordinal + from })
      }
      from += count
    }
    return result
  })
}

/** The next positions, and their sealed swaps. */
async function* sealedOfPositions(
  db: Queryable,
  sealed: Sealed,
  positions: readonly Position[],
  rows: number,
): AsyncGenerator<{ count: number; handed: readonly StoredSwap[] }> {
  const tokenIds = [...new Set(positions.map(({ tokenId }) => tokenId))]
  const pools = Map.groupBy(await listPools(db, [tokenIds]), ({ token_id }) => token_id)
  let [count, handed]: [number, StoredSwap[]] = [0, []]
  for (const { walletId, tokenId, fromSlot } of positions) {
    const poolIds = (pools.get(tokenId) ?? []).map(({ pool_id }) => pool_id)
    const slots = { low: fromSlot, high: SLOT_MAX }
    const own =
      fromSlot > sealed.lastSlot
        ? []
        : await ofWallets(db, sealed, [walletId], slots, { order: 'asc', rows, poolIds })
    count += 1
    for (const swap of own) handed.push(swap)
    if (handed.length < SWAPS_AT_ONCE && count < POSITIONS_AT_ONCE) continue
    yield { count, handed: distinctSwaps(handed) }
    count = 0
    handed = []
  }
  if (count > 0) yield { count, handed: distinctSwaps(handed) }
}

/** Positions of wallets that do not hold as many swaps as are stored. Those that may hold dropped swaps are left out. */
export async function listMiscounted(
  db: Queryable,
  walletIds: readonly number[],
): Promise<PositionId[]> {
  const rows = await withSealed(db, async (sealed) =>
    listMiscountedOf(db, [
      ...[walletIds, ...(await sealedCounts(db, sealed, walletIds))],
      ...[sealed.since?.slot ?? 0, sealed.since?.ms ?? 0],
    ]),
  )
  return rows.map((row) => ({ walletId: row.wallet_id, tokenId: row.token_id }))
}

/** How many sealed swaps wallets have: wallet ids, pool ids and numbers, pairwise. */
async function sealedCounts(
  db: Queryable,
  sealed: Sealed,
  walletIds: readonly number[],
): Promise<number[][]> {
  const counts = new Map<string, { walletId: number; poolId: number; count: number }>()
  const count = (swaps: readonly StoredSwap[]): void => {
    for (const { wallet_id: walletId, pool_id: poolId } of swaps) {
      const key = `${walletId} ${poolId}`
      counts.set(key, { walletId, poolId, count: (counts.get(key)?.count ?? 0) + 1 })
    }
  }
  const all = { low: storedLow(sealed, 0), high: sealed.lastSlot }
  for (let from = 0; from < walletIds.length && all.high >= 0; from += WALLETS_AT_ONCE) {
    const some = walletIds.slice(from, from + WALLETS_AT_ONCE)
    const found = await ofWallets(db, sealed, some, all, { order: 'asc', rows: FEW_SWAPS })
    const byWallet = Map.groupBy(found, (swap) => swap.wallet_id)
    for (const [walletId, swaps] of byWallet) {
      if (swaps.length < FEW_SWAPS) {
        count(swaps)
        continue
      }
      const find = (slots: Slots, rows: number) =>
        ofWallets(db, sealed, [walletId], slots, { order: 'asc', rows })
      for await (const page of pagesOf(find, all, 'asc', PAGE_SWAPS)) count(page.swaps)
    }
  }
  const rows = [...counts.values()]
  return [
    rows.map(({ walletId }) => walletId),
    rows.map(({ poolId }) => poolId),
    rows.map((row) => row.count),
  ]
}

/** Counts the transactions of the hours in the temporary table leaderboard_judged, where they are not known. */
export function mergeTransactions(db: Queryable): Promise<void> {
  return withSealedOnce(db, async (sealed) => {
    for (;;) {
      const hours = await listUncounted(db, [sealed.lastSlot, HOURS_AT_ONCE])
      if (hours.length === 0) break
      const handed: StoredSwap[] = []
      for (const [hourMs, own] of Map.groupBy(hours, (hour) => hour.hour_ms)) {
        // An hour that was not counted before its swaps were dropped counts those that are left.
        const { high_slot: high, ...slots } = own[0]!
        const low = storedLow(sealed, slots.low_slot)
        const ids = own.map(({ wallet_id }) => wallet_id)
        for (const swap of await ofWallets(db, sealed, ids, { low, high }, { order: 'asc' })) {
          const { timestamp_ms: ms } = swap
          if (ms >= hourMs && ms < hourMs + HOUR_MS) handed.push(swap)
        }
      }
      const ids = int4Array(hours.map(({ wallet_id }) => wallet_id))
      await merge(db, [ids, int8Array(hours.map(({ hour_ms }) => hour_ms))], handed)
    }
    await merge(db, [null, null], [])
  })
}

/**
 * Ids of the wallets of which at least half of the transactions in some hours, and at least 3, bought and sold the same mint.
 * Unix ms, the beginnings of the first and of the last hour; `slots` hold all swaps of the hours.
 */
export async function listArbitrageurs(
  db: Queryable,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  slots: SlotRange,
): Promise<number[]> {
  const bounds = await listBounds(db, [fromMs, toMs])
  const ids = bounds.filter(({ is_sure }) => is_sure).map(({ wallet_id }) => wallet_id)
  const open = bounds.filter(({ is_sure }) => !is_sure).map(({ wallet_id }) => wallet_id)
  return [...ids, ...(await judgeArbitrageurs(db, open, { fromMs, toMs }, slots))]
}

/** Ids of the wallets that listArbitrageurs lists, among the given ones, by their swaps in `slots`. */
export async function judgeArbitrageurs(
  db: Queryable,
  walletIds: readonly number[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  slots: SlotRange,
): Promise<number[]> {
  const ids: number[] = []
  const isSealed = slots.low <= (await knownSealed(db)).lastSlot
  const atOnce = isSealed ? WALLETS_AT_ONCE : Math.max(walletIds.length, 1)
  for (let from = 0; from < walletIds.length; from += atOnce) {
    const some = walletIds.slice(from, from + atOnce)
    const parameters = [int4Array(some), fromMs, toMs, slots.low, slots.high]
    const judged = await readBoth(db, slots.low, listJudged, parameters, async (sealed) => {
      const found = await ofWallets(db, sealed, some, slots, { order: 'asc' })
      return found.filter(({ timestamp_ms: ms }) => ms >= fromMs && ms < toMs + HOUR_MS)
    })
    ids.push(...judged.map(({ wallet_id }) => wallet_id))
  }
  return ids
}

/** How many swaps a wallet has in some mints up to a slot, at most `most`. */
export function countWalletSwaps(
  db: Queryable,
  { walletId, tokenIds }: { readonly walletId: number; readonly tokenIds: readonly number[] },
  { slot, most }: { readonly slot: number; readonly most: number },
): Promise<number> {
  return withSealed(db, async (sealed) => {
    const hot = (await countSwapsOf(db, [walletId, tokenIds, slot, most]))[0]?.swap_count ?? 0
    if (hot >= most || sealed.lastSlot < 0) return hot
    const poolIds = await poolsOf(db, tokenIds)
    const listing = { order: 'asc', rows: most - hot, poolIds } as const
    const found = await ofWallets(db, sealed, [walletId], { low: 0, high: slot }, listing)
    return Math.min(hot + found.length, most)
  })
}
