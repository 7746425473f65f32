/** Reads the tokens that a wallet traded in some hours, from the stored hours of its positions. */
import { WalletFold } from '../../../domain/ledger/wallet-fold.ts'
import {
  type TrailingWindow,
  type WindowHours,
  windowHours,
} from '../../../domain/time/wallet-window.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { ledgerSwaps } from '../wallets/ledger-swaps.ts'
import { pastSwapsOf } from '../wallets/past.ts'
import type { TRADED_SORTS } from './schema.ts'
import { type Figures, type TradedRow, TradedSums } from './sums.ts'

export type TradedPage = {
  hours: WindowHours
  total: number
  totals: Figures
  rows: readonly TradedRow[]
}
export type TradedWanted = {
  wallet: string
  /** A trailing window, or hours. */
  span: TrailingWindow | WindowHours
  mode: PnlMode
  sort: (typeof TRADED_SORTS)[number]
  limit: number
  offset: number
}
type PageRow = { [Name in keyof Figures as `all_${Name}`]: Figures[Name] } & {
  total: number
} & { [Name in keyof TradedRow]: TradedRow[Name] | null }

const findWallet = query<{ id: number; newest_ms: number | null }>('wallets/find_wallet')
const listTokens = query<PageRow>('traded/list_tokens')
const listMints = query<{ id: number; mint: string }>('wallets/list_mints')

const NO_FIGURES: Figures = {
  realized: 0,
  volume_lamports: 0,
  buy_count: 0,
  sell_count: 0,
  covered_sell_count: 0,
  win_count: 0,
}

/** The same as of a slot, by a fold of the wallet's swaps; `span`: of the time of the latest swap up to it. */
export async function readPastTraded(
  past: AsOfReading,
  wanted: Omit<TradedWanted, 'span'>,
  spanOf: (latestMs: number | null) => TradedWanted['span'],
): Promise<TradedPage> {
  const { db } = past
  const [latestMs, swaps] = await Promise.all([past.latestMs(), pastSwapsOf(past, wanted.wallet)])
  const span = spanOf(latestMs)
  const hoursUntil = (ms: number) => (typeof span === 'string' ? windowHours(span, ms) : span)
  const hours = hoursUntil(latestMs ?? 0)
  const sums = new TradedSums(hours, wanted.mode)
  const fold = new WalletFold((tokenId, figures) => sums.add(tokenId, figures))
  let isKnown = false
  for await (const page of swaps === undefined ? [] : ledgerSwaps(db, swaps)) {
    isKnown ||= page.length > 0
    for (const swap of page) fold.take(swap.tokenId, swap)
  }
  if (!isKnown) return { hours: hoursUntil(0), total: 0, totals: NO_FIGURES, rows: [] }
  const rows = await listMints(db, [sums.tokenIds()])
  return { hours, ...sums.page(new Map(rows.map(({ id, mint }) => [id, mint])), wanted) }
}

/** Zeros for a wallet without an indexed swap. */
export async function readTraded(
  db: Queryable,
  { wallet: user, span, mode, sort, limit, offset }: TradedWanted,
): Promise<TradedPage> {
  const [wallet] = await findWallet(db, [user])
  const hours = typeof span === 'string' ? windowHours(span, wallet?.newest_ms ?? 0) : span
  const nothing = { hours, total: 0, totals: NO_FIGURES, rows: [] }
  if (wallet === undefined) return nothing
  const { firstMs, lastMs } = hours
  const found = await listTokens(db, [wallet.id, firstMs, lastMs, mode, sort, limit, offset])
  const [first] = found
  if (first === undefined) return nothing
  const totals = {
    realized: first.all_realized,
    volume_lamports: first.all_volume_lamports,
    buy_count: first.all_buy_count,
    sell_count: first.all_sell_count,
    covered_sell_count: first.all_covered_sell_count,
    win_count: first.all_win_count,
  }
  const rows = found.filter((row): row is PageRow & TradedRow => row.mint !== null)
  return { hours, total: first.total, totals, rows }
}
