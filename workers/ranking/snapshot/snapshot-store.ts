/**
 * The pages to be written, and the stored rows of their tokens: which exist, and which figures are new.
 *
 * Invariant: a token on a page is stored with the figures of its refresh, since a refresh is one transaction. A token
 * that is on no page any more may remain as it was, until there are too many of them.
 */

import { EVERY_VENUE, FORMULA_VERSION } from '../../../domain/ranking.ts'
import { DEX_MAX } from '../../../domain/venue.ts'
import { int4Array, int8Array, plainArray } from '../../../sql/binary/arrays.ts'
import { copyIn } from '../../../sql/binary/copy-writer.ts'
import type { Connection } from '../../../sql/db.ts'
import { pooledClientOf } from '../../../sql/driver/pooler.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { type TokenMetrics, WIDTHS } from '../series/window-metrics.ts'
import {
  COPY_MOVER_STAGE,
  COPY_TRENDING_STAGE,
  encodeMovers,
  encodeTrending,
  type Mover,
} from './snapshot-rows.ts'
import type { MoverPage, Pages, Ranked, TrendingPage } from './snapshots.ts'

const createTrendingStage = query('ranking/create_trending_stage')
const createMoverStage = query('ranking/create_mover_stage')
const deleteRanked = query('ranking/delete_ranked')
const mergeTrendingSnapshots = query('ranking/merge_trending_snapshots')
const deleteTrendingSnapshots = query('ranking/delete_trending_snapshots')
const mergeMoverSnapshots = query('ranking/merge_mover_snapshots')
const mergeTrendingTokens = query('ranking/merge_trending_tokens')
const deleteTrendingTokens = query('ranking/delete_trending_tokens')
const mergeMoverTokens = query('ranking/merge_mover_tokens')
const deleteMoverTokens = query('ranking/delete_mover_tokens')
const mergeRefresh = query('ranking/merge_refresh')
const noteRead = query('ranking/note_read')
const findRefresh = query<{ newest_ms: number }>('ranking/find_refresh')
const deleteChanges = query('ranking/delete_token_changes')
const deleteRefresh = query('ranking/delete_refresh')

/** Stored tokens that are on no page, at most: so many more than those that are on one. */
const STRAYS_MAX = 5_000
/** Ids of venues and EVERY_VENUE: factor of the token in a key of token and venue. */
const DEXES = DEX_MAX + 1

/** Connections that have their stages: those of a failed transaction are closed with it. */
const staged = new WeakSet<Connection>()

/** A stored page: its tokens by their ids. */
type RankedPage = { readonly total: number; readonly ids: readonly number[] }
type WithIds<Page> = Page & { readonly ids: readonly number[] }

export class StoredSnapshots {
  private pages = new Map<string, RankedPage>()
  /** Up to where FEED is in the snapshot, as stored. */
  private notedSequence: number | undefined
  private trending: RankedTokens
  /** By token and venue. */
  private movers: RankedTokens
  private isErased = false
  private readonly straysMax: number

  constructor(straysMax: number = STRAYS_MAX) {
    this.straysMax = straysMax
    this.trending = new RankedTokens(straysMax)
    this.movers = new RankedTokens(straysMax)
  }

  /**
   * Whether the snapshot that this lane wrote is gone, because the server crashed, perhaps without a statement that
   * failed, or is of other formulas. One that another lane left is replaced by the first refresh, whatever it is.
   */
  async areGone(db: Queryable): Promise<boolean> {
    return this.pages.size > 0 && (await findRefresh(db, [FORMULA_VERSION])).length === 0
  }

  /** The function that notes how far FEED is in an unchanged snapshot; undefined where that is noted. */
  noter(feedSequence: number): ((connection: Connection) => Promise<void>) | undefined {
    if (this.notedSequence === feedSequence) return undefined
    this.notedSequence = feedSequence
    return async (connection) => {
      await noteRead(connection, [feedSequence, FORMULA_VERSION])
    }
  }

