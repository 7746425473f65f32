/** Reads trending tokens: a ranking snapshot of the ranking actor with the current prices of its tokens. */

import type { Int64 } from '../../../domain/amount.ts'
import {
  FORMULA_VERSION,
  TREND_FIGURES,
  type TrendingParts,
  type TrendWindow,
} from '../../../domain/ranking.ts'
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
  last_virtual_quote_reserves: Int64 | null
  /** US dollars a SOL. */
  rate: number | null
}

type TrendingWanted = {
  window: TrendWindow
  hasRugged: boolean
  sector: string | undefined
  limit: number
  offset: number
  /** Further windows whose changes are wanted; absent: none. */
  windows?: readonly TrendWindow[] | undefined
}

/** A token of a window. Changes are in percent, null without a priced trade; `otherChanges`: by the further windows. */
export type TrendingEntry = {
  tokenId: number
  mint: string
  score: number
  volumeSol: number
  changePct: number | null
  otherChanges: readonly (number | null)[]
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
  change_pct: number | null
  other_changes: (number | null)[] | null
}

const findPage = query<PageRow>('trending/find_page')
const listPrices = query<PriceRow>('trending/list_prices')

/** Nothing where no token of the sector traded, or the snapshot is of other formulas. */
export async function readTrending(
  db: Queryable,
  { window, hasRugged, sector, limit, offset, windows }: TrendingWanted,
): Promise<TrendingFound> {
  const page = [WINDOW_MINUTES[window], hasRugged, storedSearchKey(sector ?? '')]
  const others = windows?.map((each) => WINDOW_MINUTES[each]) ?? null
  const ranks = [offset + 1, offset + limit]
  const rows = await findPage(db, [...page, ...ranks, TREND_FIGURES, others, FORMULA_VERSION])
  const entries = rows.flatMap(entriesOf)
  const tokenIds = entries.map(({ tokenId }) => tokenId)
  const prices = tokenIds.length === 0 ? [] : await listPrices(db, [tokenIds])
  return {
    total: rows[0]?.total ?? 0,
    tokens: entries.map((entry, index) => ({ entry, price: prices[index]! })),
  }
}

/** Entries of a row; empty for one that carries only the total. */
function entriesOf(row: PageRow): TrendingEntry[] {
  const { mint, token_id: tokenId, score, volume_sol: volumeSol, change_pct: changePct } = row
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
  const otherChanges = row.other_changes ?? []
  return [{ tokenId, mint, score, volumeSol, changePct, otherChanges, parts }]
}
