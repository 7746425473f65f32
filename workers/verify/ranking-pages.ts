/** RankingSnapshot of rankings by their keys, in one text form for those that are served and those that were computed. */
import { WINDOW_MINUTES } from '../../domain/time/trade-window.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { WIDTHS } from '../ranking/series/window-metrics.ts'
import { movedFigures, plain, trendFigures } from '../ranking/snapshot/snapshot-rows.ts'
import type { MoverList, RankedToken, TrendingList } from '../ranking/snapshot/snapshots.ts'

/** Mints in their order, and the figures of each in the page's window, by token id. */
export type Page = {
  readonly total: number
  readonly mints: Map<number, string>
  readonly figures: Map<number, string>
}

type PageRow = {
  window_minutes: number
  has_rugged: boolean | null
  sector: string | null
  dex: number | null
  is_gainer: boolean | null
  total: number
  token_ids: number[]
}
type Figures = readonly (number | null)[]
type TokenRow = {
  token_id: number
  dex: number | null
  mint: string
  window_minutes: number[]
  changes: Figures | null
  figures: Figures
}

const listPages = query<PageRow>('verify/list_served_pages')
const listTokens = query<TokenRow>('verify/list_served_tokens')

const TREND_DEX = -1
const WINDOW_NAMES = new Map(Object.entries(WINDOW_MINUTES).map(([name, width]) => [width, name]))

const trendingKey = (minutes: number, hasRugged: boolean, sector: string): string =>
  `trending ${WINDOW_NAMES.get(minutes) ?? minutes}${sector && ` of "${sector}"`}${hasRugged ? ' with rugged' : ''}`
const moversKey = (minutes: number, dex: number, isGainer: boolean): string =>
  `${isGainer ? 'gainers' : 'losers'} ${WINDOW_NAMES.get(minutes) ?? minutes}${dex === 0 ? '' : ` of venue ${dex}`}`

const textOf = (figures: Figures): string => figures.join(' ')

export class StoredPages {
  private readonly pages = new Map<string, PageRow>()
  /** By venue, or TREND_DEX, and token. */
  private readonly tokens = new Map<string, TokenRow>()

  static async read(connection: Connection): Promise<StoredPages> {
    const stored = new StoredPages()
    for (const row of await listTokens(connection)) {
      stored.tokens.set(`${row.dex ?? TREND_DEX} ${row.token_id}`, row)
    }
    for (const row of await listPages(connection)) stored.pages.set(keyOf(row), row)
    return stored
  }

  keys(): Iterable<string> {
    return this.pages.keys()
  }

  page(key: string): Page | undefined {
    const row = this.pages.get(key)
    if (row === undefined) return undefined
    const page: Page = { total: row.total, mints: new Map(), figures: new Map() }
    for (const tokenId of row.token_ids) {
      const token = this.tokenOf(row.dex, tokenId)
      page.mints.set(tokenId, token?.mint ?? `token ${tokenId}, without figures`)
      page.figures.set(tokenId, token === undefined ? 'absent' : figuresIn(token, row))
    }
    return page
  }

  /** A token that traded on only one venue has no row of that venue. */
  private tokenOf(dex: number | null, tokenId: number): TokenRow | undefined {
    const own = this.tokens.get(`${dex ?? TREND_DEX} ${tokenId}`)
    return own ?? (dex === null ? undefined : this.tokens.get(`0 ${tokenId}`))
  }
}

function keyOf({ window_minutes, has_rugged, sector, dex, is_gainer }: PageRow): string {
  return dex === null
    ? trendingKey(window_minutes, has_rugged!, sector!)
    : moversKey(window_minutes, dex, is_gainer!)
}

function figuresIn(token: TokenRow, { window_minutes }: PageRow): string {
  const at = token.window_minutes.indexOf(window_minutes)
  if (at < 0) return 'absent'
  const count = token.figures.length / token.window_minutes.length
  const change = token.changes === null ? [] : [token.changes[at]!]
  return textOf([...change, ...token.figures.slice(at * count, (at + 1) * count)])
}

export class ComputedPages {
  private readonly pages = new Map<string, Page>()

  constructor({ trending, movers }: { trending: TrendingList[]; movers: MoverList[] }) {
    for (const { minutes, hasRugged, sector, total, tokens } of trending) {
      const at = WIDTHS.indexOf(minutes)
      const page = pageOf(total, tokens, ({ figures }) => {
        const window = figures[at]!
        return textOf([plain(window.changePct), ...trendFigures(window)])
      })
      this.pages.set(trendingKey(minutes, hasRugged, sector), page)
    }
    for (const { minutes, dex, isGainer, tokens } of movers) {
      const at = WIDTHS.indexOf(minutes)
      const page = pageOf(0, tokens, ({ figures }) => textOf(movedFigures(figures[at], dex)))
      this.pages.set(moversKey(minutes, dex, isGainer), page)
    }
  }

  keys(): Iterable<string> {
    return this.pages.keys()
  }

  page(key: string): Page | undefined {
    return this.pages.get(key)
  }
}

function pageOf(
  total: number,
  tokens: readonly RankedToken[],
  figures: (token: RankedToken) => string,
): Page {
  return {
    total,
    mints: new Map(tokens.map(({ tokenId, mint }) => [tokenId, mint])),
    figures: new Map(tokens.map((token) => [token.tokenId, figures(token)])),
  }
}
