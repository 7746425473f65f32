/** Stored ranking snapshots with the figures of their tokens: read without the product's queries. */

import type { Db } from '../../../sql/db.ts'

type Figures = (number | null)[]
/** `windows`: minutes of the windows of a token's row. */
type Token = { mint: string; windows: number[]; changes: Figures; figures: Figures }
type Ranked<Page> = Page & { tokens: Token[] }

/** `figures`: those of the page's window. */
type TrendingRow = Ranked<{
  window_minutes: number
  has_rugged: boolean
  sector: string
  total: number
}>
type MoverRow = Ranked<{ window_minutes: number; dex: number; is_gainer: boolean }>

const tokensOf = (columns: string): string =>
  `coalesce(
    json_agg(json_build_object('mint', token.mint, 'windows', token.window_minutes, ${columns}) order by place.number)
      filter (where place.number is not null),
    '[]'
  ) as tokens`

const TRENDING = `
  select page.window_minutes, page.has_rugged, page.sector, page.total,
    ${tokensOf("'changes', token.changes, 'figures', token.figures")}
  from trending_page page
  left join lateral unnest(page.token_ids) with ordinality as place (token_id, number) on true
  left join trending_token token on token.token_id = place.token_id
  group by page.window_minutes, page.has_rugged, page.sector, page.total
  order by 1, 2, 3`

const MOVERS = `
  select page.window_minutes, page.dex, page.is_gainer,
    ${tokensOf("'figures', token.figures")}
  from mover_page page
  left join lateral unnest(page.token_ids) with ordinality as place (token_id, number) on true
  left join mover_token token on token.token_id = place.token_id and token.dex = (
    select max(dex) from mover_token
    where token_id = place.token_id and dex in (0, page.dex)
  )
  group by page.window_minutes, page.dex, page.is_gainer
  order by 1, 2, 3`

const TREND_FIGURES = 9
const MOVER_FIGURES = 8

export async function readPages(db: Db): Promise<{ trending: TrendingRow[]; movers: MoverRow[] }> {
  const trending = await db.query<TrendingRow>(TRENDING)
  const movers = await db.query<MoverRow>(MOVERS)
  return {
    trending: trending.rows.map((row) => ofWindow(row, TREND_FIGURES)),
    movers: movers.rows.map((row) => ofWindow(row, MOVER_FIGURES)),
  }
}

function ofWindow<Row extends TrendingRow | MoverRow>(row: Row, count: number): Row {
  const tokens = row.tokens.map((token) => {
    const from = token.windows.indexOf(row.window_minutes) * count
    return { ...token, figures: token.figures.slice(from, from + count) }
  })
  return { ...row, tokens }
}
