/**
 * The ranking actor: FEED -> buckets of traders, and rankings that it refreshes. Key: the mint; but a ranking sets all
 * mints in one order, and the pools of a mint lie in any lane, so one lane reads the whole of FEED.
 *
 * Which swaps a bucket has is all that matters, not their order: each is published once, and one that a recount has
 * included is skipped (recount.ts).
 *
 * Decision: docs/decisions/0028-rankings-are-maintained-not-queried.md
 */

import type { LedgerNames } from '../../streams/codec/ledger-decoder.ts'
import { WireError } from '../../streams/codec/protobuf.ts'
import { type DecodedTrade, decodeRankingTrades } from '../../streams/codec/ranking-decoder.ts'
import type { StoredMessage } from '../../streams/nats/jetstream.ts'
import { feedStreamSubject, walletLaneOfSubject } from '../../streams/nats/subject.ts'
import { feedHead } from '../../streams/nats/topology.ts'
import type { Actor, Batch, LaneContext, LaneMemory } from '../runtime/actor.ts'
import { decodeFeed } from '../runtime/feed/decode-feed.ts'
import { sharedNames } from '../runtime/ids/address-ids.ts'
import { MarketTraders } from './market-traders.ts'
import { RankingIndex } from './ranked/ranking-index.ts'
import { beginRecount, type Covers, loadCovers, nextRecounted, recountPage } from './recount.ts'
import { takeBackTrades, writeRetracted } from './retraction.ts'
import { StoredSnapshots } from './snapshot/snapshot-store.ts'
import { Buckets, encodeBuckets, writeBuckets, writeStarts } from './store.ts'
import { addTrade, mixedWallet, type TraderBucket } from './traders.ts'

/** Tokens whose first swap is remembered. */
const STARTS_REMEMBERED = 200_000
/** How often a lane checks whether a recount of tokens was requested. */
const RECOUNT_POLL_MS = 1_000
/** From the beginning of a refresh to that of the next, at least. */
const REFRESH_EVERY_MS = 800
/**
 * A refresh is followed by so many times its length without one, but no longer than `maxMs`: refreshing takes a third
 * of the lane, and rankings are fresh to two seconds. Where the lane has not read all there is they are not in
 * any case; but a refresh may be long because the machine has other work, so that has a bound as well.
 */
const REST = { share: 2, maxMs: 300 }
const REST_LAGGING = { share: 20, maxMs: 10_000 }
/**
 * A bucket is written whole, however few trades a batch adds to it: about 14,000 swaps at once, and of a
 * slow feed what comes in a fifth of a second, of the two seconds that a ranking may be old; of history twice that.
 */
const BATCHING = {
  bytesMax: 4 * 1024 * 1024,
  waitMs: 200,
  everyMs: 12,
  catchUp: { bytes: 512 * 1024, pauseMs: 200, everyMs: 450 },
}
/** Some 3,500 swaps at once are history, or more than two cores keep rankings fresh beside. */
const LAGGING_BYTES = 1024 * 1024

export const rankingActor: Actor = {
  name: 'ranking',
  lanes: () => 1,
  source: (topology) => topology.feed,
  filter: (topology) => feedStreamSubject(topology.prefix),
  batching: BATCHING,
  publishes: () => [],
  openLane: (context) => new RankingLane(context),
  async noteGap({ db }) {
    await beginRecount(db)
  },
}

const nothing = () => ({ eventCount: 0, deadLetters: [], publish: () => [] })

class RankingLane implements LaneMemory {
  private readonly context: LaneContext
  private readonly names: LedgerNames
  private readonly minutes = new Buckets(false)
  private readonly hours = new Buckets(true)
  private readonly market = new MarketTraders()
  /** The first swap of tokens, as stored. */
  private starts = new Map<number, number>()
  private covers: Covers | undefined
  /** The last message of each wallet lane: at first that FEED held, later that was folded. */
  private feedEnds: readonly number[] | undefined
  private index: RankingIndex
  private stored = new StoredSnapshots()
  private refreshedAt = 0
  private refreshMs = 0
  /** The newest batch was as large as those of history. */
  private isLagging = false
  private recountPolledAt = Number.NEGATIVE_INFINITY

