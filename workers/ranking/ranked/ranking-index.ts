/**
 * The ranking index: the time series and metrics of all tokens that traded in the last day, and the lists ranked
 * from them. It is refreshed about every one and a half seconds while swaps arrive.
 *
 * Invariant: the index is a pure function of the tables, so a restart computes the same metrics. A refresh re-reads
 * the tokens that were touched since the last one, and as the newest minute advances it recomputes the windows at
 * whose edges a token traded. A retraction may change anything of a token, so the token is dropped and read as if
 * new; if the newest minute itself goes back, all tokens are, because minutes before the windows were dropped.
 * Nothing else changes what is ranked.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { DAY_MINUTES, HOUR_MINUTES, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { type FeedHeads, HolderRefresher } from '../holders/holder-refresher.ts'
import { readFrom } from '../series/series-store.ts'
import { dropExpired, SERIES_MINUTES, type TokenSeries } from '../series/token-series.ts'
import {
  ALL_WINDOW_BITS,
  changedWindowBits,
  edgesBetween,
  metricsOf,
  nextChange,
} from '../series/window-metrics.ts'
import { type RankedToken, type RankingSnapshot, Rankings } from '../snapshot/snapshots.ts'
import { forEachPage } from '../token-pages.ts'
import { emptySeries, listActiveTokens, readTokens, type TokenRow } from './index-store.ts'

const readNewest = query<{ newest_ms: number | null }>('ranking/read_newest')
const listChanges = query<ChangeRow>('ranking/list_token_changes')

type ChangeRow = { id: number; token_id: number; wallet_id: number | null; of_candles: boolean }

/** Rows of `token_change` that a refresh applies; more wait for the next. */
const CHANGES_PER_REFRESH = 20_000
/** Tokens whose metrics are recomputed before the event loop runs again. */
const TOKENS_PER_YIELD = 2_000
/** Facts of every token are re-read within so many refreshes, changed or not. */
const REREAD_REFRESHES = 200
/**
 * How many minutes back tokens are re-read. A token is read with those of the next longer span: nearly all were
 * touched in the last minute, some as a minute ended, few long ago.
 */
const REREAD_SPANS = [0, 1, 4, 15, HOUR_MINUTES, 4 * HOUR_MINUTES, DAY_MINUTES, SERIES_MINUTES]

/** Marks a token as touched at no known minute: its whole series is read. */
const WHOLE_SERIES = Number.POSITIVE_INFINITY

/** If the newest minute advances by more than this at once, all tokens are recomputed. */
const ADVANCE_MINUTES_MAX = 5

/**
 * `changesAt`: the end of windows at which an edge next changes metrics. `awaitsCreator`: the creator's wallet has
 * not traded, so it has no id yet; no `token_change` row reports when it does.
 */
type IndexedToken = TokenSeries & {
  readonly ranked: RankedToken
  changesAt: number
  awaitsCreator: boolean
}

export class RankingIndex {
  private readonly db: Db
  private readonly holders: HolderRefresher
  private readonly tokens = new Map<number, IndexedToken>()
  private rankings = new Rankings()
  /** By token: the earliest minute touched since the last refresh. */
  private touched = new Map<number, number>()
  /** Tokens with a trade that was retracted since the last refresh. */
  private readonly retracted = new Set<number>()
  /** Tokens whose facts have yet to be re-read in this round. */
  private toReread: number[] = []
  private endMinute: number | undefined
  /** Whether any swap was indexed at the last refresh; undefined before the first. */
  hasSwaps: boolean | undefined

  constructor(db: Db, feedHeads: FeedHeads) {
    this.db = db
    this.holders = new HolderRefresher(db, feedHeads)
  }

  get tokenCount(): number {
    return this.tokens.size
  }

  /**
   * Records a trade of a wallet in this wallet lane, so that the next refresh re-reads the minute and the position.
   */
  note(tokenId: number, timestamp: number, walletId: number, walletLane: number): void {
    this.holders.note(tokenId, walletId, walletLane)
    const minute = minuteOf(timestamp)
    const known = this.touched.get(tokenId)
    if (known === undefined || minute < known) this.touched.set(tokenId, minute)
  }

  /** Records a retracted trade: the token is read as if new. */
  noteRetracted(tokenId: number, timestamp: number, walletId: number, walletLane: number): void {
    this.note(tokenId, timestamp, walletId, walletLane)
    this.retracted.add(tokenId)
  }

