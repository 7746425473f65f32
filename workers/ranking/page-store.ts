/** Pages as they are written: those that say something new, and which there are. */
import type { Connection, Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { int4Array, int8Array, plainArray, textArray } from '../binary-array.ts'
import type { Pages } from './board.ts'
import type { MoverPage, TrendingPage } from './pages.ts'

const mergeTrendingPages = query('ranking/merge_trending_pages')
const deleteTrendingPages = query('ranking/delete_trending_pages')
const mergeMoverPages = query('ranking/merge_mover_pages')
const mergeRoll = query('ranking/merge_roll')
const findRoll = query<{ newest_ms: number }>('ranking/find_roll')
const deleteChanges = query('ranking/delete_token_changes')

export class WrittenPages {
  /** What stands in each page, as far as this lane wrote it. */
  private texts = new Map<string, string>()

  /** Whether what this lane wrote stands no more: the server crashed, perhaps without a statement that failed. */
  async areGone(db: Queryable): Promise<boolean> {
    return this.texts.size > 0 && (await findRoll(db)).length === 0
  }

  /** The function that writes what of the pages is new. */
  writer(pages: Pages, feedSequence: number): (connection: Connection) => Promise<void> {
    const { newestMs, changeIds } = pages
    const before = this.texts
    const trending = keyed(pages.trending, ({ minutes, hasRugged, sector }) =>
      [minutes, hasRugged, sector].join(),
    )
    const movers = keyed(pages.movers, ({ minutes, dex }) => `${minutes} ${dex}`)
    this.texts = new Map()
    for (const [key, page] of trending) this.texts.set(key, `${page.total} ${page.entries}`)
    for (const [key, page] of movers) this.texts.set(key, `${page.gainers} ${page.losers}`)
    const isNew = ([key]: [string, unknown]): boolean => before.get(key) !== this.texts.get(key)
    const newTrending = trending.filter(isNew).map(([, page]) => page)
    const newMovers = movers.filter(isNew).map(([, page]) => page)
    const isSameSet =
      before.size === this.texts.size && [...this.texts.keys()].every((key) => before.has(key))
    return async (connection) => {
      if (!isSameSet) await deleteOthers(connection, pages.trending)
      if (newTrending.length > 0) await mergeTrending(connection, newTrending)
      if (newMovers.length > 0) await mergeMovers(connection, newMovers)
      if (changeIds.length > 0) await deleteChanges(connection, [int8Array(changeIds)])
      await mergeRoll(connection, [newestMs, feedSequence])
    }
  }
}

const keyed = <Page extends TrendingPage | MoverPage>(
  pages: readonly Page[],
  keyOf: (page: Page) => string,
): [string, Page][] => pages.map((page) => [keyOf(page), page])

function deleteOthers(connection: Connection, pages: readonly TrendingPage[]): Promise<unknown> {
  return deleteTrendingPages(connection, [
    pages.map(({ minutes }) => minutes),
    pages.map(({ hasRugged }) => hasRugged),
    pages.map(({ sector }) => sector),
  ])
}

function mergeTrending(connection: Connection, pages: readonly TrendingPage[]): Promise<unknown> {
  return mergeTrendingPages(connection, [
    int4Array(pages.map(({ minutes }) => minutes)),
    pages.map(({ hasRugged }) => hasRugged),
    textArray(pages.map(({ sector }) => sector)),
    int4Array(pages.map(({ total }) => total)),
    textArray(pages.map(({ entries }) => entries)),
  ])
}

function mergeMovers(connection: Connection, pages: readonly MoverPage[]): Promise<unknown> {
  return mergeMoverPages(connection, [
    int4Array(pages.map(({ minutes }) => minutes)),
    plainArray(pages.map(({ dex }) => dex)),
    textArray(pages.map(({ gainers }) => gainers)),
    textArray(pages.map(({ losers }) => losers)),
  ])
}