  constructor(context: LaneContext) {
    this.context = context
    this.names = sharedNames(context.db)
    this.index = this.newIndex()
  }

  async fold(messages: readonly StoredMessage[]): Promise<Batch> {
    const bytes = messages.reduce((sum, { payload }) => sum + payload.length, 0)
    this.isLagging = bytes >= LAGGING_BYTES
    const { trades: ofMessages, deadLetters } = await decodeFeed(
      this.context.db,
      messages,
      ({ subject, payload }) => decodeRankingTrades(payload, this.laneOf(subject), this.names),
    )
    // Their swaps are in the table all the same.
    if (deadLetters.length > 0) this.recountPolledAt = Number.NEGATIVE_INFINITY
    const decoded = ofMessages.flat()
    this.covers ??= await loadCovers(this.context.db)
    const [trades, retracted] = partition(this.withoutCovered(decoded))
    const touched = await this.addTrades(trades)
    const starts = this.noteStarts(trades)
    await this.takeBack(retracted, touched)
    const [published, takenBack] = partition(decoded)
    // All decoded trades: one that a recount has counted changes nothing there.
    const traders = await this.market.note(this.context.db, published)
    // All again: the index may have been read before the ledger applied them.
    for (const { mint, timestamp, user, walletLane, mark } of decoded) {
      if (mark.isRetraction) this.index.noteRetracted(mint.id, timestamp, user.id, walletLane)
      else this.index.note(mint.id, timestamp, user.id, walletLane)
    }
    this.noteRead(messages)
    const rows = encodeBuckets(touched)
    return {
      eventCount: decoded.length,
      deadLetters,
      publish: () => [],
      write: async (connection) => {
        if (deadLetters.length > 0) await beginRecount(connection)
        await this.market.write(connection, traders)
        if (takenBack.length > 0) await this.market.recount(connection, takenBack)
        if (touched.size === 0) return
        await writeBuckets(connection, rows)
        await writeStarts(connection, starts)
        if (retracted.length === 0) return
        await writeRetracted(connection, retracted)
      },
    }
  }

  async foldIdle(sequence: number): Promise<Batch | undefined> {
    if (performance.now() - this.recountPolledAt >= RECOUNT_POLL_MS) {
      const from = await nextRecounted(this.context.db)
      if (from !== undefined) return this.recountFrom(from)
      this.recountPolledAt = performance.now()
    }
    return this.refresh(sequence)
  }

  /** A refresh begins at its moment, with all that came until then: of what just misses it the ranking is oldest. */
  idleDueMs(): number {
    return Math.min(this.refreshDueMs(), this.recountPolledAt + RECOUNT_POLL_MS)
  }

  private refreshDueMs(): number {
    const { share, maxMs } = this.isLagging ? REST_LAGGING : REST
    const shareMs = Math.min(share * this.refreshMs, maxMs)
    return this.refreshedAt + Math.max(REFRESH_EVERY_MS - this.refreshMs, shareMs)
  }

  /** Computes the pages again when they are due. */
  private async refresh(sequence: number): Promise<Batch | undefined> {
    const startedAt = performance.now()
    if (startedAt < this.refreshDueMs()) return undefined
    if (await this.stored.areGone(this.context.db)) {
      this.context.log.warn(
        {},
        'rebuilding ranking: its snapshot is gone or of another formula version',
      )
      this.index = this.newIndex()
      this.stored = new StoredSnapshots()
    }
    const pages = await this.index.refresh()
    this.refreshedAt = performance.now()
    this.refreshMs = this.refreshedAt - startedAt
    if (pages === undefined) {
      const isEmpty = this.index.hasSwaps === false
      const write = isEmpty ? this.stored.eraser() : this.stored.noter(sequence)
      return write && { ...nothing(), write }
    }
    this.context.log.debug(
      { tokens: this.index.tokenCount, ms: Math.round(this.refreshMs) },
      'refreshed ranking',
    )
    return { ...nothing(), write: this.stored.writer(pages, sequence) }
  }

  private newIndex(): RankingIndex {
    return new RankingIndex(this.context.db, async () => {
      this.feedEnds ??= await this.feedHeads()
      return this.feedEnds
    })
  }

