/**
 * Whether more history comes: FEED has what the lane has yet to read, or the pool lanes are behind SWAP and get on.
 * Then what they commit comes to FEED in stretches of some seconds of the market, of each lane in its turn.
 */
import { query } from '../../sql/query.ts'
import { feedHead, swapHead } from '../../streams/topology.ts'
import type { LaneContext } from '../actor.ts'

const listLaneSequences = query<{ lane: number; sequence: number }>('actor/list_lane_sequences')

/** Lanes that did not get on for so long are not waited for. */
const STANDSTILL_MS = 2_000

export class History {
  private readonly context: LaneContext
  /** Of each lane the newest message, when they were last looked for. */
  private heads: readonly number[] | undefined
  private read: readonly number[] = []
  /** Where FEED ended when the pool lanes had read all. */
  private feedEnd: number | undefined
  private movedAtMs = Number.NEGATIVE_INFINITY

  constructor(context: LaneContext) {
    this.context = context
  }

  /** `sequence`: up to which the lane has read FEED. */
  async isComing(sequence: number): Promise<boolean> {
    if (this.feedEnd === undefined) {
      if (await this.isBeingRead()) return true
      const { jetStream, topology, lane } = this.context
      this.feedEnd = await feedHead(jetStream, topology, lane)
    }
    if (sequence < this.feedEnd) return true
    this.feedEnd = undefined
    return false
  }

  /** Not so where all is read that stood in SWAP when this was asked before. */
  private async isBeingRead(): Promise<boolean> {
    const { db, jetStream, topology } = this.context
    const rows = await listLaneSequences(db, ['pool'])
    const read = Array.from(
      { length: topology.laneCount },
      (_, at) => rows.find(({ lane }) => lane === at)?.sequence ?? 0,
    )
    const isMoving = read.some((sequence, lane) => sequence !== this.read[lane])
    if (isMoving) this.movedAtMs = performance.now()
    this.read = read
    const isBehind = (heads: readonly number[]) => heads.some((head, lane) => head > read[lane]!)
    if (this.heads !== undefined && !isBehind(this.heads)) {
      this.heads = undefined
      return false
    }
    this.heads = await Promise.all(read.map((_, lane) => swapHead(jetStream, topology, lane)))
    return isBehind(this.heads) && performance.now() - this.movedAtMs < STANDSTILL_MS
  }
}
