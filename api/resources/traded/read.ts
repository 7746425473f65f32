/** Reads the tokens that a wallet traded in some hours, from the stored hours of its positions. */
import {
  type TrailingWindow,
  type WindowHours,
  windowHours,
} from '../../../domain/time/wallet-window.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { foldChanged, pastWallet } from '../wallets/past.ts'
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
  token_id: number | null
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

const NOTHING = { total: 0, totals: NO_FIGURES, rows: [] }

/** The same as of a slot; `spanOf`: of the time of the latest swap up to it. */
export async function readPastTraded(
  past: AsOfReading,
  { wallet: user, mode, sort, limit, offset }: Omit<TradedWanted, 'span'>,
  spanOf: (latestMs: number | null) => TradedWanted['span'],
): Promise<TradedPage> {
  const { db } = past
  const [latestMs, wallet] = await Promise.all([past.latestMs(), pastWallet(past, user)])
  const span = spanOf(latestMs)
  const hoursUntil = (ms: number) => (typeof span === 'string' ? windowHours(span, ms) : span)
  const hours = hoursUntil(latestMs ?? 0)
  if (wallet === undefined) return { hours: hoursUntil(0), ...NOTHING }
  const { walletId, changed } = wallet
  const stored = [walletId, hours.firstMs, hours.lastMs, mode, sort] as const
  if (changed.length === 0) {
    return pageOf(hours, await listTokens(db, [...stored, limit, offset, null]))
  }
  const sums = new TradedSums(hours, mode)
  for (const row of await listTokens(db, [...stored, null, 0, changed])) {
    if (isTraded(row)) sums.addStored(row)
  }
  await foldChanged(past, wallet, (tokenId, figures) => sums.add(tokenId, figures))
  const rows = await listMints(db, [changed])
  return {
    hours,
    ...sums.page(new Map(rows.map(({ id, mint }) => [id, mint])), { sort, limit, offset }),
  }
}

/** Zeros for a wallet without an indexed swap. */
export async function readTraded(
  db: Queryable,
  { wallet: user, span, mode, sort, limit, offset }: TradedWanted,
): Promise<TradedPage> {
  const [wallet] = await findWallet(db, [user])
  const hours = typeof span === 'string' ? windowHours(span, wallet?.newest_ms ?? 0) : span
  if (wallet === undefined) return { hours, ...NOTHING }
  const { firstMs, lastMs } = hours
  const page = [mode, sort, limit, offset, null]
  return pageOf(hours, await listTokens(db, [wallet.id, firstMs, lastMs, ...page]))
}

function pageOf(hours: WindowHours, found: readonly PageRow[]): TradedPage {
  const [first] = found
  if (first === undefined) return { hours, ...NOTHING }
  const totals = {
    realized: first.all_realized,
    volume_lamports: first.all_volume_lamports,
    buy_count: first.all_buy_count,
    sell_count: first.all_sell_count,
    covered_sell_count: first.all_covered_sell_count,
    win_count: first.all_win_count,
  }
  return { hours, total: first.total, totals, rows: found.filter(isTraded) }
}

/** Whether the row is of a mint: an empty page has one without. */
const isTraded = (row: PageRow): row is PageRow & TradedRow & { token_id: number } =>
  row.mint !== null