  private feedHeads(): Promise<number[]> {
    const { jetStream, topology } = this.context
    const lanes = Array.from({ length: topology.laneCount }, (_, lane) => lane)
    return Promise.all(lanes.map((lane) => feedHead(jetStream, topology, lane)))
  }

  /** Throws WireError for what no pool lane of ours publishes. */
  private laneOf(subject: string): number {
    const lane = walletLaneOfSubject(subject)
    if (lane < this.context.topology.laneCount) return lane
    throw new WireError(`there is no lane of wallets ${lane}`)
  }

  private noteRead(messages: readonly StoredMessage[]): void {
    if (this.feedEnds === undefined) return
    const ends = [...this.feedEnds]
    for (const { subject, sequence } of messages) {
      const lane = walletLaneOfSubject(subject)
      if (lane < ends.length) ends[lane] = sequence
    }
    this.feedEnds = ends
  }

  private recountFrom(tokenId: number): Batch {
    // The rows of cached tokens are replaced in the tables.
    this.minutes.clear()
    this.hours.clear()
    this.starts.clear()
    this.index = this.newIndex()
    return {
      ...nothing(),
      isLong: true,
      write: async (connection) => {
        const swaps = await recountPage(connection, tokenId)
        this.market.clear()
        this.covers = await loadCovers(connection)
        if (swaps > 0) this.context.log.info({ tokenId, swaps }, 'recounted traders of token')
      },
    }
  }

  private withoutCovered(decoded: readonly DecodedTrade[]): readonly DecodedTrade[] {
    const covers = this.covers!
    const isCovered = ({ mark: { poolLane, commitNumber }, mint }: DecodedTrade): boolean =>
      covers.reach(poolLane, commitNumber) && covers.has(mint.id, poolLane, commitNumber)
    return decoded.some(isCovered) ? decoded.filter((trade) => !isCovered(trade)) : decoded
  }

  /** Counts trades in their minutes and hours; answers with those. */
  private async addTrades(trades: readonly DecodedTrade[]): Promise<Set<TraderBucket>> {
    const touched = new Set<TraderBucket>()
    for (const buckets of [this.minutes, this.hours]) {
      buckets.age()
      const keys = trades.map(({ mint, timestamp }) => buckets.keyOf(mint.id, timestamp))
      await buckets.load(this.context.db, keys)
      let grown = 0
      for (let index = 0; index < trades.length; index++) {
        const { isBuy, user } = trades[index]!
        const bucket = buckets.get(keys[index]!)!
        if (addTrade(bucket, isBuy, mixedWallet(user.id))) grown += 1
        touched.add(bucket)
      }
      buckets.grew(grown)
    }
    return touched
  }

  /** Takes trades out of their minutes and hours, and adds those to the touched ones. */
  private async takeBack(
    retracted: readonly DecodedTrade[],
    touched: Set<TraderBucket>,
  ): Promise<void> {
    if (retracted.length === 0) return
    for (const buckets of [this.minutes, this.hours]) {
      const { db } = this.context
      for (const bucket of await takeBackTrades(db, buckets, retracted)) touched.add(bucket)
    }
    for (const { mint } of retracted) this.starts.delete(mint.id)
  }

  /** Tokens whose first swap may be among these, with its time. */
  private noteStarts(trades: readonly DecodedTrade[]): Map<number, number> {
    const earlier = new Map<number, number>()
    if (this.starts.size > STARTS_REMEMBERED) this.starts = new Map()
    for (const { mint, timestamp } of trades) {
      const known = this.starts.get(mint.id)
      if (known !== undefined && known <= timestamp) continue
      this.starts.set(mint.id, timestamp)
      earlier.set(mint.id, timestamp)
    }
    return earlier
  }
}

/** Trades that FEED published, and those that it took back. */
function partition(
  decoded: readonly DecodedTrade[],
): [published: readonly DecodedTrade[], takenBack: readonly DecodedTrade[]] {
  const retracted = decoded.filter(({ mark }) => mark.isRetraction)
  if (retracted.length === 0) return [decoded, retracted]
  return [decoded.filter(({ mark }) => !mark.isRetraction), retracted]
}
