/**
 * Waits until everything that SWAP held at one moment is in every table.
 *
 * ```
 *   SWAP heads --> pool checkpoints --> retractions --> their commits in FEED, whole
 *       --> FEED heads --> ledger and ranking checkpoints --> work in the background, rankings
 * ```
 *
 * Each step is measured after the step before it is done: FEED's end is read when it holds the pools' commits, so a
 * ledger that has reached an older end does not count as caught up.
 */
import type { LaneState } from '../../api/admin/operations.ts'
import { FORMULA_VERSION } from '../../domain/ranking.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { decodeFeedMark } from '../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../streams/codec/protobuf.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
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

type RefreshedRow = { feed_sequence: number | null; has_swaps: boolean }

/** The remaining lag in words; undefined: every event is in the tables. */
export type Remaining = { text: string } | undefined

const listPublished = query<PublishedRow>('status/list_published')
const countRetractions = query<{ left_over: number }>('status/count_retractions')
const listRecomputed = query<{ name: string }>('status/list_recomputed')
const readRefreshed = query<RefreshedRow>('status/read_refreshed')

/**
 * The longest pause between refreshes of rankings is 10 s (`REST_BEHIND` of the ranking actor), plus a refresh. Bounds the wait where
 * a ranking worker of an older version runs, whose refreshes without a change leave no trace.
 */
const REFRESH_BOUND_MS = 30_000

export class CatchUp {
  private readonly db: Db
  private readonly jetStream: JetStream
  private readonly topology: Topology
  private readonly asked: readonly LaneState[]
  private step = this.pools
  private heads = new Map<string, number>()
  private recomputed = new Set<string>()
  private readSince = Number.POSITIVE_INFINITY

  /** `asked`: the present lanes; waits for the messages that SWAP holds at the call. */
  constructor(db: Db, jetStream: JetStream, topology: Topology, asked: readonly LaneState[]) {
    this.db = db
    this.jetStream = jetStream
    this.topology = topology
    this.asked = asked
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

  private async pools(lanes: readonly LaneState[]): Promise<Remaining> {
    const heads = new Map(this.asked.map((lane) => [nameOf(lane), lane.head]))
    const left = behind(lanes.filter(isPool), heads)
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
    // Read again: those of `lanes` may be older than the published commits just found.
    const lanes = await listLanes(this.db, this.jetStream, this.topology)
    this.heads = new Map(lanes.map((lane) => [nameOf(lane), lane.head]))
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
    const left = behind(
      lanes.filter((lane) => !isPool(lane)),
      this.heads,
    )
    if (left > 0) return { text: `${counted(left, 'message')} left to apply` }
    this.recomputed = await this.readRecomputed()
    this.readSince = performance.now()
    this.step = this.background
    return undefined
  }

  private async background(lanes: readonly LaneState[]): Promise<Remaining> {
    const now = await this.readRecomputed()
    // An audit or a repair queues positions in the transaction that ends it.
    if ([...this.recomputed].some(queuesOthers)) this.recomputed = now
    const left = this.recomputed.intersection(now).size
    if (left > 0) {
      this.readSince = performance.now()
      return { text: `${left} to be recomputed in the background` }
    }
    const isDone = await this.isRefreshed(lanes)
    if (isDone || performance.now() - this.readSince > REFRESH_BOUND_MS) return undefined
    return { text: 'rankings are being refreshed' }
  }

  private async isRefreshed(lanes: readonly LaneState[]): Promise<boolean> {
    const [refreshed] = await readRefreshed(this.db, [FORMULA_VERSION])
    if (refreshed?.has_swaps === false) return true
    const noted = refreshed?.feed_sequence ?? 0
    const read = lanes.find((lane) => nameOf(lane) === RANKING)?.sequence ?? 0
    // A refresh beyond what the lane has read is one of another FEED, before that was recreated.
    return noted >= (this.heads.get(RANKING) ?? 0) && noted <= read
  }

  private async readRecomputed(): Promise<Set<string>> {
    return new Set((await listRecomputed(this.db)).map(({ name }) => name))
  }
}

const queuesOthers = (name: string): boolean => !name.startsWith('position ')
const isPool = ({ actor }: LaneState): boolean => actor === 'pool'
const nameOf = ({ actor, lane }: Pick<LaneState, 'actor' | 'lane'>): string => `${actor} ${lane}`
const RANKING = nameOf({ actor: 'ranking', lane: 0 })

/** Messages between the committed sequences and these heads. */
function behind(lanes: readonly LaneState[], heads: ReadonlyMap<string, number>): number {
  return lanes.reduce(
    (sum, lane) => sum + Math.max(0, (heads.get(nameOf(lane)) ?? 0) - lane.sequence),
    0,
  )
}
