/**
 * The site map: what search engines may list, as sitemaps.org defines it. Pages, wallets of the leaderboard, and tokens, by when
 * they last changed.
 *
 * ```
 * tokens of one part or fewer -> /sitemap.xml lists all
 * more                        -> /sitemap.xml is an index of /sitemap/pages.xml and /sitemap/tokens-N.xml, the newest first
 * ```
 * Bounded: so many parts of so many tokens, the newest ones, and the first ranks of wallets. A part is made of ids, so that a
 * token stays where it is.
 */
import { query } from '../../../sql/query.ts'
import type { Cache } from '../../gateway/cache/cache.ts'
import type { Reader } from '../../routing/reading/reader.ts'
import { escaped } from './texts.ts'

type SiteMap = {
  /** `/sitemap.xml`. */
  whole(origin: string, signal: AbortSignal): Promise<string>
  /** A part by its name; undefined for one that the index does not name. */
  part(name: string, origin: string, signal: AbortSignal): Promise<string | undefined>
}

type SiteMapDeps = {
  reader: Reader
  cache: Cache
  /** Tokens of a part; absent: 10,000. */
  tokensPerMap?: number | undefined
}

/** `changedMs`: Unix ms. */
type Listed = { path: string; changedMs?: number | undefined }
type Changed = { account: string; changed_ms: number }

const TOKENS_PER_MAP = 10_000
/** Newest parts of tokens. */
const TOKEN_MAPS_MAX = 50
/** Pages of 1,000 ranks. */
const RANK_PAGES = 5
const RANKING = ['30d', 'adjusted', RANK_PAGES] as const
/** Seconds that a part is cached. */
const CACHE_SECONDS = 600
const PAGES_PART = 'pages'
const TOKENS_PART = /^tokens-(\d{1,9})$/
const XML = '<?xml version="1.0" encoding="UTF-8"?>'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

const findNewestToken = query<{ id: number | null }>('sitemap/find_newest_token')
const listRankedWallets = query<Changed>('sitemap/list_ranked_wallets')
const listTradedTokens = query<Changed>('sitemap/list_traded_tokens')

const PAGES: readonly Listed[] = [{ path: '/' }, { path: '/leaderboard' }, { path: '/screener' }]

export function openSiteMap({
  reader,
  cache,
  tokensPerMap = TOKENS_PER_MAP,
}: SiteMapDeps): SiteMap {
  const cached = async <Value>(
    name: string,
    signal: AbortSignal,
    read: (until: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    const { cached: found } = await cache.through(`sitemap:${name}`, signal, async (until) => ({
      body: JSON.stringify(await read(until)),
      seconds: CACHE_SECONDS,
    }))
    return JSON.parse(found.body) as Value
  }
  const newestMap = (signal: AbortSignal): Promise<number> =>
    cached('newest', signal, (until) =>
      reader.run(until, async (db) => {
        const [row] = await findNewestToken(db, [])
        return Math.floor((row?.id ?? 0) / tokensPerMap)
      }),
    )
  const listWallets = (signal: AbortSignal): Promise<Listed[]> =>
    cached('wallets', signal, (until) =>
      reader.run(until, async (db) =>
        listed('/wallet/', await listRankedWallets(db, [...RANKING])),
      ),
    )
  const listTokens = (number: number, signal: AbortSignal): Promise<Listed[]> =>
    cached(`tokens-${tokensPerMap}-${number}`, signal, (until) =>
      reader.run(until, async (db) => {
        const bounds = [number * tokensPerMap, (number + 1) * tokensPerMap]
        return listed('/token/', await listTradedTokens(db, bounds))
      }),
    )
  return {
    async whole(origin, signal) {
      const newest = await newestMap(signal)
      if (newest > 0) return indexOf(origin, newest)
      const [wallets, tokens] = await Promise.all([listWallets(signal), listTokens(0, signal)])
      return urlSet(origin, [...PAGES, ...wallets, ...tokens])
    },
    async part(name, origin, signal) {
      const newest = await newestMap(signal)
      if (newest === 0) return undefined
      if (name === PAGES_PART) return urlSet(origin, [...PAGES, ...(await listWallets(signal))])
      const number = Number(TOKENS_PART.exec(name)?.[1] ?? Number.NaN)
      const isNamed =
        number <= newest && number > newest - TOKEN_MAPS_MAX && name === partOf(number)
      return isNamed ? urlSet(origin, await listTokens(number, signal)) : undefined
    },
  }
}

const partOf = (number: number): string => `tokens-${number}`

function listed(path: string, rows: readonly Changed[]): Listed[] {
  return rows.map(({ account, changed_ms }) => ({
    path: path + account,
    changedMs: Number(changed_ms),
  }))
}

function indexOf(origin: string, newest: number): string {
  const count = Math.min(newest + 1, TOKEN_MAPS_MAX)
  const names = [PAGES_PART, ...Array.from({ length: count }, (_, at) => partOf(newest - at))]
  const maps = names.map((name) => `<sitemap>${location(origin, `/sitemap/${name}.xml`)}</sitemap>`)
  return `${XML}\n<sitemapindex xmlns="${NAMESPACE}">\n${maps.join('\n')}\n</sitemapindex>\n`
}

function urlSet(origin: string, pages: readonly Listed[]): string {
  const urls = pages.map(({ path, changedMs }) => {
    const changed = changedMs === undefined ? '' : `<lastmod>${timeText(changedMs)}</lastmod>`
    return `<url>${location(origin, path)}${changed}</url>`
  })
  return `${XML}\n<urlset xmlns="${NAMESPACE}">\n${urls.join('\n')}\n</urlset>\n`
}

const location = (origin: string, path: string): string => `<loc>${escaped(origin + path)}</loc>`

/** To the second: 2026-07-01T00:00:00Z. */
const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
