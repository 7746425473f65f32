/** Reads all stored swaps, or sums over all of them: for `export` and `verify`, within their transaction. */
import type { Int64 } from '../../domain/amount.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { type Query, query, variants } from '../../sql/query.ts'
import type { ServedSwap } from './served-swap.ts'
import type { LedgerRow, PositionEndRow } from './wallets.ts'

/** First and last slot, which hold all swaps of the times; Unix ms, inclusive. */
type ExportRange = {
  readonly low: number
  readonly high: number
  readonly fromMs: number
  readonly toMs: Int64
}
type ExportedLot = LedgerRow & PositionEndRow & { token_id: number; wallet: string; mint: string }
export type TokenTrade = {
  token_id: number
  timestamp_ms: number
  is_buy: boolean
  wallet_id: number
  /** The hour's first Unix ms. */
  hour_ms: number
}
/** Volumes as text; null: no row. */
type VenueVolume = {
  width: number
  bucket_ms: number
  dex: number
  stored: string | null
  folded: string | null
}
/** Mixed wallets, ascending; null: no row. */
type MarketBucket = {
  is_hour: boolean
  bucket_ms: number
  stored: number[] | null
  folded: number[] | null
}
/** Ids of a column that have no row in their table, and one of them. */
type DanglingIds = { kind: string; ids: number; example: number }

const EXPORTED = ['swaps', 'lots'] as const
const openSwaps = query('swap-history/open_exported_swaps')
const openLots = query('swap-history/open_exported_lots')
const FETCH = variants('swap-history/fetch_exported', EXPORTED)
const CLOSE = variants('swap-history/close_exported', EXPORTED)
const openTrades = query('swap-history/open_token_trades')
const fetchTrades = query<TokenTrade>('swap-history/fetch_token_trades')
const closeTrades = query('swap-history/close_token_trades')
const openVolumes = query('swap-history/open_venue_volumes')
const fetchVolumes = query<VenueVolume>('swap-history/fetch_venue_volumes')
const count = query<{ swaps: number; doubled: number }>('swap-history/count_swaps')
const listIds = query<DanglingIds>('swap-history/list_dangling')
const listBuckets = query<MarketBucket>('swap-history/compare_market_traders')

const sumOfSwaps = query<{ swaps: number; content_hash: string }>('swap-history/sum_swaps')

/** Rows of a cursor in pages; `close` is absent where the cursor is not opened again. */
async function* pagesOf<Row>(
  db: Queryable,
  open: () => Promise<unknown>,
  fetch: Query<Record<string, unknown>>,
  close?: Query<Record<string, unknown>>,
): AsyncGenerator<Row[]> {
  await open()
  for (;;) {
    const rows = await fetch(db)
    if (rows.length === 0) break
    yield rows as Row[]
  }
  await close?.(db)
}

/** Pages of all swaps of a range of time in canonical order. */
export function exportedSwaps(
  db: Queryable,
  { low, high, fromMs, toMs }: ExportRange,
): AsyncGenerator<ServedSwap[]> {
  const open = () => openSwaps(db, [low, high, fromMs, toMs])
  return pagesOf<ServedSwap>(db, open, FETCH.swaps, CLOSE.swaps)
}

/** How many swaps a range of time has, and a hash that any change of them changes, whatever their order. */
export async function sumSwaps(
  db: Queryable,
  { low, high, fromMs, toMs }: ExportRange,
): Promise<{ swaps: number; content_hash: string }> {
  return (await sumOfSwaps(db, [low, high, fromMs, toMs]))[0]!
}

/** Pages of the swaps of positions that hold a balance, up to the newest slot of each, by wallet, mint and canonical order. */
export function exportedLots(db: Queryable): AsyncGenerator<ExportedLot[]> {
  return pagesOf<ExportedLot>(db, () => openLots(db), FETCH.lots, CLOSE.lots)
}

/** Pages of the trades of tokens from one id to before another, hour by hour. */
export function tokenTrades(
  db: Queryable,
  fromTokenId: number,
  endTokenId: number,
): AsyncGenerator<TokenTrade[]> {
  const open = () => openTrades(db, [fromTokenId, endTokenId])
  return pagesOf<TokenTrade>(db, open, fetchTrades, closeTrades)
}

/** Pages of the volumes of venues by minute and quarter, as stored and by the swaps. Once a transaction. */
export function venueVolumes(db: Queryable): AsyncGenerator<VenueVolume[]> {
  return pagesOf<VenueVolume>(db, () => openVolumes(db), fetchVolumes)
}

/** How many swaps are stored, and how many identities more than once. */
export async function countSwaps(db: Queryable): Promise<{ swaps: number; doubled: number }> {
  return (await count(db))[0]!
}

export function listDangling(db: Queryable): Promise<DanglingIds[]> {
  return listIds(db)
}

/** Traders of the market since an hour, Unix ms, as stored and by the swaps: the least `wallets` of each bucket. */
export function compareMarketTraders(
  db: Queryable,
  fromMs: number,
  wallets: number,
): Promise<MarketBucket[]> {
  return listBuckets(db, [fromMs, wallets])
}
