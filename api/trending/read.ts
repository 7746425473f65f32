/** Reads of trending tokens: a page that the ranking actor rolled, and what its tokens cost now. */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import {
  type TrendingEntry,
  type TrendWindow,
  trendingEntries,
  WINDOW_MINUTES,
} from '../../streams/ranking.ts'

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

/** Tokens of the page in order, each with its price. */
export type TrendingFound = { total: number; tokens: { entry: TrendingEntry; price: PriceRow }[] }

const findPage = query<{ total: number; entries: string }>('trending/find_page')
const listPrices = query<PriceRow>('trending/list_prices')

/** Nothing where no token of the sector traded. */
export async function readTrending(
  db: Queryable,
  { window, hasRugged, sector, limit, offset }: TrendingWanted,
): Promise<TrendingFound> {
  const [page] = await findPage(db, [WINDOW_MINUTES[window], hasRugged, sector ?? ''])
  if (page === undefined) return { total: 0, tokens: [] }
  const entries = trendingEntries(page.entries, offset, offset + limit)
  const prices = await listPrices(db, [entries.map(([tokenId]) => tokenId)])
  return {
    total: page.total,
    tokens: entries.map((entry, index) => ({ entry, price: prices[index]! })),
  }
}
