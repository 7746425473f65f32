/**
 * Schedules which tokens' holders are read again. The ledger reads FEED on its own, so its positions may lack swaps
 * that the ranking has read: a token waits until all lanes of the ledger have read them, and is read in the meantime
 * too, whenever a lane that it waits for has advanced. A lane that is stopped, or never ran, causes no reads and delays
 * none of the others.
 *
 * A token that is read again and again has its positions remembered, and of those only the wallets that traded are
 * read, each once its own lane has read that. Other changes of positions come as a notice of the same commit: a
 * recomputed position is read as if its wallet had traded, a rebuild has them all read; so does a very large number of
 * reads, in any case.
 */
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { HolderStats } from '../series/token-series.ts'
import { byPages } from '../token-pages.ts'
import type { HolderPositions } from './holder-positions.ts'
import { readAgain, readHolderPositions, readHolderStats } from './holder-store.ts'

type LaneRow = { lane: number; sequence: number }

const listLedgerLanes = query<LaneRow>('ranking/list_ledger_lanes')

/** Positions that are read in a refresh, apart from the first: some 100 ms of PostgreSQL. */
const POSITIONS_A_REFRESH = 50_000
/** Estimate for a token that was never read. */
const POSITIONS_EXPECTED = 10
/** Holder positions in memory, over all tokens: some 60 bytes each. */
const POSITIONS_MAX = 3_000_000
/** One position that is looked up is as dear as so many that are read with all of their token. */
const LOOK_UP = 2
/** Positions are remembered where that spares as much twice over. */
const WORTH = 2 * LOOK_UP
/** Readings by wallet after which all of a token is read. */
const READINGS_MAX = 1_000

/** The last message of each wallet lane in the feed, as far as a reader has come. */
type Ends = readonly number[]
export type FeedEnds = () => Promise<Ends>

/**
 * Read when the wallet's lane of the ledger has come as far as `next`, and again at `last`, where that is further.
 * Wallets of one batch share one: while a lane is stopped there may be a million of them.
 */
type Due = { readonly lane: number; readonly next: number; readonly last: number }

type Watched = {
  /** All of its positions are to be read, until the ledger has come so far; absent: only those of `wallets` are. */
  whole: Ends | undefined
  /** The ledger's progress when all of them were read; absent: they never were, or a notice came since. */
  seen: Ends | undefined
  /** Wallets whose positions are still to be read. */
  readonly wallets: Map<number, Due>
  holderPositions: HolderPositions | undefined
  /** By the last reading. */
  positions: number | undefined
  /** Wallets that traded it from one refresh to the next. */
  traders: number
  /** Readings since all of it was read. */
  readings: number
}

export class HolderWatch {
  private readonly db: Db
  private readonly feedEnds: FeedEnds
  private readonly tokens = new Map<number, Watched>()
  /** In the order of their last reading. */
  private readonly waiting = new Map<number, Watched>()
  /** By token: wallets that traded it since the last refresh, with their lanes. */
  private traded = new Map<number, Map<number, number>>()
  private positionCount = 0
  private newestEnds: Ends = []
  /** How far the ledger was when the newest reading began; a lane that never committed has no place in it. */
  private ledger: Ends = []

  constructor(db: Db, feedEnds: FeedEnds) {
    this.db = db
    this.feedEnds = feedEnds
  }

  /** `lane`: the wallet's, in which the ledger reads what it does. */
  note(tokenId: number, walletId: number, lane: number): void {
    const wallets = this.traded.get(tokenId)
    if (wallets === undefined) this.traded.set(tokenId, new Map([[walletId, lane]]))
    else wallets.set(walletId, lane)
  }

  /** The ledger may not have read the trades of these tokens yet. */
  async touch(tokenIds: Iterable<number>): Promise<void> {
    const { traded } = this
    this.traded = new Map()
    const ends = await this.feedEnds()
    this.newestEnds = ends
    const dues: Due[] = []
    for (const tokenId of tokenIds) {
      const watched = this.watchedOf(tokenId)
      const wallets = traded.get(tokenId)
      watched.traders = wallets?.size ?? 0
      if (wallets === undefined || watched.holderPositions === undefined) watched.whole = ends
      else {
        for (const [walletId, lane] of wallets) {
          dues[lane] ??= { lane, next: endOf(ends, lane), last: endOf(ends, lane) }
          noteDue(watched.wallets, walletId, dues[lane])
        }
      }
      this.waiting.set(tokenId, watched)
    }
  }

