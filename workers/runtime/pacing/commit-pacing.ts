/**
 * How a lane collects messages, and how far apart its commits begin that are not full. When the machine is short of
 * CPU, fewer and larger ones cost it less: readers are served, at the price of a later swap. The signal is CPU pressure
 * (cpu-pressure.ts), or slow commits, as where it has a share of a larger machine. Pure.
 *
 * Decision: docs/decisions/0009-micro-batching-and-commit-pacing.md
 */
import type { PendingBatch } from '../../../streams/nats/micro-batch.ts'
import type { Batching, CatchUpMode } from '../actor.ts'

/**
 * Default of an actor: 7,000 swaps. A small commit costs hardly less than a larger one, and each further commit changes
 * a pool and its candles once more.
 */
export const AT_ONCE: Batching = { bytesMax: 2 * 1024 * 1024, waitMs: 0, everyMs: 8 }
/**
 * A lane waits so long for the rest of a block, from its first message on: its messages are published together. A message that
 * never comes costs this, and nothing else.
 */
const BLOCK_WAIT_MS = 50
/** By how many milliseconds commits move apart for each that they take beyond `everyMs`. */
const GAIN = 6
/** However slow commits are, they move apart by no more than this. */
const MORE_MS_MAX = 100
/**
 * The least distance while CPU is short: it saves most of what can be saved, and is large enough for publishers to be
 * notified (streams/nats/backpressure.ts).
 */
const SHORT_MS = 60
/** Weight of the newest commit in the smoothed duration: a single slow one means little. */
const NEWEST_WEIGHT = 0.25

export class CommitPacing {
  private readonly waitMs: number
  private readonly everyMs: number
  private readonly catchUp: CatchUpMode | undefined
  private readonly isCpuShort: () => boolean
  private readonly blockWaitMs: number
  private tookMs = 0

  constructor(
    { waitMs, everyMs, catchUp }: Omit<Batching, 'bytesMax'>,
    isCpuShort: () => boolean = () => false,
    blockWaitMs = BLOCK_WAIT_MS,
  ) {
    this.waitMs = waitMs
    this.everyMs = everyMs
    this.catchUp = catchUp
    this.isCpuShort = isCpuShort
    this.blockWaitMs = blockWaitMs
  }

  /** The time until which a batch is collected; the one before was taken at `takenMs`. */
  untilMs(takenMs: number, { sinceMs, newestMs, bytes, block }: PendingBatch): number {
    const soonestMs = Math.max(sinceMs + this.waitMs, takenMs + this.ms)
    const isOpen = block !== undefined && block !== 'complete'
    const usualMs = isOpen ? Math.max(soonestMs, block.openSinceMs + this.blockWaitMs) : soonestMs
    if (this.catchUp === undefined || bytes < this.catchUp.bytes) return usualMs
    const { pauseMs, everyMs } = this.catchUp
    return Math.max(usualMs, Math.min(newestMs + pauseMs, takenMs + everyMs))
  }

  /** A commit took so long, from the pull of its messages on. */
  took(ms: number): void {
    this.tookMs += NEWEST_WEIGHT * (ms - this.tookMs)
  }

  /** Milliseconds from the beginning of the newest commit to that of the next. */
  get ms(): number {
    return this.everyMs + this.moreMs
  }

  /** By how many of these commits are further apart than the target. */
  get moreMs(): number {
    if (this.everyMs === 0) return 0
    const leastMs = this.isCpuShort() ? SHORT_MS : 0
    const beyond = Math.max(0, this.tookMs - this.everyMs)
    return Math.max(leastMs, Math.min(GAIN * beyond, MORE_MS_MAX))
  }
}
