/**
 * Waits until everything that SWAP held at one moment is in every table.
 *
 * ```
 *   SWAP heads --> pool checkpoints --> retractions --> their commits in FEED, whole
 *       --> FEED heads --> ledger and ranking checkpoints --> work in the background --> rankings
 *              '------------------------ once more ----------------'
 * ```
 *
 * Each step is measured after the step before it is done: FEED's end is read when it holds the pools' commits, so a
 * ledger that has reached an older end does not count as caught up. Repairs and audits publish, and queue positions:
 * after them FEED's end is read a second time.
 */
import assert from 'node:assert/strict'
import type { LaneState } from '../../api/admin/operations.ts'
import { FORMULA_VERSION } from '../../domain/ranking.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { decodeFeedMark } from '../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../streams/codec/protobuf.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import { untilApplied } from '../../streams/nats/replicas.ts'
import { feedPoolLaneFilter } from '../../streams/nats/subject.ts'
import { streamExtent, type Topology } from '../../streams/nats/topology.ts'
import { counted } from '../cli/format.ts'
import { listLanes } from './lanes.ts'

type PublishedRow = {
  lane: number
  published_commit: number
  published_parts: number
  feed_epoch: string | null
  feed_sequence: number
  is_noted: boolean
}

type RefreshedRow = {
  feed_sequence: number | null
  refreshed_ms: number | null
  has_swaps: boolean
}
type EpochRow = { actor: string; lane: number; stream_epoch: string }

/** The remaining lag in words; undefined: every event is in the tables. */
type Remaining = { text: string } | undefined

const listPublished = query<PublishedRow>('status/list_published')
const countRetractions = query<{ left_over: number }>('status/count_retractions')
const listEpochs = query<EpochRow>('status/list_epochs')
const listRecomputed = query<{ name: string }>('status/list_recomputed')
const readRefreshed = query<RefreshedRow>('status/read_refreshed')

/**
 * The longest pause between refreshes of rankings is 10 s (`REST_LAGGING` of the ranking actor), plus a refresh. Bounds
 * the wait where a ranking worker of an older version runs, whose refreshes without a change leave no trace.
 */
const REFRESH_BOUND_MS = 30_000

export class CatchUp {
  private readonly db: Db
  private readonly jetStream: JetStream
  private readonly topology: Topology
  private step: (lanes: readonly LaneState[]) => Promise<Remaining> = this.requested
  private heads = new Map<string, number>()
  private recomputed = new Set<string>()
  private isRepeated = false
  private readSince = Number.POSITIVE_INFINITY
  /** Rankings count from a refresh after this one, Unix ms. */
  private refreshedMs = 0

  constructor(db: Db, jetStream: JetStream, topology: Topology) {
    this.db = db
    this.jetStream = jetStream
    this.topology = topology
  }

  /** Looks once. Steps that are done are not looked at again. */
  async look(): Promise<{ lanes: readonly LaneState[]; remaining: Remaining }> {
    const lanes = await listLanes(this.db, this.jetStream, this.topology)
    for (;;) {
      const { step } = this
      const remaining = await step.call(this, lanes)
      if (remaining !== undefined || this.step === step) return { lanes, remaining }
    }
  }

  /** The first look determines the messages that are waited for. */
  private async requested(): Promise<Remaining> {
    await this.readHeads(this.topology.swap.stream)
    this.step = this.pools
    return undefined
  }

  private async readHeads(stream: string): Promise<void> {
    await untilApplied(this.jetStream, stream)
    const lanes = await listLanes(this.db, this.jetStream, this.topology)
    this.heads = new Map(lanes.map((lane) => [nameOf(lane), lane.head]))
  }

  private async pools(lanes: readonly LaneState[]): Promise<Remaining> {
    const left = lagOf(lanes.filter(isPool), this.heads)
    if (left > 0) return { text: `${counted(left, 'message')} left to apply` }
    this.step = this.retractions
    return undefined
  }

  /** A lane applies a retraction in a commit after the one that stored it. */
  private async retractions(): Promise<Remaining> {
    const [counts] = await countRetractions(this.db)
    const left = counts?.left_over ?? 0
    if (left > 0) return { text: `${counted(left, 'retraction')} left to apply` }
    this.step = this.published
    return undefined
  }

  private async published(): Promise<Remaining> {
    const extent = await streamExtent(this.jetStream, this.topology.feed.stream)
    for (const row of await listPublished(this.db)) {
      if (row.is_noted || (await this.holds(row, extent?.epoch))) continue
      return { text: `pool lane ${row.lane} is publishing its newest commit` }
    }
    await this.readHeads(this.topology.feed.stream)
    this.step = this.readers
    return undefined
  }