  /** The function that deletes the snapshot, where no swap is left to rank; undefined where that is done. */
  eraser(): ((connection: Connection) => Promise<void>) | undefined {
    if (this.isErased) return undefined
    this.isErased = true
    this.pages = new Map()
    this.notedSequence = undefined
    this.trending = new RankedTokens(this.straysMax)
    this.movers = new RankedTokens(this.straysMax)
    return async (connection) => {
      await deleteRanked(connection)
      await deleteRefresh(connection)
    }
  }

  /** The function that writes what of the pages is new. */
  writer(pages: Pages, feedSequence: number): (connection: Connection) => Promise<void> {
    const { newestMs, changeIds } = pages
    this.notedSequence = feedSequence
    this.isErased = false
    const before = this.pages
    this.pages = new Map()
    const trending = pages.trending.flatMap((page) => {
      const { minutes, hasRugged, sector, total } = page
      return this.newIn(before, [minutes, hasRugged, sector].join(), total, page)
    })
    const movers = pages.movers.flatMap((page) => {
      const { minutes, dex, isGainer } = page
      return this.newIn(before, `${minutes} ${dex} ${isGainer}`, 0, page)
    })
    const isFirst = before.size === 0
    const isSameSet =
      before.size === this.pages.size && [...this.pages.keys()].every((key) => before.has(key))
    const tokens = this.newTokens(pages)
    const newMovers = this.newMovers(pages)
    const trendingRows = tokens.length > 0 ? encodeTrending(tokens) : undefined
    const moverRows = newMovers.length > 0 ? encodeMovers(newMovers) : undefined
    const strays = this.trending.takeStrays()
    const strayMovers = this.movers.takeStrays()

    function* statements(connection: Connection): Generator<Promise<unknown>> {
      if (!staged.has(connection) || pooledClientOf(connection) !== undefined) {
        yield createTrendingStage(connection)
        yield createMoverStage(connection)
        staged.add(connection)
      }
      if (isFirst) yield deleteRanked(connection)
      else if (!isSameSet) yield deleteOthers(connection, pages.trending)
      if (trending.length > 0) yield mergeTrending(connection, trending)
      if (movers.length > 0) yield mergeMovers(connection, movers)
      if (trendingRows !== undefined) {
        yield copyIn(connection, COPY_TRENDING_STAGE, trendingRows)
        yield mergeTrendingTokens(connection)
      }
      if (moverRows !== undefined) {
        yield copyIn(connection, COPY_MOVER_STAGE, moverRows)
        yield mergeMoverTokens(connection)
      }
      if (strays.length > 0) yield deleteTrendingTokens(connection, [int4Array(strays)])
      if (strayMovers.length > 0) yield deleteMovers(connection, strayMovers)
      if (changeIds.length > 0) yield deleteChanges(connection, [int8Array(changeIds)])
      yield mergeRefresh(connection, [newestMs, feedSequence, FORMULA_VERSION])
    }
    return async (connection) => {
      for (const statement of statements(connection)) await statement
    }
  }

  /** Notes a page; returns it where the stored one differs or is missing. */
  private newIn<Page extends { readonly tokens: readonly Ranked[] }>(
    before: ReadonlyMap<string, RankedPage>,
    key: string,
    total: number,
    page: Page,
  ): WithIds<Page>[] {
    const ids = page.tokens.map(({ tokenId }) => tokenId)
    this.pages.set(key, { total, ids })
    const known = before.get(key)
    const isSame =
      known?.total === total &&
      known.ids.length === ids.length &&
      known.ids.every((id, index) => id === ids[index])
    return isSame ? [] : [{ ...page, ids }]
  }

  /** Tokens of pages whose figures differ from the stored ones. */
  private newTokens({ trending }: Pages): Ranked[] {
    this.trending.begin()
    const found: Ranked[] = []
    for (const { tokens } of trending) {
      for (const token of tokens) if (this.trending.put(token.tokenId, token)) found.push(token)
    }
    return found
  }