  /** Positions of these tokens may differ from those that the events of FEED made. */
  invalidate(tokenIds: Iterable<number>): void {
    for (const tokenId of tokenIds) {
      const watched = this.watchedOf(tokenId)
      watched.whole = this.newestEnds
      watched.seen = undefined
      this.waiting.set(tokenId, watched)
    }
  }

  /**
   * The wallet's position of this token may differ from that of the events in FEED: the change is already committed.
   */
  invalidateWallet(tokenId: number, walletId: number): void {
    const watched = this.watchedOf(tokenId)
    if (watched.holderPositions === undefined) {
      this.invalidate([tokenId])
      return
    }
    const due = watched.wallets.get(walletId)
    watched.wallets.set(walletId, { lane: due?.lane ?? 0, next: 0, last: due?.last ?? 0 })
    this.waiting.set(tokenId, watched)
  }

  forget(tokenId: number): void {
    const watched = this.tokens.get(tokenId)
    if (watched !== undefined) this.remember(watched, undefined)
    this.waiting.delete(tokenId)
    this.tokens.delete(tokenId)
  }

  /** Reads holders of tokens that wait, `isAll` or as many as a refresh may; answers with those it read. */
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
    await byPages(chosen, async (page) => {
      const holdings = await this.readPage(page, fromMinute)
      for (const tokenId of page) {
        tokens.get(tokenId)!.holderStats = holdings.get(tokenId)
        this.settle(tokenId)
      }
    })
    return chosen
  }

  private watchedOf(tokenId: number): Watched {
    let watched = this.tokens.get(tokenId)
    if (watched === undefined) {
      const nothing = {
        whole: undefined,
        seen: undefined,
        holderPositions: undefined,
        positions: undefined,
      }
      watched = { ...nothing, wallets: new Map(), traders: 0, readings: 0 }
      this.tokens.set(tokenId, watched)
    }
    return watched
  }

  private choose(tokens: ReadonlyMap<number, unknown>, isAll: boolean): number[] {
    const chosen: number[] = []
    let positions = 0
    for (const [tokenId, watched] of this.waiting) {
      if (!isAll && positions > POSITIONS_A_REFRESH) break
      const cost = this.costOf(watched)
      // While a lane of the ledger is stopped this holds for most, refresh after refresh.
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

  /** Cost of reading it now, in positions; the token itself is one. 0: there is nothing new. */
  private costOf(watched: Watched): number {
    if (this.isReadWhole(watched)) return 1 + (watched.positions ?? POSITIONS_EXPECTED)
    return LOOK_UP * this.passedOf(watched).length
  }

  /** Whether all of its positions are to be read now; else those of wallets are, and perhaps of none. */
  private isReadWhole({ whole, seen, holderPositions, wallets, readings }: Watched): boolean {
    if (whole !== undefined && this.isNewIn(whole, seen)) return true
    if (holderPositions === undefined) return false
    return readings >= READINGS_MAX || LOOK_UP * wallets.size > holderPositions.count
  }

  /** Whether of what is waited for anything came in since the ledger was at `seen`. */
  private isNewIn(whole: Ends, seen: Ends | undefined): boolean {
    if (seen === undefined || this.isPassed(whole)) return true
    return whole.some((end, lane) => {
      const before = endOf(seen, lane)
      return before < end && endOf(this.ledger, lane) !== before
    })
  }

  private isPassed(ends: Ends): boolean {
    return ends.every((end, lane) => endOf(this.ledger, lane) >= end)
  }

  /** Wallets whose positions include all swaps that were read of them. */
  private passedOf({ wallets }: Watched): number[] {
    const passed: number[] = []
    for (const [walletId, { lane, next }] of wallets) {
      if (endOf(this.ledger, lane) >= next) passed.push(walletId)
    }
    return passed
  }

  /** Positions of tokens are summed by the database, read to be remembered, or looked up by wallet. */
  private waysOf(page: readonly number[]) {
    const [summed, cached]: [number[], number[]] = [[], []]
    const byWallet = new Map<
      number,
      { holderPositions: HolderPositions; wallets: Iterable<number> }
    >()
    for (const tokenId of page) {
      const watched = this.watchedOf(tokenId)
      const { holderPositions } = watched
      if (holderPositions !== undefined && !this.isReadWhole(watched)) {
        byWallet.set(tokenId, { holderPositions, wallets: this.passedOf(watched) })
      } else if (this.isCached(watched)) cached.push(tokenId)
      else summed.push(tokenId)
    }
    return { summed, cached, byWallet }
  }

  private isCached({ holderPositions, positions, traders, wallets }: Watched): boolean {
    if (holderPositions !== undefined) return LOOK_UP * wallets.size <= holderPositions.count
    if (positions === undefined || this.positionCount + positions > POSITIONS_MAX) return false
    return WORTH * traders <= positions
  }

  /** As all positions of the token were read. */
  private remember(watched: Watched, holderPositions: HolderPositions | undefined): void {
    this.positionCount += (holderPositions?.count ?? 0) - (watched.holderPositions?.count ?? 0)
    watched.holderPositions = holderPositions
    watched.seen = this.ledger
    watched.readings = 0
    if (holderPositions !== undefined || watched.wallets.size === 0) return
    watched.whole = this.newestEnds
    watched.wallets.clear()
  }

  /** The token was read: whether it waits on. */
  private settle(tokenId: number): void {
    const watched = this.watchedOf(tokenId)
    watched.readings += 1
    if (watched.whole !== undefined && this.isPassed(watched.whole)) watched.whole = undefined
    for (const [walletId, { lane, next, last }] of watched.wallets) {
      const reached = endOf(this.ledger, lane)
      if (reached >= last) watched.wallets.delete(walletId)
      else if (reached >= next) watched.wallets.set(walletId, { lane, next: last, last })
    }
    this.waiting.delete(tokenId)
    if (watched.whole !== undefined || watched.wallets.size > 0) this.waiting.set(tokenId, watched)
  }

  private async readPage(
    page: readonly number[],
    fromMinute: number,
  ): Promise<Map<number, HolderStats | undefined>> {
    const { summed, cached, byWallet } = this.waysOf(page)
    const holdings = new Map<number, HolderStats | undefined>()
    if (summed.length > 0) {
      const found = await readHolderStats(this.db, summed, fromMinute)
      for (const tokenId of summed) {
        const watched = this.watchedOf(tokenId)
        this.remember(watched, undefined)
        watched.positions = found.get(tokenId)?.positions ?? 0
        holdings.set(tokenId, found.get(tokenId)?.holderStats)
      }
    }
    if (cached.length > 0) {
      const found = await readHolderPositions(this.db, cached)
      for (const tokenId of cached) this.remember(this.watchedOf(tokenId), found.get(tokenId))
    }
    for (const { holderPositions } of byWallet.values()) this.positionCount -= holderPositions.count
    if (byWallet.size > 0) await readAgain(this.db, byWallet)
    for (const { holderPositions } of byWallet.values()) this.positionCount += holderPositions.count
    for (const tokenId of [...cached, ...byWallet.keys()]) {
      const watched = this.watchedOf(tokenId)
      watched.positions = watched.holderPositions?.count ?? 0
      holdings.set(tokenId, watched.holderPositions?.holderStats(fromMinute))
    }
    return holdings
  }
}

/** A token that trades all the time is read as well: it waits for the first of its changes. */
function noteDue(wallets: Map<number, Due>, walletId: number, newest: Due): void {
  const due = wallets.get(walletId)
  const { last } = newest
  wallets.set(walletId, due === undefined ? newest : { lane: due.lane, next: due.next, last })
}

/** 0 of a lane that nothing is known of. */
const endOf = (ends: Ends, lane: number): number => ends[lane] ?? 0
