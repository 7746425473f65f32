/**
 * The ranking actor: folds FEED into the traders of each token by the minute and hour, and refreshes the ranking
 * snapshot from the tables. One lane reads the whole of FEED: a ranking orders all tokens, and the pools of one
 * token lie in any pool lane.
 *
 * Buckets do not depend on the order of trades, only on which ones they count: FEED publishes each trade once, and
 * the actor skips those that a recount has already counted (recount.ts).
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
import {
  beginRecount,
  loadRecountWatermarks,
  nextRecounted,
  type RecountWatermarks,
  recountPage,
} from './recount.ts'
import { subtractRetracted, writeRetracted } from './retraction.ts'
import { StoredSnapshots } from './snapshot/snapshot-store.ts'
import { encodeBuckets, TraderBucketCache, writeBuckets, writeFirstSwaps } from './store.ts'
import { addTrade, mixedWallet, type TraderBucket } from './traders.ts'

/** Size of the cache of first swap times. */
const FIRST_SWAPS_CACHED = 200_000
/** How far apart a lane polls for a requested recount: with a refresh from `least` on, so that it wakes once for both. */
const RECOUNT_POLL_MS = { least: 1_000, most: 2_000 }
/**
 * A refresh that takes as long as the one before ends within this time after the trades that it ranks were folded, and rankings
 * stay fresh to two seconds. Each refresh costs as much as a fifth of a block of the chain.
 */
const RANKED_WITHIN_MS = 1_500
/**
 * Pause after a refresh, as a multiple of its duration, at most `maxMs`, so that refreshing takes at most a third of the
 * lane's time. A lagging lane pauses longer, because its rankings are stale anyway; `maxMs` bounds the pause after a
 * refresh that was slow because of other load on the machine.
 */
const PAUSE = { share: 2, maxMs: 300 }
const PAUSE_LAGGING = { share: 20, maxMs: 10_000 }
/**
 * A batch rewrites each bucket that it touches, however few trades it adds, so larger batches write less: 4 MiB is
 * about 14,000 swaps. On a slow feed a batch waits for half a second, which joins two blocks, or until the next refresh.
 */
const BATCHING = {
  bytesMax: 4 * 1024 * 1024,
  waitMs: 500,
  everyMs: 12,
  catchUp: { bytes: 512 * 1024, pauseMs: 200, everyMs: 450 },
}
/**
 * From about 3,500 swaps a batch, the lane reads history, or more than two cores can apply while they keep rankings
 * fresh.
 */
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

const emptyBatch = () => ({ eventCount: 0, deadLetters: [], publish: () => [] })

