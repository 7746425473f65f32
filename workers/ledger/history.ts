/**
 * Whether more history comes: FEED holds messages that the lane has yet to read, or the pool lanes lag SWAP and
 * progress. Their commits then arrive in FEED in stretches of some seconds of the market, one lane after another.
 */
import { query } from '../../sql/query.ts'
import { feedHead, swapHead } from '../../streams/nats/topology.ts'
import type { LaneContext } from '../runtime/actor.ts'

const listLaneSequences = query<{ lane: number; sequence: number }>('actor/list_lane_sequences')

/** A pool lane without progress for so long is not waited for, whatever the others do. */
const STANDSTILL_MS = 2_000
/**
 * After so long without a large batch no lane is waited for: duplicates are not published, and a live market may
 * publish for ever, with pool lanes that always lag a little.
 */
const FLOODLESS_MS = 4_000

/** A read sequence, and since when it is unchanged. */
type Progress = { sequence: number; sinceMs: number }

export class History {
  private readonly context: LaneContext
  private readonly now: () => number
  /** The newest message of each lane at the last look. */
  private heads: readonly number[] | undefined
  private read: readonly Progress[] = []
  /** Where FEED ended when the pool lanes had read all. */
  private feedEnd: number | undefined
  /** The sequence up to which FEED was read when its end was last looked up. */
  private lookedAt = 0
  private catchUp: Progress | undefined

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(context: LaneContext, now = () => performance.now()) {
    this.context = context
    this.now = now
  }

  /**
   * `sequence`: up to which the lane has read FEED; `catchUpTo`: the newest message of a batch larger than a live
   * market brings. Such batches may arrive for hours while the pool lanes never lag far: meanwhile commits are in
   * flight between them, and the next message may be older than the applied ones.
   */
  async isComing(sequence: number, catchUpTo: number): Promise<boolean> {
    const nowMs = this.now()
    if (this.catchUp?.sequence !== catchUpTo) this.catchUp = { sequence: catchUpTo, sinceMs: nowMs }
    if (nowMs - this.catchUp.sinceMs > FLOODLESS_MS) {
      this.heads = undefined
      this.feedEnd = undefined
      return false
    }
    const isCatchUp = catchUpTo > this.lookedAt
    if (await this.isBeforeEnd(sequence)) return true
    return isCatchUp && this.isBeforeEnd(sequence)
  }

  private async isBeforeEnd(sequence: number): Promise<boolean> {
    if (this.feedEnd === undefined) {
      if (await this.isBeingRead()) return true
      const { jetStream, topology, lane } = this.context
      this.feedEnd = await feedHead(jetStream, topology, lane)
      this.lookedAt = sequence
    }
    if (sequence < this.feedEnd) return true
    this.feedEnd = undefined
    return false
  }

  /** False once the pool lanes have read all that SWAP held at the previous call. */
  private async isBeingRead(): Promise<boolean> {
    const { jetStream, topology } = this.context
    this.read = await this.progress()
    const fromMs = this.now() - STANDSTILL_MS
    const isAwaited = (heads: readonly number[]): boolean =>
      this.read.some(({ sequence, sinceMs }, lane) => heads[lane]! > sequence && sinceMs > fromMs)
    const before = this.heads
    this.heads = undefined
    if (before !== undefined && !isAwaited(before)) return false
    const heads = await Promise.all(this.read.map((_, lane) => swapHead(jetStream, topology, lane)))
    if (!isAwaited(heads)) return false
    this.heads = heads
    return true
  }

  private async progress(): Promise<Progress[]> {
    const { db, topology } = this.context
    const rows = await listLaneSequences(db, ['pool'])
    const nowMs = this.now()
    return Array.from({ length: topology.laneCount }, (_, at) => {
      const sequence = rows.find(({ lane }) => lane === at)?.sequence ?? 0
      const known = this.read[at]
      return known?.sequence === sequence ? known : { sequence, sinceMs: nowMs }
    })
  }
}
