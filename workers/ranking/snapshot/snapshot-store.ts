/**
 * Writes the ranking snapshot: only the lists and figures that differ from the stored ones, in one transaction with
 * the instant of the refresh.
 *
 * Invariant: the stored figures of a listed token are those of the snapshot's refresh. A token that left all lists
 * is an orphan; its row remains as it was until there are many.
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
import type { MoverList, RankedToken, RankingSnapshot, TrendingList } from './snapshots.ts'

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

/** Largest number of orphaned rows beyond the number of listed tokens. */
const ORPHANS_MAX = 5_000
/** Number of venue ids with EVERY_VENUE: the factor of the token in a key of token and venue. */
const DEXES = DEX_MAX + 1

/** Connections that created the staging tables; those of a failed transaction are closed with it. */
const staged = new WeakSet<Connection>()

/** A list as stored: the ids of its tokens in order. */
type StoredList = { readonly total: number; readonly ids: readonly number[] }
type WithIds<Page> = Page & { readonly ids: readonly number[] }

export class StoredSnapshots {
  private pages = new Map<string, StoredList>()
  /** The FEED sequence of the stored snapshot. */
  private storedSequence: number | undefined
  private trending: StoredRows
  /** By token and venue. */
  private movers: StoredRows
  private isErased = false
  private readonly orphansMax: number

  constructor(orphansMax: number = ORPHANS_MAX) {
    this.orphansMax = orphansMax
    this.trending = new StoredRows(orphansMax)
    this.movers = new StoredRows(orphansMax)
  }

  /**
   * Whether the snapshot that this lane wrote is lost, or of another formula version. A crash of the server empties
   * unlogged tables, perhaps without an error on a connection. A snapshot of the lane's previous owner is replaced
   * by the first refresh in any case.
   */
  async isLost(db: Queryable): Promise<boolean> {
    return this.pages.size > 0 && (await findRefresh(db, [FORMULA_VERSION])).length === 0
  }

  /** Returns a writer of the FEED sequence of an unchanged snapshot; undefined where it is stored already. */
  progressWriter(feedSequence: number): ((connection: Connection) => Promise<void>) | undefined {
    if (this.storedSequence === feedSequence) return undefined
    this.storedSequence = feedSequence
    return async (connection) => {
      await noteRead(connection, [feedSequence, FORMULA_VERSION])
    }
  }

  /** Returns a function that deletes the snapshot once no swap is left; undefined where it is deleted already. */
  eraser(): ((connection: Connection) => Promise<void>) | undefined {
    if (this.isErased) return undefined
    this.isErased = true
    this.pages = new Map()
    this.storedSequence = undefined
    this.trending = new StoredRows(this.orphansMax)
    this.movers = new StoredRows(this.orphansMax)
    return async (connection) => {
      await deleteRanked(connection)
      await deleteRefresh(connection)
    }
  }

  /** Returns a writer of the difference between this snapshot and the stored one. */
  writer(pages: RankingSnapshot, feedSequence: number): (connection: Connection) => Promise<void> {
    const { newestMs, changeIds } = pages
    this.storedSequence = feedSequence
    this.isErased = false
    const before = this.pages
    this.pages = new Map()
    const trending = pages.trending.flatMap((page) => {
      const { minutes, hasRugged, sector, total } = page
      return this.changedList(before, [minutes, hasRugged, sector].join(), total, page)
    })
    const movers = pages.movers.flatMap((page) => {
      const { minutes, dex, isGainer } = page
      return this.changedList(before, `${minutes} ${dex} ${isGainer}`, 0, page)
    })
    const isFirst = before.size === 0
    const isSameSet =
      before.size === this.pages.size && [...this.pages.keys()].every((key) => before.has(key))
    const tokens = this.newTokens(pages)
    const newMovers = this.newMovers(pages)
    const trendingRows = tokens.length > 0 ? encodeTrending(tokens) : undefined
    const moverRows = newMovers.length > 0 ? encodeMovers(newMovers) : undefined
    const orphans = this.trending.takeOrphans()
    const orphanMovers = this.movers.takeOrphans()

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
      if (orphans.length > 0) yield deleteTrendingTokens(connection, [int4Array(orphans)])
      if (orphanMovers.length > 0) yield deleteMovers(connection, orphanMovers)
      if (changeIds.length > 0) yield deleteChanges(connection, [int8Array(changeIds)])
      yield mergeRefresh(connection, [newestMs, feedSequence, FORMULA_VERSION])
    }
    return async (connection) => {
      for (const statement of statements(connection)) await statement
    }
  }

  /** Records a list; returns it with the ids of its tokens where the stored one differs or is absent. */
  private changedList<Page extends { readonly tokens: readonly RankedToken[] }>(
    before: ReadonlyMap<string, StoredList>,
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

  /** Listed trending tokens whose stored figures differ. */
  private newTokens({ trending }: RankingSnapshot): RankedToken[] {
    this.trending.begin()
    const found: RankedToken[] = []
    for (const { tokens } of trending) {
      for (const token of tokens) if (this.trending.put(token.tokenId, token)) found.push(token)
    }
    return found
  }

  /**
   * Listed movers whose stored figures differ. A token that traded on one venue only needs no row of that venue:
   * its figures there equal those of all venues.
   */
  private newMovers({ movers }: RankingSnapshot): Mover[] {
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

const keyOf = ({ tokenId }: RankedToken, dex: number): number => tokenId * DEXES + dex

/** The stored rows, by key: their metrics, and the refresh that last listed them. */
class StoredRows {
  private readonly tokens = new Map<number, { figures: TokenMetrics; refresh: number }>()
  private refresh = 0
  /** Rows that are listed in this refresh. */
  private count = 0
  private readonly orphansMax: number

  constructor(orphansMax: number) {
    this.orphansMax = orphansMax
  }

  begin(): void {
    this.refresh += 1
    this.count = 0
  }

  /** Marks a row as listed in this refresh; returns whether it must be written. */
  put(key: number, { figures }: RankedToken): boolean {
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

  /** Removes and returns the orphans once they are too many: their rows are to be deleted. */
  takeOrphans(): number[] {
    if (this.tokens.size - this.count <= this.count + this.orphansMax) return []
    const orphans: number[] = []
    for (const [key, { refresh }] of this.tokens) if (refresh !== this.refresh) orphans.push(key)
    for (const key of orphans) this.tokens.delete(key)
    return orphans
  }
}

function deleteOthers(connection: Connection, pages: readonly TrendingList[]): Promise<unknown> {
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
  pages: readonly WithIds<TrendingList>[],
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
  pages: readonly WithIds<MoverList>[],
): Promise<unknown> {
  return mergeMoverSnapshots(connection, [
    int4Array(pages.map(({ minutes }) => minutes)),
    plainArray(pages.map(({ dex }) => dex)),
    pages.map(({ isGainer }) => isGainer),
    ...idsOf(pages),
  ])
}

/** End offsets of the ids of each list, and the ids of all lists. */
function idsOf(pages: readonly { readonly ids: readonly number[] }[]): [Buffer, Buffer] {
  let end = 0
  const ends = pages.map(({ ids }) => (end += ids.length))
  return [int4Array(ends), int4Array(pages.flatMap(({ ids }) => ids))]
}