class RankingLane implements LaneMemory {
  private readonly context: LaneContext
  private readonly names: LedgerNames
  private readonly minutes = new TraderBucketCache(false)
  private readonly hours = new TraderBucketCache(true)
  private readonly market = new MarketTraders()
  /** By token: the time of its first swap, as stored. A cache. */
  private firstSwaps = new Map<number, number>()
  private recounted: RecountWatermarks | undefined
  /**
   * By wallet lane: the sequence of the last folded message; before the first one, that of the last message in
   * FEED.
   */
  private feedHeads: readonly number[] | undefined
  private index: RankingIndex
  private stored = new StoredSnapshots()
  private refreshedAt = 0
  private refreshMs = 0
  /** Whether the newest batch had LAGGING_BYTES or more. */
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
    const { trades: tradesByMessage, deadLetters } = await decodeFeed(
      this.context.db,
      messages,
      ({ subject, payload }) => decodeRankingTrades(payload, this.laneOf(subject), this.names),
    )
    // Swaps of a dead letter are in the `swap` table: a recount of all tokens counts them.
    if (deadLetters.length > 0) this.recountPolledAt = Number.NEGATIVE_INFINITY
    const decoded = tradesByMessage.flat()
    this.recounted ??= await loadRecountWatermarks(this.context.db)
    const [trades, retracted] = partition(this.withoutRecounted(decoded))
    const touched = await this.addTrades(trades)
    const firstSwaps = this.noteFirstSwaps(trades)
    await this.subtract(retracted, touched)
    const [allPublished, allRetracted] = partition(decoded)
    // All decoded trades, because adding a trader twice changes nothing.
    const traders = await this.market.add(this.context.db, allPublished)
    // Also those that a recount counted: the index may have read holders before the ledger applied them.
    for (const { mint, timestamp, user, walletLane, mark } of decoded) {
      if (mark.isRetraction) this.index.noteRetracted(mint.id, timestamp, user.id, walletLane)
      else this.index.note(mint.id, timestamp, user.id, walletLane)
    }
    this.noteSequences(messages)
    const rows = encodeBuckets(touched)
    return {
      eventCount: decoded.length,
      deadLetters,
      publish: () => [],
      write: async (connection) => {
        if (deadLetters.length > 0) await beginRecount(connection)
        await this.market.write(connection, traders)
        if (allRetracted.length > 0) await this.market.recount(connection, allRetracted)
        if (touched.size === 0) return
        await writeBuckets(connection, rows)
        await writeFirstSwaps(connection, firstSwaps)
        if (retracted.length === 0) return
        await writeRetracted(connection, retracted)
      },
    }
  }

  async foldIdle(sequence: number): Promise<Batch | undefined> {
    if (performance.now() - this.recountPolledAt >= RECOUNT_POLL_MS.least) {
      const from = await nextRecounted(this.context.db)
      this.recountPolledAt = from === undefined ? performance.now() : Number.NEGATIVE_INFINITY
      if (from !== undefined) return this.recountFrom(from)
    }
    return this.refresh(sequence)
  }

  /**
   * Wakes the lane when the next refresh is due, even if no message arrives, so that the trades before that moment
   * are ranked on time.
   */
  idleDueMs(): number {
    return Math.min(this.refreshDueMs(), this.recountPolledAt + RECOUNT_POLL_MS.most)
  }

  private refreshDueMs(): number {
    const { share, maxMs } = this.isLagging ? PAUSE_LAGGING : PAUSE
    const shareMs = Math.min(share * this.refreshMs, maxMs)
    return this.refreshedAt + Math.max(RANKED_WITHIN_MS - 2 * this.refreshMs, shareMs)
  }

  /** Refreshes the ranking snapshot when that is due. */
  private async refresh(sequence: number): Promise<Batch | undefined> {
    const startedAt = performance.now()
    if (startedAt < this.refreshDueMs()) return undefined
    if (await this.stored.isLost(this.context.db)) {
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
      const write = isEmpty ? this.stored.eraser() : this.stored.progressWriter(sequence)
      return write && { ...emptyBatch(), write }
    }
    this.context.log.debug(
      { tokens: this.index.tokenCount, ms: Math.round(this.refreshMs) },
      'refreshed ranking',
    )
    return { ...emptyBatch(), write: this.stored.writer(pages, sequence) }
  }

  private newIndex(): RankingIndex {
    return new RankingIndex(this.context.db, async () => {
      this.feedHeads ??= await this.readFeedHeads()
      return this.feedHeads
    })
  }

  private readFeedHeads(): Promise<number[]> {
    const { jetStream, topology } = this.context
    const lanes = Array.from({ length: topology.laneCount }, (_, lane) => lane)
    return Promise.all(lanes.map((lane) => feedHead(jetStream, topology, lane)))
  }

  /** The wallet lane of a subject. Throws WireError for one that the topology does not have. */
  private laneOf(subject: string): number {
    const lane = walletLaneOfSubject(subject)
    if (lane < this.context.topology.laneCount) return lane
    throw new WireError(`there is no lane of wallets ${lane}`)
  }

  private noteSequences(messages: readonly StoredMessage[]): void {
    if (this.feedHeads === undefined) return
    const ends = [...this.feedHeads]
    for (const { subject, sequence } of messages) {
      const lane = walletLaneOfSubject(subject)
      if (lane < ends.length) ends[lane] = sequence
    }
    this.feedHeads = ends
  }

  private recountFrom(tokenId: number): Batch {
    // The recount replaces rows of cached tokens.
    this.minutes.clear()
    this.hours.clear()
    this.firstSwaps.clear()
    this.index = this.newIndex()
    return {
      ...emptyBatch(),
      isLong: true,
      write: async (connection) => {
        const swaps = await recountPage(connection, tokenId)
        this.market.clear()
        this.recounted = await loadRecountWatermarks(connection)
        if (swaps > 0) this.context.log.info({ tokenId, swaps }, 'recounted traders of token')
      },
    }
  }

  private withoutRecounted(decoded: readonly DecodedTrade[]): readonly DecodedTrade[] {
    const recounted = this.recounted!
    const isRecounted = ({ mark: { poolLane, commitNumber }, mint }: DecodedTrade): boolean =>
      recounted.mayInclude(poolLane, commitNumber) &&
      recounted.includes(mint.id, poolLane, commitNumber)
    return decoded.some(isRecounted) ? decoded.filter((trade) => !isRecounted(trade)) : decoded
  }

  /** Adds trades to their buckets of minutes and hours; returns the buckets that changed. */
  private async addTrades(trades: readonly DecodedTrade[]): Promise<Set<TraderBucket>> {
    const touched = new Set<TraderBucket>()
    for (const buckets of [this.minutes, this.hours]) {
      buckets.rotate()
      const keys = trades.map(({ mint, timestamp }) => buckets.keyOf(mint.id, timestamp))
      await buckets.load(this.context.db, keys)
      let grown = 0
      for (let index = 0; index < trades.length; index++) {
        const { isBuy, user } = trades[index]!
        const bucket = buckets.get(keys[index]!)!
        if (addTrade(bucket, isBuy, mixedWallet(user.id))) grown += 1
        touched.add(bucket)
      }
      buckets.noteGrowth(grown)
    }
    return touched
  }

  /** Subtracts retracted trades from their buckets, and adds these to `touched`. */
  private async subtract(
    retracted: readonly DecodedTrade[],
    touched: Set<TraderBucket>,
  ): Promise<void> {
    if (retracted.length === 0) return
    for (const buckets of [this.minutes, this.hours]) {
      const { db } = this.context
      for (const bucket of await subtractRetracted(db, buckets, retracted)) touched.add(bucket)
    }
    for (const { mint } of retracted) this.firstSwaps.delete(mint.id)
  }

  /** Tokens whose first swap may be among these trades, with its time. */
  private noteFirstSwaps(trades: readonly DecodedTrade[]): Map<number, number> {
    const earlier = new Map<number, number>()
    if (this.firstSwaps.size > FIRST_SWAPS_CACHED) this.firstSwaps = new Map()
    for (const { mint, timestamp } of trades) {
      const known = this.firstSwaps.get(mint.id)
      if (known !== undefined && known <= timestamp) continue
      this.firstSwaps.set(mint.id, timestamp)
      earlier.set(mint.id, timestamp)
    }
    return earlier
  }
}

/** Separates published trades from retracted ones. */
function partition(
  decoded: readonly DecodedTrade[],
): [allPublished: readonly DecodedTrade[], allRetracted: readonly DecodedTrade[]] {
  const retracted = decoded.filter(({ mark }) => mark.isRetraction)
  if (retracted.length === 0) return [decoded, retracted]
  return [decoded.filter(({ mark }) => !mark.isRetraction), retracted]
}