  /**
   * Movers of pages, likewise. A token that traded on one venue alone needs no row of that venue: its figures
   * of all venues are those of that one.
   */
  private newMovers({ movers }: Pages): Mover[] {
    this.movers.begin()
    const found: Mover[] = []
    for (const { minutes, dex: pageDex, tokens } of movers) {
      const index = WIDTHS.indexOf(minutes)
      for (const token of tokens) {
        const own = keyOf(token, pageDex)
        const isAlone = token.figures[index]?.venue === pageDex && !this.movers.has(own)
        const dex = isAlone ? EVERY_VENUE : pageDex
        if (this.movers.put(keyOf(token, dex), token)) found.push({ token, dex })
      }
    }
    return found
  }
}

const keyOf = ({ tokenId }: Ranked, dex: number): number => tokenId * DEXES + dex

/** The figures whose rows are stored, by a key. */
class RankedTokens {
  private readonly tokens = new Map<number, { figures: TokenMetrics; refresh: number }>()
  private refresh = 0
  /** Tokens of this refresh. */
  private count = 0
  private readonly straysMax: number

  constructor(straysMax: number) {
    this.straysMax = straysMax
  }

  begin(): void {
    this.refresh += 1
    this.count = 0
  }

  /** The token is on a page of this refresh; answers whether its row is to be written for that. */
  put(key: number, { figures }: Ranked): boolean {
    const ranked = this.tokens.get(key)
    if (ranked?.refresh === this.refresh) return false
    this.count += 1
    if (ranked === undefined) {
      this.tokens.set(key, { figures, refresh: this.refresh })
      return true
    }
    ranked.refresh = this.refresh
    if (ranked.figures === figures) return false
    ranked.figures = figures
    return true
  }

  has(key: number): boolean {
    return this.tokens.has(key)
  }

  /** Keys of those that are on no page, where they are many: their rows are to go. */
  takeStrays(): number[] {
    if (this.tokens.size - this.count <= this.count + this.straysMax) return []
    const strays: number[] = []
    for (const [key, { refresh }] of this.tokens) if (refresh !== this.refresh) strays.push(key)
    for (const key of strays) this.tokens.delete(key)
    return strays
  }
}

function deleteOthers(connection: Connection, pages: readonly TrendingPage[]): Promise<unknown> {
  return deleteTrendingSnapshots(connection, [
    pages.map(({ minutes }) => minutes),
    pages.map(({ hasRugged }) => hasRugged),
    pages.map(({ sector }) => sector),
  ])
}

function deleteMovers(connection: Connection, keys: readonly number[]): Promise<unknown> {
  return deleteMoverTokens(connection, [
    int4Array(keys.map((key) => Math.floor(key / DEXES))),
    plainArray(keys.map((key) => key % DEXES)),
  ])
}

function mergeTrending(
  connection: Connection,
  pages: readonly WithIds<TrendingPage>[],
): Promise<unknown> {
  return mergeTrendingSnapshots(connection, [
    int4Array(pages.map(({ minutes }) => minutes)),
    pages.map(({ hasRugged }) => hasRugged),
    pages.map(({ sector }) => sector),
    int4Array(pages.map(({ total }) => total)),
    ...idsOf(pages),
  ])
}

function mergeMovers(
  connection: Connection,
  pages: readonly WithIds<MoverPage>[],
): Promise<unknown> {
  return mergeMoverSnapshots(connection, [
    int4Array(pages.map(({ minutes }) => minutes)),
    plainArray(pages.map(({ dex }) => dex)),
    pages.map(({ isGainer }) => isGainer),
    ...idsOf(pages),
  ])
}

/** Where the ids of each page end among those of all, and these. */
function idsOf(pages: readonly { readonly ids: readonly number[] }[]): [Buffer, Buffer] {
  let end = 0
  const ends = pages.map(({ ids }) => (end += ids.length))
  return [int4Array(ends), int4Array(pages.flatMap(({ ids }) => ids))]
}
