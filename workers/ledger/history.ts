/**
 * Whether more history comes: FEED has what the lane has yet to read, or the pool lanes are behind SWAP and get on.
 * Then what they commit comes to FEED in stretches of some seconds of the market, of each lane in its turn.
 */
import { query } from '../../sql/query.ts'
import { feedHead, swapHead } from '../../streams/nats/topology.ts'
import type { LaneContext } from '../runtime/actor.ts'

const listLaneSequences = query<{ lane: number; sequence: number }>('actor/list_lane_sequences')

/** A lane that did not get on for so long is not waited for, whatever the others do. */
const STANDSTILL_MS = 2_000
/**
 * Nor anything, where no flood comes for so long: of what was known already nothing is told, and what a live market
 * tells meanwhile may go on for ever, with pool lanes that are always a little behind.
 */
const FLOODLESS_MS = 4_000

/** How far somebody has read, and since when. */
type Progress = { sequence: number; sinceMs: number }

export class History {
  private readonly context: LaneContext
  /** The newest message of each lane at the last look. */
  private heads: readonly number[] | undefined
  private read: readonly Progress[] = []
  /** Where FEED ended when the pool lanes had read all. */
  private feedEnd: number | undefined
  /** How far FEED was heard when its end was looked for last. */
  private lookedAt = 0
  private flood: Progress | undefined

  constructor(context: LaneContext) {
    this.context = context
  }

  /**
   * `sequence`: up to which the lane has read FEED; `floodedTo`: the newest message that came with more than a live
   * market brings. Such a flood may go on for hours while the pool lanes are never far behind: as long as it does,
   * something is under way between them, and what comes next may be older than what is there.
   */
  async isComing(sequence: number, floodedTo: number): Promise<boolean> {
    const nowMs = performance.now()
    if (this.flood?.sequence !== floodedTo) this.flood = { sequence: floodedTo, sinceMs: nowMs }
    if (nowMs - this.flood.sinceMs > FLOODLESS_MS) {
      this.heads = undefined
      this.feedEnd = undefined
      return false
    }
    const isFlood = floodedTo > this.lookedAt
    if (await this.isBeforeEnd(sequence)) return true
    return isFlood && this.isBeforeEnd(sequence)
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

  /** Not so where all is read that stood in SWAP when this was asked before. */
  private async isBeingRead(): Promise<boolean> {
    const { jetStream, topology } = this.context
    this.read = await this.progress()
    const fromMs = performance.now() - STANDSTILL_MS
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
    const nowMs = performance.now()
    return Array.from({ length: topology.laneCount }, (_, at) => {
      const sequence = rows.find(({ lane }) => lane === at)?.sequence ?? 0
      const known = this.read[at]
      return known?.sequence === sequence ? known : { sequence, sinceMs: nowMs }
    })
  }
}
