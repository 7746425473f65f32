/**
 * Schedules re-reads of tokens' holders. The ledger consumes FEED independently, so its positions may lag the swaps
 * that the ranking has read. A token waits until all ledger lanes have reached its swaps, and is re-read meanwhile
 * whenever a lane that it waits for advances. A stopped lane causes no reads and delays no other token.
 *
 * Positions of a token that is read repeatedly are cached, and only the wallets that traded are re-read, each once
 * its own lane has caught up. Other changes of positions arrive as rows of `token_change`, written by the commit
 * that made them: a recomputed position is re-read like that of a wallet that traded; a rebuild causes a full read.
 * A full read also follows a large number of partial ones, as a bound on errors.
 */
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { HolderStats } from '../series/token-series.ts'
import { forEachPage } from '../token-pages.ts'
import type { HolderPositions } from './holder-positions.ts'
import { readHolderPositions, readHolderStats, rereadPositions } from './holder-store.ts'

type LaneRow = { lane: number; sequence: number }

const listLedgerLanes = query<LaneRow>('ranking/list_ledger_lanes')

/** Positions that a refresh reads, except the first: some 100 ms of PostgreSQL. */
const POSITIONS_PER_REFRESH = 50_000
/** Estimated positions of a token that was never read. */
const POSITIONS_EXPECTED = 10
/** Cached positions of all tokens: some 60 bytes each. */
const POSITIONS_MAX = 3_000_000
/** Cost of looking up one position, in positions of a full read. */
const LOOKUP_COST = 2
/** Positions are cached where lookups cost at most half of a full read. */
const CACHE_GAIN_MIN = 2 * LOOKUP_COST
/** Reads after which a token is read in full. */
const READS_MAX = 1_000

/** By wallet lane: the FEED sequence that a reader has reached. */
type LaneSequences = readonly number[]
export type FeedHeads = () => Promise<LaneSequences>

/**
 * When to re-read a wallet's position: once its ledger lane has reached `next`, and again at `last` where that is
 * later. Wallets of one batch share an instance: a stopped lane may have a million of them waiting.
 */
type Due = { readonly lane: number; readonly next: number; readonly last: number }

type TokenHolders = {
  /**
   * The token is read in full until the ledger has reached these; absent: only the positions of `wallets` are read.
   */
  rereadUntil: LaneSequences | undefined
  /** The ledger's sequences at the last full read; absent: none, or a change was reported since. */
  ledgerAtRead: LaneSequences | undefined
  /** Wallets whose positions are to be re-read. */
  readonly wallets: Map<number, Due>
  holderPositions: HolderPositions | undefined
  /** Number of positions at the last read. */
  positions: number | undefined
  /** Number of wallets that traded the token between the last two refreshes. */
  traders: number
  /** Reads since the last full read. */
  reads: number
}

export class HolderRefresher {
  private readonly db: Db
  private readonly feedHeads: FeedHeads
  private readonly tokens = new Map<number, TokenHolders>()
  /** Tokens to be re-read, in the order of their last read. */
  private readonly waiting = new Map<number, TokenHolders>()
  /** By token: the wallets that traded since the last refresh, with their lanes. */
  private traded = new Map<number, Map<number, number>>()
  private positionCount = 0
  private newestHeads: LaneSequences = []
  /** The ledger's sequences at the beginning of the newest read; a lane that never committed is absent. */
  private ledger: LaneSequences = []

  constructor(db: Db, feedHeads: FeedHeads) {
    this.db = db
    this.feedHeads = feedHeads
  }

  /** Records a trade; `lane`: the ledger lane of the wallet. */
  note(tokenId: number, walletId: number, lane: number): void {
    const wallets = this.traded.get(tokenId)
    if (wallets === undefined) this.traded.set(tokenId, new Map([[walletId, lane]]))
    else wallets.set(walletId, lane)
  }

  /** Schedules these tokens: the ledger may not have applied their newest trades yet. */
  async touch(tokenIds: Iterable<number>): Promise<void> {
    const { traded } = this
    this.traded = new Map()
    const ends = await this.feedHeads()
    this.newestHeads = ends
    const dues: Due[] = []
    for (const tokenId of tokenIds) {
      const entry = this.entryOf(tokenId)
      const wallets = traded.get(tokenId)
      entry.traders = wallets?.size ?? 0
      if (wallets === undefined || entry.holderPositions === undefined) entry.rereadUntil = ends
      else {
        for (const [walletId, lane] of wallets) {
          dues[lane] ??= { lane, next: sequenceOf(ends, lane), last: sequenceOf(ends, lane) }
          noteDue(entry.wallets, walletId, dues[lane])
        }
      }
      this.waiting.set(tokenId, entry)
    }
  }

