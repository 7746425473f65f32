/**
 * The ranking index: all tokens that traded in the last day, as the tables have them, and the pages of rankings that
 * are made of them. It is refreshed about every second while swaps flow.
 *
 * Invariant: it holds only what it read from the tables, so after a restart it has the same figures. A refresh reads
 * again the tokens that were touched since the last; when a minute has passed, the windows that an event left, or whose
 * preceding window it left, are computed again. A retraction may change anything of a token, so the token is dropped and
 * read as if it were new; where windows go back in time, all tokens are, because what was older than the windows is
 * gone. Nothing else can have changed.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { DAY_MINUTES, HOUR_MINUTES, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { type FeedEnds, HolderWatch } from '../holders/holders.ts'
import { readFrom } from '../series/series-store.ts'
import { dropExpired, SERIES_MINUTES, type TokenSeries } from '../series/token-series.ts'
import {
  ALL_WINDOW_BITS,
  changedWindowBits,
  edgesBetween,
  metricsOf,
  nextChange,
} from '../series/window-metrics.ts'
import { type Pages, type Ranked, Rankings } from '../snapshot/snapshots.ts'
import { byPages } from '../token-pages.ts'
import { emptySeries, listActiveTokens, readTokens, type TokenRow } from './index-store.ts'

const readNewest = query<{ newest_ms: number | null }>('ranking/read_newest')
const listChanges = query<ChangeRow>('ranking/list_token_changes')

type ChangeRow = { id: number; token_id: number; wallet_id: number | null; of_candles: boolean }

/** Words of changed tokens that a refresh takes; more wait for the next. */
const CHANGES_A_REFRESH = 20_000
/** Tokens that are figured before others of the process have their turn. */
const TOKENS_A_BREATH = 2_000
/** Facts of tokens beside their trades are read again, changed or not, for all of them within so many refreshes. */
const REREAD_REFRESHES = 200
/**
 * Tokens are read again from the minute that was touched, together with those touched somewhat later: nearly
 * all of them in the last, some as a minute ends, few long ago.
 */
const SPANS = [0, 1, 4, 15, HOUR_MINUTES, 4 * HOUR_MINUTES, DAY_MINUTES, SERIES_MINUTES]

/** All of a token is to be read, and nothing is known of when it traded. */
const NO_MINUTE = Number.POSITIVE_INFINITY

/** When windows pass on by more minutes at once, the figures of all tokens are computed again. */
const STEP_MINUTES = 5

/**
 * `changesAt`: the end of windows at which edges next change figures. `awaitsCreator`: the wallet of its creator never
 * traded, and may at any time; other changes come as notices (list_token_changes.sql).
 */
type Tracked = TokenSeries & { readonly ranked: Ranked; changesAt: number; awaitsCreator: boolean }

export class RankingIndex {
  private readonly db: Db
  private readonly holders: HolderWatch
  private readonly tokens = new Map<number, Tracked>()
  private rankings = new Rankings()
  /** By token: the earliest minute that was touched since the last refresh. */
  private touched = new Map<number, number>()
  /** Tokens of which a trade was taken back since the last refresh. */
  private readonly retracted = new Set<number>()
  /** Tokens whose facts are still to be read again in this round. */
  private toReread: number[] = []
  private endMinute: number | undefined
  /** Whether any swap was indexed at the last refresh; before the first unknown. */
  hasSwaps: boolean | undefined

  constructor(db: Db, feedEnds: FeedEnds) {
    this.db = db
    this.holders = new HolderWatch(db, feedEnds)
  }

  get tokenCount(): number {
    return this.tokens.size
  }

  /** The wallet, of this wallet lane, traded the token: its minute and its position are others. */
  note(tokenId: number, timestamp: number, walletId: number, walletLane: number): void {
    this.holders.note(tokenId, walletId, walletLane)
    const minute = minuteOf(timestamp)
    const known = this.touched.get(tokenId)
    if (known === undefined || minute < known) this.touched.set(tokenId, minute)
  }

  /** As `note`, of a trade that was taken back: nothing that is known of the token counts any more. */
  noteRetracted(tokenId: number, timestamp: number, walletId: number, walletLane: number): void {
    this.note(tokenId, timestamp, walletId, walletLane)
    this.retracted.add(tokenId)
  }

  /** The pages as of now; undefined when nothing changed, or nothing ever traded. */
  async refresh(): Promise<Pages | undefined> {
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
    const words = await listChanges(this.db, [CHANGES_A_REFRESH])
    const whole = words.filter((row) => row.of_candles).map((row) => row.token_id)
    if (isFirst) {
      const from = (endMinute - DAY_MINUTES) * MINUTE_MS
      for (const row of await listActiveTokens(this.db, [from])) whole.push(row.token_id)
    }
    for (const tokenId of whole) if (!touched.has(tokenId)) touched.set(tokenId, NO_MINUTE)
    await this.holders.touch(touched.keys())
    const changed = new Set(touched.keys())
    await this.readTouched(touched, new Set(whole), endMinute)
    const others = words.filter((row) => !row.of_candles)
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
    if (before === endMinute && changed.size === 0 && words.length === 0) return undefined
    await this.figure(changed, before, endMinute)
    const pages = this.rankings.pages(() => this.ranked())
    const changeIds = words.map(({ id }) => id)
    return { newestMs: newest.newest_ms, ...pages, changeIds }
  }

