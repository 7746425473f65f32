/**
 * Which tokens' holders are to be read again. The ledger reads the feed by itself, so what the ranking
 * hears of a token may not stand in its positions yet: a token waits until the ledger has read all that
 * the feed held when it was touched, and is read in the meantime too.
 */
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { readHoldings } from './board-store.ts'
import type { TokenTrack } from './track.ts'

const listLedgerLanes = query<{ lane: number; sequence: number }>('ranking/list_ledger_lanes')
const listRefolding = query<{ token_id: number }>('ranking/list_refolding_tokens')

/** Positions that are read in a roll, apart from the first: some 100 ms of PostgreSQL. */
const POSITIONS_A_ROLL = 50_000
const TOKENS_AT_ONCE = 1_000
/** Of a token that was never read. */
const POSITIONS_EXPECTED = 10
const DAY_MINUTES = 1_440

/** The last message of each wallet lane in the feed. */
export type FeedEnds = () => Promise<readonly number[]>

export class HolderWatch {
  private readonly db: Db
  private readonly feedEnds: FeedEnds
  /** By token: the ends of the wallet lanes when it was touched. In the order of their last reading. */
  private readonly waiting = new Map<number, readonly number[]>()
  private readonly positions = new Map<number, number>()
  private refolding = new Set<number>()

  constructor(db: Db, feedEnds: FeedEnds) {
    this.db = db
    this.feedEnds = feedEnds
  }

  /** What a feed of now holds of these tokens, the ledger may not have read. */
  async touch(tokenIds: Iterable<number>): Promise<void> {
    const before = this.refolding
    this.refolding = new Set((await listRefolding(this.db)).map((row) => row.token_id))
    const touched = new Set([...tokenIds, ...before, ...this.refolding])
    if (touched.size === 0) return
    const ends = await this.feedEnds()
    for (const tokenId of touched) this.waiting.set(tokenId, ends)
  }

  forget(tokenId: number): void {
    this.waiting.delete(tokenId)
    this.positions.delete(tokenId)
  }

  /** Reads holders of tokens that wait, `isAll` or as many as a roll may; answers with those it read. */
  async read(
    tracks: ReadonlyMap<number, TokenTrack>,
    endMinute: number,
    isAll: boolean,
  ): Promise<number[]> {
    const read: number[] = []
    const lanes = await listLedgerLanes(this.db)
    const isPassed = (ends: readonly number[]): boolean =>
      lanes.every(({ lane, sequence }) => sequence >= (ends[lane] ?? 0))
    const chosen = this.choose(tracks, isAll)
    for (let from = 0; from < chosen.length; from += TOKENS_AT_ONCE) {
      const page = chosen.slice(from, from + TOKENS_AT_ONCE)
      const holdings = await readHoldings(this.db, page, endMinute - DAY_MINUTES)
      for (const tokenId of page) {
        const found = holdings.get(tokenId)
        tracks.get(tokenId)!.holding = found?.holding
        this.positions.set(tokenId, found?.positions ?? 0)
        read.push(tokenId)
        const ends = this.waiting.get(tokenId)!
        this.waiting.delete(tokenId)
        if (!isPassed(ends)) this.waiting.set(tokenId, ends)
      }
    }
    return read
  }

  private choose(tracks: ReadonlyMap<number, TokenTrack>, isAll: boolean): number[] {
    const chosen: number[] = []
    let positions = 0
    for (const tokenId of this.waiting.keys()) {
      if (!tracks.has(tokenId)) {
        this.forget(tokenId)
        continue
      }
      if (!isAll && positions > POSITIONS_A_ROLL) break
      positions += this.positions.get(tokenId) ?? POSITIONS_EXPECTED
      chosen.push(tokenId)
    }
    return chosen
  }
}
