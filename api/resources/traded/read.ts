/** Reads the tokens that a wallet traded in some hours, from the stored hours of its positions. */
import type { Exact } from '../../../domain/amount.ts'
import {
  type TrailingWindow,
  type WindowHours,
  windowHours,
} from '../../../domain/time/wallet-window.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { TRADED_SORTS } from './schema.ts'

type Figures = {
  realized: Exact
  volume_lamports: Exact
  buy_count: number
  sell_count: number
  covered_sell_count: number
  win_count: number
}
export type TradedRow = Figures & { mint: string }
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

const NO_FIGURES: Figures = {
  realized: 0,
  volume_lamports: 0,
  buy_count: 0,
  sell_count: 0,
  covered_sell_count: 0,
  win_count: 0,
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