  /** The current snapshot; undefined when nothing changed, or no swap is indexed. */
  async refresh(): Promise<RankingSnapshot | undefined> {
    const [newest] = await readNewest(this.db)
    this.hasSwaps = newest !== undefined && newest.newest_ms !== null
    if (newest === undefined || newest.newest_ms === null) {
      this.dropAll()
      return undefined
    }
    const endMinute = minuteOf(newest.newest_ms)
    if (this.endMinute !== undefined && endMinute < this.endMinute) this.dropAll()
    for (const tokenId of this.retracted) this.drop(tokenId)
    this.retracted.clear()
    const isFirst = this.endMinute === undefined
    const before = this.endMinute
    const touched = this.touched
    this.touched = new Map()
    const changes = await listChanges(this.db, [CHANGES_PER_REFRESH])
    const whole = changes.filter((row) => row.of_candles).map((row) => row.token_id)
    if (isFirst) {
      const from = (endMinute - DAY_MINUTES) * MINUTE_MS
      for (const row of await listActiveTokens(this.db, [from])) whole.push(row.token_id)
    }
    for (const tokenId of whole) if (!touched.has(tokenId)) touched.set(tokenId, WHOLE_SERIES)
    await this.holders.touch(touched.keys())
    const changed = new Set(touched.keys())
    await this.readTouched(touched, new Set(whole), endMinute)
    const others = changes.filter((row) => !row.of_candles)
    const tokenIds = others.filter((row) => row.wallet_id === null).map((row) => row.token_id)
    const suspects = [...tokenIds, ...this.inFirstMinute(touched)]
    for (const tokenId of await this.rereadFacts(suspects, endMinute)) changed.add(tokenId)
    this.holders.invalidate(tokenIds)
    for (const { token_id, wallet_id } of others) {
      if (wallet_id !== null) this.holders.invalidateWallet(token_id, wallet_id)
    }
    const read = await this.holders.read(this.tokens, endMinute, isFirst)
    for (const tokenId of read) changed.add(tokenId)
    this.endMinute = endMinute
    if (before === endMinute && changed.size === 0 && changes.length === 0) return undefined
    await this.recompute(changed, before, endMinute)
    const pages = this.rankings.lists(() => this.ranked())
    const changeIds = changes.map(({ id }) => id)
    return { newestMs: newest.newest_ms, ...pages, changeIds }
  }

  /** Removes the token from the index. */
  private drop(tokenId: number): void {
    const token = this.tokens.get(tokenId)
    if (token === undefined) return
    this.rankings.put(token.ranked, null, [])
    this.tokens.delete(tokenId)
    this.holders.forget(tokenId)
  }

  private dropAll(): void {
    for (const tokenId of this.tokens.keys()) this.holders.forget(tokenId)
    this.tokens.clear()
    this.rankings = new Rankings()
    this.toReread = []
    this.endMinute = undefined
  }

  /**
   * Tokens touched in the minute of their first swap: another swap of its slot may make another pool the first, and
   * so change the creator, which no `token_change` row reports.
   */
  private inFirstMinute(touched: ReadonlyMap<number, number>): number[] {
    const found: number[] = []
    for (const [tokenId, minute] of touched) {
      const token = this.tokens.get(tokenId)
      if (token !== undefined && minute <= minuteOf(token.firstMs)) found.push(tokenId)
    }
    return found
  }

  private *ranked(): Iterable<RankedToken> {
    for (const { ranked } of this.tokens.values()) yield ranked
  }

  /** Reads the series of touched tokens from the touched minute on; those in `whole` entirely. */
  private async readTouched(
    touched: ReadonlyMap<number, number>,
    whole: ReadonlySet<number>,
    endMinute: number,
  ): Promise<void> {
    await forEachPage([...touched.keys()], async (page) => {
      const news = await this.loadFacts(page)
      const tokens = page.flatMap((tokenId) => this.tokens.get(tokenId) ?? [])
      const byMinute = Map.groupBy(tokens, (token) => {
        const minute = touched.get(token.tokenId)!
        const isNew = news.has(token.tokenId)
        // A first swap that was just read wins: the trade that touched the token may be retracted.
        if (!isNew) token.firstMs = Math.min(token.firstMs, minute * MINUTE_MS)
        if (isNew || whole.has(token.tokenId)) return endMinute - SERIES_MINUTES
        return (
          endMinute - (REREAD_SPANS.find((span) => minute >= endMinute - span) ?? SERIES_MINUTES)
        )
      })
      for (const [minute, own] of byMinute) await this.readFrom(own, minute, endMinute)
    })
  }

  private readFrom(
    tokens: readonly IndexedToken[],
    minute: number,
    endMinute: number,
  ): Promise<void> {
    const before = this.endMinute ?? endMinute
    return readFrom(this.db, tokens, { from: minute, before, end: endMinute })
  }