  /** Schedules a full read: positions may have changed by more than the events of FEED. */
  invalidate(tokenIds: Iterable<number>): void {
    for (const tokenId of tokenIds) {
      const entry = this.entryOf(tokenId)
      entry.rereadUntil = this.newestHeads
      entry.ledgerAtRead = undefined
      this.waiting.set(tokenId, entry)
    }
  }

  /**
   * Schedules a read of one position that was changed by more than the events of FEED, by a change that is
   * committed already.
   */
  invalidateWallet(tokenId: number, walletId: number): void {
    const entry = this.entryOf(tokenId)
    if (entry.holderPositions === undefined) {
      this.invalidate([tokenId])
      return
    }
    const due = entry.wallets.get(walletId)
    entry.wallets.set(walletId, { lane: due?.lane ?? 0, next: 0, last: due?.last ?? 0 })
    this.waiting.set(tokenId, entry)
  }

  forget(tokenId: number): void {
    const entry = this.tokens.get(tokenId)
    if (entry !== undefined) this.setPositions(entry, undefined)
    this.waiting.delete(tokenId)
    this.tokens.delete(tokenId)
  }

  /** Re-reads waiting tokens, all with `isAll`, else as many as a refresh may; returns those that it read. */
  async read(
    tokens: ReadonlyMap<number, { holderStats: HolderStats | undefined }>,
    endMinute: number,
    isAll: boolean,
  ): Promise<number[]> {
    const fromMinute = endMinute - DAY_MINUTES
    const ledger: number[] = []
    for (const { lane, sequence } of await listLedgerLanes(this.db)) ledger[lane] = sequence
    this.ledger = ledger
    const chosen = this.choose(tokens, isAll)
    await forEachPage(chosen, async (page) => {
      const holdings = await this.readPage(page, fromMinute)
      for (const tokenId of page) {
        tokens.get(tokenId)!.holderStats = holdings.get(tokenId)
        this.finishRead(tokenId)
      }
    })
    return chosen
  }

  private entryOf(tokenId: number): TokenHolders {
    let entry = this.tokens.get(tokenId)
    if (entry === undefined) {
      const nothing = {
        rereadUntil: undefined,
        ledgerAtRead: undefined,
        holderPositions: undefined,
        positions: undefined,
      }
      entry = { ...nothing, wallets: new Map(), traders: 0, reads: 0 }
      this.tokens.set(tokenId, entry)
    }
    return entry
  }

  private choose(tokens: ReadonlyMap<number, unknown>, isAll: boolean): number[] {
    const chosen: number[] = []
    let positions = 0
    for (const [tokenId, entry] of this.waiting) {
      if (!isAll && positions > POSITIONS_PER_REFRESH) break
      const cost = this.costOf(entry)
      // While a ledger lane is stopped, this holds for most tokens at each refresh.
      if (cost === 0) continue
      if (!tokens.has(tokenId)) {
        this.forget(tokenId)
        continue
      }
      positions += cost
      chosen.push(tokenId)
    }
    return chosen
  }

  /** Cost of reading the token now, in positions; the token itself is one. 0: there is nothing new to read. */
  private costOf(entry: TokenHolders): number {
    if (this.isFullRead(entry)) return 1 + (entry.positions ?? POSITIONS_EXPECTED)
    return LOOKUP_COST * this.caughtUpWallets(entry).length
  }

  /** Whether the token is to be read in full now; else only positions of wallets are, if any. */
  private isFullRead({
    rereadUntil,
    ledgerAtRead,
    holderPositions,
    wallets,
    reads,
  }: TokenHolders): boolean {
    if (rereadUntil !== undefined && this.hasProgress(rereadUntil, ledgerAtRead)) return true
    if (holderPositions === undefined) return false
    return reads >= READS_MAX || LOOKUP_COST * wallets.size > holderPositions.count
  }

  /** Whether a ledger lane that the token waits for has advanced since `ledgerAtRead`. */
  private hasProgress(
    rereadUntil: LaneSequences,
    ledgerAtRead: LaneSequences | undefined,
  ): boolean {
    if (ledgerAtRead === undefined || this.hasLedgerReached(rereadUntil)) return true
    return rereadUntil.some((end, lane) => {
      const before = sequenceOf(ledgerAtRead, lane)
      return before < end && sequenceOf(this.ledger, lane) !== before
    })
  }

  private hasLedgerReached(ends: LaneSequences): boolean {
    return ends.every((end, lane) => sequenceOf(this.ledger, lane) >= end)
  }

