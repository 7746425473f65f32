/** Reads trending tokens: a ranking snapshot of the ranking actor with the current prices of its tokens. */

import type { Int64 } from '../../../domain/amount.ts'
import { type TrendingParts, type TrendWindow, trendFiguresAt } from '../../../domain/ranking.ts'
import { storedSearchKey } from '../../../domain/text/search-key.ts'
import { WINDOW_MINUTES } from '../../../domain/time/trade-window.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

export type PriceRow = {
  token_id: number
  /** SOL per whole token. The columns below are null without one. */
  price: number | null
  dex: number | null
  last_sol_reserves: Int64 | null
  migrated_at_ms: number | null
  /** US dollars a SOL. */
  rate: number | null
}

export type TrendingWanted = {
  window: TrendWindow
  hasRugged: boolean
  sector: string | undefined
  limit: number
  offset: number
}

/** A token of a window; `changes` by TREND_WINDOWS, in percent, null without a priced trade. */
export type TrendingEntry = {
  tokenId: number
  mint: string
  score: number
  volumeSol: number
  changes: readonly (number | null)[]
  parts: TrendingParts
}

/** Tokens of the page in order, each with its price. */
export type TrendingFound = { total: number; tokens: { entry: TrendingEntry; price: PriceRow }[] }

type PageRow = {
  total: number
  token_id: number
  mint: string | null
  score: number
  volume_sol: number
  vol_velocity: number
  unique_buyers: number
  vol_acceleration: number
  buyer_acceleration: number
  dev_sell_penalty: number
  holder_growth: number | null
  top10_penalty: number | null
  /** By TREND_WINDOWS. */
  changes: (number | null)[]
}

const findPage = query<PageRow>('trending/find_page')
const listPrices = query<PriceRow>('trending/list_prices')

/** Nothing where no token of the sector traded. */
export async function readTrending(
  db: Queryable,
  { window, hasRugged, sector, limit, offset }: TrendingWanted,
): Promise<TrendingFound> {
  const page = [WINDOW_MINUTES[window], hasRugged, storedSearchKey(sector ?? '')]
  const rows = await findPage(db, [...page, offset + 1, offset + limit, trendFiguresAt(window)])
  const entries = rows.flatMap(entriesOf)
  const tokenIds = entries.map(({ tokenId }) => tokenId)
  const prices = tokenIds.length === 0 ? [] : await listPrices(db, [tokenIds])
  return {
    total: rows[0]?.total ?? 0,
    tokens: entries.map((entry, index) => ({ entry, price: prices[index]! })),
  }
}

/** None for a row that carries only the total. */
function entriesOf(row: PageRow): TrendingEntry[] {
  const { mint, token_id: tokenId, score, volume_sol: volumeSol, changes } = row
  if (mint === null) return []
  const parts: TrendingParts = [
    row.vol_velocity,
    row.unique_buyers,
    row.vol_acceleration,
    row.buyer_acceleration,
    row.dev_sell_penalty,
    row.holder_growth,
    row.top10_penalty,
  ]
  return [{ tokenId, mint, score, volumeSol, changes, parts }]
}