  /** Reads facts that are not known yet; returns the tokens whose whole series must be read. */
  private async loadFacts(tokenIds: readonly number[]): Promise<Set<number>> {
    const unknown = tokenIds.filter((tokenId) => this.tokens.get(tokenId)?.awaitsCreator !== false)
    const rows = unknown.length === 0 ? [] : await readTokens(this.db, unknown)
    const news = rows.filter((row) => this.needsFullRead(row))
    for (const row of rows) this.upsert(row)
    return new Set(news.map((row) => row.token_id))
  }

  /** Whether the whole series must be read: the token is new, or its creator changed. */
  private needsFullRead(row: TokenRow): boolean {
    const token = this.tokens.get(row.token_id)
    return token === undefined || token.creatorId !== row.creator_id
  }

  private upsert(row: TokenRow): IndexedToken {
    let token = this.tokens.get(row.token_id)
    if (token === undefined) {
      const ranked = { tokenId: row.token_id, mint: row.mint, sector: null, figures: [] }
      token = { ...emptySeries(row), ranked, changesAt: 0, awaitsCreator: false }
      this.tokens.set(row.token_id, token)
    }
    token.sector = row.sector
    token.creatorId = row.creator_id
    token.awaitsCreator = row.has_creator && row.creator_id === null
    token.firstMs = row.first_ms
    return token
  }

  /** Re-reads facts of these tokens, and of a share of all; returns the tokens that changed. */
  private async rereadFacts(tokenIds: readonly number[], endMinute: number): Promise<number[]> {
    if (this.toReread.length === 0) this.toReread = [...this.tokens.keys()]
    const share = Math.ceil(this.tokens.size / REREAD_REFRESHES)
    const ids = [...new Set([...tokenIds, ...this.toReread.splice(0, share)])].filter((tokenId) =>
      this.tokens.has(tokenId),
    )
    const changed: number[] = []
    await forEachPage(ids, async (page) => {
      const rows = await readTokens(this.db, page)
      const left = new Set(page)
      const again: IndexedToken[] = []
      for (const row of rows) {
        left.delete(row.token_id)
        const [isChanged, needsFullRead] = [this.isChanged(row), this.needsFullRead(row)]
        const token = this.upsert(row)
        if (isChanged) changed.push(row.token_id)
        if (needsFullRead) again.push(token)
      }
      // All trades of these tokens were retracted.
      for (const tokenId of left) {
        this.drop(tokenId)
        changed.push(tokenId)
      }
      await this.readFrom(again, endMinute - SERIES_MINUTES, endMinute)
    })
    return changed
  }

  /** Whether a fact changed on which metrics or lists depend. */
  private isChanged(row: TokenRow): boolean {
    const token = this.tokens.get(row.token_id)
    if (token === undefined || this.needsFullRead(row) || token.sector !== row.sector) return true
    return minuteOf(token.firstMs) !== minuteOf(row.first_ms)
  }

  /**
   * Recomputes the metrics of changed tokens, and of the others those windows that may change as their end advances
   * from `before`.
   */
  private async recompute(
    changed: ReadonlySet<number>,
    before: number | undefined,
    endMinute: number,
  ): Promise<void> {
    const affected =
      before === endMinute ? this.tracked(changed) : this.crossed(changed, before, endMinute)
    let count = 0
    for (const [token, windowBits] of affected) {
      const { ranked, sector } = token
      this.rankings.put(ranked, sector, metricsOf(token, endMinute, ranked.figures, windowBits))
      token.changesAt = nextChange(token, endMinute)
      if (++count % TOKENS_PER_YIELD === 0) await yieldToEventLoop()
    }
  }

  private *tracked(
    tokenIds: Iterable<number>,
  ): Iterable<[token: IndexedToken, windowBits: number]> {
    for (const tokenId of tokenIds) {
      const token = this.tokens.get(tokenId)
      if (token !== undefined) yield [token, ALL_WINDOW_BITS]
    }
  }

  /** Tokens that changed or whose windows' edges are crossed, with these windows; drops tokens without a window. */
  private *crossed(
    changed: ReadonlySet<number>,
    before: number | undefined,
    endMinute: number,
  ): Iterable<[token: IndexedToken, windowBits: number]> {
    // Where swaps lie ahead of the clock, a clock that is set back moves the end of windows back.
    const isFar =
      before === undefined || endMinute < before || endMinute - before > ADVANCE_MINUTES_MAX
    const edges = isFar ? undefined : edgesBetween(before, endMinute)
    for (const [tokenId, token] of this.tokens) {
      const isWhole = edges === undefined || changed.has(tokenId)
      if (!isWhole && token.changesAt > endMinute) continue
      if (dropExpired(token, endMinute)) {
        yield [token, isWhole ? ALL_WINDOW_BITS : changedWindowBits(token, edges)]
        continue
      }
      this.drop(tokenId)
    }
  }
}

const minuteOf = (timestamp: number): number => Math.floor(timestamp / MINUTE_MS)