  /** Whether FEED, of this epoch now, holds every message of the commit. */
  private async holds(row: PublishedRow, epoch: string | undefined): Promise<boolean> {
    if (epoch === undefined) return false
    const { stream } = this.topology.feed
    const filter = feedPoolLaneFilter(this.topology.prefix, row.lane)
    const isSame = row.feed_epoch === null || row.feed_epoch === epoch
    let sequence = isSame ? row.feed_sequence : 0
    for (let parts = 0; parts < row.published_parts; ) {
      const message = await this.jetStream.nextOfSubject(stream, filter, sequence + 1)
      if (message === undefined) return false
      sequence = message.sequence
      const mark = unlessBroken(() => decodeFeedMark(message.payload))
      if (mark === undefined) continue
      // A lane publishes a commit when the one before it is stored whole.
      if (mark.commitNumber > row.published_commit) return true
      if (mark.commitNumber === row.published_commit) parts += 1
    }
    return true
  }

  private async readers(lanes: readonly LaneState[]): Promise<Remaining> {
    const readers = lanes.filter((lane) => !isPool(lane))
    const left = lagOf(readers, this.heads)
    if (left > 0) return { text: `${counted(left, 'message')} left to apply` }
    const unaware = await this.countUnaware(readers)
    if (unaware > 0) return { text: `${counted(unaware, 'lane')} to resume in the renewed FEED` }
    this.recomputed = await this.readRecomputed()
    this.readSince = performance.now()
    this.step = this.background
    return undefined
  }

  /** Lanes that read an earlier FEED: one that resumes in this one may request an audit or a recount. */
  private async countUnaware(readers: readonly LaneState[]): Promise<number> {
    const extent = await streamExtent(this.jetStream, this.topology.feed.stream)
    const names = new Set(readers.map(nameOf))
    const read = (await listEpochs(this.db)).filter((row) => names.has(nameOf(row)))
    return read.filter(({ stream_epoch: epoch }) => epoch !== extent?.epoch).length
  }

  private async background(): Promise<Remaining> {
    const now = await this.readRecomputed()
    const left = this.recomputed.intersection(now)
    if (left.has(RECOUNT)) this.refreshedMs = (await this.readRefreshed()).refreshed_ms ?? 0
    if (left.size > 0) return { text: `${left.size} to be recomputed in the background` }
    const isRepeated = this.isRepeated || ![...this.recomputed].some(publishesOrQueues)
    this.isRepeated = true
    this.step = isRepeated ? this.rankings : this.published
    this.readSince = performance.now()
    return undefined
  }

  private async rankings(lanes: readonly LaneState[]): Promise<Remaining> {
    const isDone = await this.isRefreshed(lanes)
    if (isDone || performance.now() - this.readSince > REFRESH_BOUND_MS) return undefined
    return { text: 'rankings are being refreshed' }
  }

  private async isRefreshed(lanes: readonly LaneState[]): Promise<boolean> {
    const refreshed = await this.readRefreshed()
    if (!refreshed.has_swaps) return true
    const noted = refreshed.feed_sequence ?? 0
    const read = lanes.find((lane) => nameOf(lane) === RANKING)?.sequence ?? 0
    const isNew = (refreshed.refreshed_ms ?? 0) > this.refreshedMs
    // A refresh beyond what the lane has read is one of another FEED, before that was recreated.
    return isNew && noted >= (this.heads.get(RANKING) ?? 0) && noted <= read
  }

  private async readRefreshed(): Promise<RefreshedRow> {
    const [refreshed] = await readRefreshed(this.db, [FORMULA_VERSION])
    assert(refreshed !== undefined, 'one row always')
    return refreshed
  }

  private async readRecomputed(): Promise<Set<string>> {
    return new Set((await listRecomputed(this.db)).map(({ name }) => name))
  }
}

const publishesOrQueues = (name: string): boolean => !name.startsWith('position ')
/** The name that `listRecomputed` returns. */
const RECOUNT = 'ranking'
const isPool = ({ actor }: LaneState): boolean => actor === 'pool'
const nameOf = ({ actor, lane }: Pick<LaneState, 'actor' | 'lane'>): string => `${actor} ${lane}`
const RANKING = nameOf({ actor: 'ranking', lane: 0 })

/** Messages between the committed sequences and these heads. */
function lagOf(lanes: readonly LaneState[], heads: ReadonlyMap<string, number>): number {
  return lanes.reduce(
    (sum, lane) => sum + Math.max(0, (heads.get(nameOf(lane)) ?? 0) - lane.sequence),
    0,
  )
}