  /** Wallets whose ledger lane has caught up with their swaps. */
  private caughtUpWallets({ wallets }: TokenHolders): number[] {
    const caughtUp: number[] = []
    for (const [walletId, { lane, next }] of wallets) {
      if (sequenceOf(this.ledger, lane) >= next) caughtUp.push(walletId)
    }
    return caughtUp
  }

  /** Chooses how to read each token: aggregated by the database, in full into the cache, or by wallet. */
  private planReads(page: readonly number[]) {
    const [summed, cached]: [number[], number[]] = [[], []]
    const byWallet = new Map<
      number,
      { holderPositions: HolderPositions; wallets: Iterable<number> }
    >()
    for (const tokenId of page) {
      const entry = this.entryOf(tokenId)
      const { holderPositions } = entry
      if (holderPositions !== undefined && !this.isFullRead(entry)) {
        byWallet.set(tokenId, { holderPositions, wallets: this.caughtUpWallets(entry) })
      } else if (this.isCached(entry)) cached.push(tokenId)
      else summed.push(tokenId)
    }
    return { summed, cached, byWallet }
  }

  private isCached({ holderPositions, positions, traders, wallets }: TokenHolders): boolean {
    if (holderPositions !== undefined) return LOOKUP_COST * wallets.size <= holderPositions.count
    if (positions === undefined || this.positionCount + positions > POSITIONS_MAX) return false
    return CACHE_GAIN_MIN * traders <= positions
  }

  /** Records a full read of the token, with its positions where they are cached. */
  private setPositions(entry: TokenHolders, holderPositions: HolderPositions | undefined): void {
    this.positionCount += (holderPositions?.count ?? 0) - (entry.holderPositions?.count ?? 0)
    entry.holderPositions = holderPositions
    entry.ledgerAtRead = this.ledger
    entry.reads = 0
    if (holderPositions !== undefined || entry.wallets.size === 0) return
    entry.rereadUntil = this.newestHeads
    entry.wallets.clear()
  }

  /** Records a read, and whether the token waits on. */
  private finishRead(tokenId: number): void {
    const entry = this.entryOf(tokenId)
    entry.reads += 1
    if (entry.rereadUntil !== undefined && this.hasLedgerReached(entry.rereadUntil))
      entry.rereadUntil = undefined
    for (const [walletId, { lane, next, last }] of entry.wallets) {
      const reached = sequenceOf(this.ledger, lane)
      if (reached >= last) entry.wallets.delete(walletId)
      else if (reached >= next) entry.wallets.set(walletId, { lane, next: last, last })
    }
    this.waiting.delete(tokenId)
    if (entry.rereadUntil !== undefined || entry.wallets.size > 0) this.waiting.set(tokenId, entry)
  }

  private async readPage(
    page: readonly number[],
    fromMinute: number,
  ): Promise<Map<number, HolderStats | undefined>> {
    const { summed, cached, byWallet } = this.planReads(page)
    const holdings = new Map<number, HolderStats | undefined>()
    if (summed.length > 0) {
      const found = await readHolderStats(this.db, summed, fromMinute)
      for (const tokenId of summed) {
        const entry = this.entryOf(tokenId)
        this.setPositions(entry, undefined)
        entry.positions = found.get(tokenId)?.positions ?? 0
        holdings.set(tokenId, found.get(tokenId)?.holderStats)
      }
    }
    if (cached.length > 0) {
      const found = await readHolderPositions(this.db, cached)
      for (const tokenId of cached) this.setPositions(this.entryOf(tokenId), found.get(tokenId))
    }
    for (const { holderPositions } of byWallet.values()) this.positionCount -= holderPositions.count
    if (byWallet.size > 0) await rereadPositions(this.db, byWallet)
    for (const { holderPositions } of byWallet.values()) this.positionCount += holderPositions.count
    for (const tokenId of [...cached, ...byWallet.keys()]) {
      const entry = this.entryOf(tokenId)
      entry.positions = entry.holderPositions?.count ?? 0
      holdings.set(tokenId, entry.holderPositions?.holderStats(fromMinute))
    }
    return holdings
  }
}

/**
 * Schedules a wallet. A pending read remains due at its first change, so that continuous trading does not defer it.
 */
function noteDue(wallets: Map<number, Due>, walletId: number, newest: Due): void {
  const due = wallets.get(walletId)
  const { last } = newest
  wallets.set(walletId, due === undefined ? newest : { lane: due.lane, next: due.next, last })
}

/** 0 for a lane without a known sequence. */
const sequenceOf = (ends: LaneSequences, lane: number): number => ends[lane] ?? 0
