/**
 * Swaps that a lane has heard and does not apply yet, so that those which pool lanes tell in turns, each of a
 * stretch of slots that overlaps the others', are applied in the order of slots. Any order ends in the same rows;
 * this one spares folding positions again. Pure.
 *
 * Law: of the messages behind the first that is kept in part, up to the newest, a swap is in if its slot is no
 * higher than `slot`. That is what is noted with a commit (Ahead): who reads these messages again passes over it.
 */
import type { DecodedSwap } from '../../../streams/codec/ledger-decoder.ts'

/** Swaps up to `slot` are applied of the messages up to `sequence` that the checkpoint does not count as read. */
export type Ahead = { sequence: number; slot: number }

/** Swaps to apply now; with them all messages up to `readTo` are applied, and of later ones those of `ahead`. */
export type Released = { swaps: DecodedSwap[]; readTo: number; ahead: Ahead | undefined }

/** So many times as many as are kept may come behind a swap: one of a slot far ahead would keep its message for ever. */
const BEHIND_MAX = 8
/** Below every slot. */
const NO_SLOT = -1

/** A message's swaps that are not in; `place`: of the first of them among all that were heard; when it came. */
type Kept = { sequence: number; swaps: DecodedSwap[]; place: number; atMs: number }

export class ReorderBuffer {
  private kept: Kept[] = []
  private ahead: Ahead | undefined
  private newestHeard = 0
  private count = 0

  /** `ahead`: what was noted last. */
  constructor(ahead?: Ahead) {
    this.ahead = ahead
  }

  /** The newest message that was read. */
  get heardTo(): number {
    return this.newestHeard
  }

  get isEmpty(): boolean {
    return this.kept.length === 0
  }

  /** When the oldest of what is kept came. */
  get sinceMs(): number {
    return this.kept[0]?.atMs ?? Number.POSITIVE_INFINITY
  }

  /**
   * The swaps of a message that was read, in the order of sequences, those left out that are in already. Also one
   * without any is said: it is read with the others.
   */
  add(sequence: number, swaps: readonly DecodedSwap[], atMs = 0): void {
    this.newestHeard = Math.max(this.newestHeard, sequence)
    const isIn = this.inUpTo(sequence)
    const missing = swaps.filter(({ swap }) => swap.slot > isIn)
    if (missing.length > 0) this.kept.push({ sequence, swaps: missing, place: this.count, atMs })
    this.count += missing.length
  }

  /** All but about the `depth` newest by slot; of a slot all or none. */
  release(depth: number): Released {
    const oldest = this.kept[0]
    if (oldest === undefined || this.count - oldest.place > BEHIND_MAX * depth) return this.drain()
    const slots = this.slots()
    return this.releaseTo(slots[slots.length - depth - 1] ?? NO_SLOT)
  }

  /** Those up to a slot, and what is late. */
  releaseTo(slot: number): Released {
    const oldest = this.kept[0]
    if (oldest === undefined) return this.drain()
    if (this.ahead !== undefined && this.newestHeard < this.ahead.sequence) {
      // One slot marks the applied part of messages to be read again: nothing later goes before all of it.
      return { swaps: [], readTo: oldest.sequence - 1, ahead: this.ahead }
    }
    // Swaps skipped before stay after those released then.
    const upTo = Math.max(this.inUpTo(oldest.sequence), slot)
    const swaps: DecodedSwap[] = []
    const kept: Kept[] = []
    for (const { swaps: heard, ...message } of this.kept) {
      const later: DecodedSwap[] = []
      for (const each of heard) (each.swap.slot > upTo ? later : swaps).push(each)
      if (later.length > 0) kept.push({ ...message, swaps: later })
    }
    this.kept = kept
    const [first] = kept
    if (first === undefined) return { swaps, readTo: this.newestHeard, ahead: undefined }
    this.ahead = { sequence: this.newestHeard, slot: upTo }
    return { swaps, readTo: first.sequence - 1, ahead: this.ahead }
  }

  /** All. */
  drain(): Released {
    const swaps = this.kept.flatMap((each) => each.swaps)
    this.kept = []
    return { swaps, readTo: this.newestHeard, ahead: undefined }
  }

  /** Up to which slot the swaps of a message are in. */
  private inUpTo(sequence: number): number {
    return this.ahead !== undefined && sequence <= this.ahead.sequence ? this.ahead.slot : NO_SLOT
  }

  private slots(): Float64Array {
    const slots = new Float64Array(this.kept.reduce((sum, { swaps }) => sum + swaps.length, 0))
    let at = 0
    for (const { swaps } of this.kept) for (const { swap } of swaps) slots[at++] = swap.slot
    return slots.sort()
  }
}