  /** Nothing is known of the token, as after a restart. */
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
   * Tokens that were touched in the minute of their first swap: one of its slot may make another pool the first, and with
   * it the creator another, of which no notice comes.
   */
  private inFirstMinute(touched: ReadonlyMap<number, number>): number[] {
    const found: number[] = []
    for (const [tokenId, minute] of touched) {
      const token = this.tokens.get(tokenId)
      if (token !== undefined && minute <= minuteOf(token.firstMs)) found.push(tokenId)
    }
    return found
  }

  private *ranked(): Iterable<Ranked> {
    for (const { ranked } of this.tokens.values()) yield ranked
  }

  /** `whole`: those of which all is read, whenever they were touched. */
  private async readTouched(
    touched: ReadonlyMap<number, number>,
    whole: ReadonlySet<number>,
    endMinute: number,
  ): Promise<void> {
    await byPages([...touched.keys()], async (page) => {
      const news = await this.learn(page)
      const tokens = page.flatMap((tokenId) => this.tokens.get(tokenId) ?? [])
      const byMinute = Map.groupBy(tokens, (token) => {
        const minute = touched.get(token.tokenId)!
        const isNew = news.has(token.tokenId)
        // A fact that was just read counts: the trade that touched the token may be a retracted one.
        if (!isNew) token.firstMs = Math.min(token.firstMs, minute * MINUTE_MS)
        if (isNew || whole.has(token.tokenId)) return endMinute - SERIES_MINUTES
        return endMinute - (SPANS.find((span) => minute >= endMinute - span) ?? SERIES_MINUTES)
      })
      for (const [minute, own] of byMinute) await this.readFrom(own, minute, endMinute)
    })
  }

  private readFrom(tokens: readonly Tracked[], minute: number, endMinute: number): Promise<void> {
    const before = this.endMinute ?? endMinute
    return readFrom(this.db, tokens, { from: minute, before, end: endMinute })
  }

  /** Reads what is not known of tokens beside their trades; answers with those of which all is to be read. */
  private async learn(tokenIds: readonly number[]): Promise<Set<number>> {
    const unknown = tokenIds.filter((tokenId) => this.tokens.get(tokenId)?.awaitsCreator !== false)
    const rows = unknown.length === 0 ? [] : await readTokens(this.db, unknown)
    const news = rows.filter((row) => this.isNews(row))
    for (const row of rows) this.trackOf(row)
    return new Set(news.map((row) => row.token_id))
  }

  /** Whether all of a token is to be read: it is not tracked, or its creator is another. */
  private isNews(row: TokenRow): boolean {
    const token = this.tokens.get(row.token_id)
    return token === undefined || token.creatorId !== row.creator_id
  }

  private trackOf(row: TokenRow): Tracked {
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

  /** Reads facts of these tokens again, and of a share of all; answers with those that are not as they were. */
  private async rereadFacts(tokenIds: readonly number[], endMinute: number): Promise<number[]> {
    if (this.toReread.length === 0) this.toReread = [...this.tokens.keys()]
    const share = Math.ceil(this.tokens.size / REREAD_REFRESHES)
    const ids = [...new Set([...tokenIds, ...this.toReread.splice(0, share)])].filter((tokenId) =>
      this.tokens.has(tokenId),
    )
    const changed: number[] = []
    await byPages(ids, async (page) => {
      const rows = await readTokens(this.db, page)
      const left = new Set(page)
      const again: Tracked[] = []
      for (const row of rows) {
        left.delete(row.token_id)
        const [isChanged, isNews] = [this.isChanged(row), this.isNews(row)]
        const token = this.trackOf(row)
        if (isChanged) changed.push(row.token_id)
        if (isNews) again.push(token)
      }
      // All of their trades were taken back.
      for (const tokenId of left) {
        this.drop(tokenId)
        changed.push(tokenId)
      }
      await this.readFrom(again, endMinute - SERIES_MINUTES, endMinute)
    })
    return changed
  }

  /** Whether figures or rankings of a tracked token follow from a fact that is not as it was. */
  private isChanged(row: TokenRow): boolean {
    const token = this.tokens.get(row.token_id)
    if (token === undefined || this.isNews(row) || token.sector !== row.sector) return true
    return minuteOf(token.firstMs) !== minuteOf(row.first_ms)
  }

  /**
   * Computes the figures of these tokens again, and of the others those that windows passing on from `before` may
   * change.
   */
  private async figure(
    changed: ReadonlySet<number>,
    before: number | undefined,
    endMinute: number,
  ): Promise<void> {
    const stepped =
      before === endMinute ? this.tracked(changed) : this.passed(changed, before, endMinute)
    let count = 0
    for (const [token, windowBits] of stepped) {
      const { ranked, sector } = token
      this.rankings.put(ranked, sector, metricsOf(token, endMinute, ranked.figures, windowBits))
      token.changesAt = nextChange(token, endMinute)
      if (++count % TOKENS_A_BREATH === 0) await breathe()
    }
  }

  private *tracked(tokenIds: Iterable<number>): Iterable<[token: Tracked, windowBits: number]> {
    for (const tokenId of tokenIds) {
      const token = this.tokens.get(tokenId)
      if (token !== undefined) yield [token, ALL_WINDOW_BITS]
    }
  }

  /** Tokens that changed or that edges move, and which of their windows; those of no window are dropped. */
  private *passed(
    changed: ReadonlySet<number>,
    before: number | undefined,
    endMinute: number,
  ): Iterable<[token: Tracked, windowBits: number]> {
    // A clock that was set back moves windows back where swaps lie ahead of it.
    const isFar = before === undefined || endMinute < before || endMinute - before > STEP_MINUTES
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
