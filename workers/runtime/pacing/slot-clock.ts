/**
 * Up to which slot pool lanes have told all, as far as one can know: each tells its swaps in the order of slots, so
 * what is before the newest of every one of them. Pure.
 */
import type { DecodedSwap } from '../../../streams/codec/ledger-decoder.ts'

/** A lane that tells nothing for so long is not waited for. */
const QUIET_MS = 500

export class SlotClock {
  private readonly nowMs: () => number
  /** By pool lane: its newest slot, and when it told something. */
  private readonly newest = new Map<number, { slot: number; atMs: number }>()

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs
  }

  /** The swaps of a message, all of one pool lane. */
  note(swaps: readonly DecodedSwap[]): void {
    const [first] = swaps
    if (first === undefined) return
    const { poolLane } = first.mark
    let slot = this.newest.get(poolLane)?.slot ?? 0
    for (const { swap } of swaps) slot = Math.max(slot, swap.slot)
    this.newest.set(poolLane, { slot, atMs: this.nowMs() })
  }

  /** Below it, no lane that tells anything is expected to tell more; infinite where none does. */
  get begun(): number {
    let begun = Number.POSITIVE_INFINITY
    for (const { slot, atMs } of this.newest.values()) {
      if (this.nowMs() - atMs < QUIET_MS) begun = Math.min(begun, slot)
    }
    return begun
  }
}
