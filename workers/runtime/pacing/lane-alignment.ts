/**
 * Aligns the pool lanes where they read a long history. Without it a lane with fewer swaps gets ahead, ever further,
 * and FEED then brings swaps of slots that lie far apart in turns. A position that trades in two lanes would be
 * recomputed for most swaps of the lane that lags.
 *
 *   lane 0   |--batch--|--batch--|          begins its next when lane 1 has read as far as where its
 *   lane 1   |--batch--|                    newest one began: both are at work all the time
 *
 * Invariant: the lane that has read least of SWAP waits for none, so that one always advances. A lane without progress,
 * whose worker is gone or busy for long, is not waited for.
 * Decision: docs/decisions/0022-lane-alignment-and-reorder-buffer.md
 */
import { query } from '../../../sql/query.ts'
import type { StoredMessage } from '../../../streams/nats/jetstream.ts'
import { swapHead } from '../../../streams/nats/topology.ts'
import type { LaneContext } from '../actor.ts'
import { waitUnlessAborted } from '../backoff.ts'

/** The epoch is null before the first commit. */
type LaneRow = { lane: number; stream_epoch: string | null; sequence: number }

const listLaneSequences = query<LaneRow>('actor/list_lane_sequences')

/** Payload bytes of a batch from which on it counts as one of a history: 3,500 swaps. */
const HISTORY_BYTES = 1024 * 1024
/** A lane that did not get on for so long is not waited for. Commits of a busy machine take seconds. */
const STANDSTILL_MS = 10_000
const POLL_MS = 20
/** A lane that has had no owner yet. */
const UNREAD = { stream_epoch: null, sequence: 0 }

/** How far a lane has read, and since when; its newest message, when that was looked for. */
type Progress = { sequence: number; sinceMs: number; head: number }

export class LaneAlignment {
  private readonly context: LaneContext
  private readonly now: () => number
  /** The first message of the newest batch, where that is one of a history. */
  private begun: number | undefined
  private others = new Map<number, Progress>()

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(context: LaneContext, now = () => performance.now()) {
    this.context = context
    this.now = now
  }

  /** A batch is taken. */
  took(messages: readonly StoredMessage[]): void {
    const bytes = messages.reduce((sum, { payload }) => sum + payload.length, 0)
    this.begun = bytes < HISTORY_BYTES ? undefined : messages[0]?.sequence
  }

  /** Resolves when no other lane lags too far, or with the signal. */
  async untilOthers(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.isAhead())) await waitUnlessAborted(POLL_MS, signal)
  }

  private async isAhead(): Promise<boolean> {
    const { begun, context } = this
    if (begun === undefined) return false
    const rows = await listLaneSequences(context.db, ['pool'])
    const own = rows.find(({ lane }) => lane === context.lane)
    let isAnyAwaited = false
    for (let lane = 0; lane < context.topology.laneCount; lane++) {
      const { stream_epoch: epoch, sequence } = rows.find((row) => row.lane === lane) ?? UNREAD
      // Sequences of another stream do not compare with this one's.
      if (epoch !== null && epoch !== own?.stream_epoch) continue
      // Each is checked: of several without progress, none begins when another was waited for.
      if (sequence < begun && (await this.isAwaited(lane, sequence))) isAnyAwaited = true
    }
    return isAnyAwaited
  }

  /** Whether a lane that has read up to a sequence has more to read, and gets on. */
  private async isAwaited(lane: number, sequence: number): Promise<boolean> {
    const nowMs = this.now()
    const before = this.others.get(lane)
    const { sinceMs, head } =
      before?.sequence === sequence ? before : { sinceMs: nowMs, head: before?.head ?? 0 }
    const progress = { sequence, sinceMs, head }
    this.others.set(lane, progress)
    if (nowMs - sinceMs > STANDSTILL_MS) return false
    if (head > sequence) return true
    progress.head = await swapHead(this.context.jetStream, this.context.topology, lane)
    return progress.head > sequence
  }
}
