/**
 * How a lane gathers messages, and how far apart its commits begin that are not full. When they become
 * slow, the machine is short of CPU, and fewer and larger ones cost it less: who reads beside them is
 * served, at the price of a later swap. Pure.
 */

/**
 * Of an actor: payload bytes of a batch, how long it waits for them, and how close commits that are not full
 * may begin.
 */
export type Gather = { bytesMax: number; waitMs: number; everyMs: number }

/** Where an actor does not say: 3,500 swaps. A small commit costs hardly less than a larger. */
export const AT_ONCE: Gather = { bytesMax: 1024 * 1024, waitMs: 0, everyMs: 8 }
/** By how many milliseconds commits move apart for each that they take beyond `everyMs`. */
const GAIN = 6
/** However slow commits are, they move apart by no more than this. */
const MORE_MS_MAX = 100
/** How much the newest commit counts in how long one takes: one that stumbled says little. */
const NEWEST_WEIGHT = 0.25

export class Spacing {
  private readonly everyMs: number
  private tookMs = 0

  /** `everyMs`: how far apart they begin at least. */
  constructor(everyMs: number) {
    this.everyMs = everyMs
  }

  /** A commit took so long, from the pull of its messages on. */
  took(ms: number): void {
    this.tookMs += NEWEST_WEIGHT * (ms - this.tookMs)
  }

  /** Milliseconds from the beginning of the newest commit to that of the next. */
  get ms(): number {
    return this.everyMs + this.moreMs
  }

  /** By how many of these commits lie further apart than they are told. */
  get moreMs(): number {
    if (this.everyMs === 0) return 0
    const beyond = Math.max(0, this.tookMs - this.everyMs)
    return Math.min(GAIN * beyond, MORE_MS_MAX)
  }
}
