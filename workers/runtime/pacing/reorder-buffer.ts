/**
 * Swaps that a lane has decoded and does not apply yet, so that those which pool lanes publish in turns, each of a
 * stretch of slots that overlaps the others', are applied in the order of slots: all but the newest by number where
 * history is read, all but those of slots under way where not. Any order ends in the same rows; this one saves
 * recomputes. Pure.
 *
 * Invariant: of the messages after the first that is held in part, up to the newest, a swap is applied if its slot is
 * no higher than `slot`. A commit records that (Ahead): a reader of these messages skips it.
 * Decision: docs/decisions/0022-lane-alignment-and-reorder-buffer.md
 */
import { compareSwaps } from '../../../domain/events/swap.ts'
import type { DecodedSwap } from '../../../streams/codec/ledger-decoder.ts'

/** Swaps up to `slot` are applied of the messages up to `sequence` that the checkpoint does not count as read. */
export type Ahead = { sequence: number; slot: number }

/** Swaps to apply now; with them all messages up to `readTo` are applied, and of later ones those of `ahead`. */
export type Released = { swaps: DecodedSwap[]; readTo: number; ahead: Ahead | undefined }

/** So many times the depth may come after a swap: one of a slot far ahead would hold its message for ever. */
const LAG_DEPTHS_MAX = 8
/** Below every slot. */
const NO_SLOT = -1
/** A pool lane that publishes nothing for so long is not waited for. */
const QUIET_MS = 500

/** A message's swaps that are not yet applied; `swapOffset`: the first of them among all that were read; when it came. */
type HeldMessage = { sequence: number; swaps: DecodedSwap[]; swapOffset: number; atMs: number }

export class ReorderBuffer {
  private held: HeldMessage[] = []
  private ahead: Ahead | undefined
  private newestReceived = 0
  private count = 0
  /** By pool lane: its newest slot, and when it published something. */
  private readonly newest = new Map<number, { slot: number; atMs: number }>()

  /** `ahead`: the last noted value. */
  constructor(ahead?: Ahead) {
    this.ahead = ahead
  }

  /** The newest message that was read. */
  get receivedTo(): number {
    return this.newestReceived
  }

  get isEmpty(): boolean {
    return this.held.length === 0
  }

  /** When the oldest held message came. */
  get sinceMs(): number {
    return this.held[0]?.atMs ?? Number.POSITIVE_INFINITY
  }

  /**
   * The swaps of a message that was read, all of one pool lane, in the order of sequences. Those that are in already are
   * left out, as are all where `isCovered`. A message without swaps is added, too: it is read with the others.
   */
  add(
    sequence: number,
    swaps: readonly DecodedSwap[],
    { atMs, isCovered = false }: { atMs: number; isCovered?: boolean } = { atMs: 0 },
  ): void {
    this.newestReceived = Math.max(this.newestReceived, sequence)
    this.noteSlots(swaps, atMs)
    const isIn = isCovered ? Number.POSITIVE_INFINITY : this.inUpTo(sequence)
    const missing = swaps.filter(({ swap }) => swap.slot > isIn)
    if (missing.length > 0)
      this.held.push({ sequence, swaps: missing, swapOffset: this.count, atMs })
    this.count += missing.length
  }

  /** Drops what is held of a message's swaps: they were taken back. */
  remove(retracted: readonly DecodedSwap[]): void {
    const [first] = retracted
    if (first === undefined) return
    const isRetracted = ({ swap }: DecodedSwap) =>
      swap.slot === first.swap.slot && retracted.some((each) => compareSwaps(each.swap, swap) === 0)
    this.held = this.held.flatMap((message) => {
      const swaps = message.swaps.filter((each) => !isRetracted(each))
      return swaps.length === 0 ? [] : [{ ...message, swaps }]
    })
  }

  /** All but about the `depth` newest by slot; of a slot all or none. */
  release(depth: number): Released {
    const oldest = this.held[0]
    if (oldest === undefined || this.count - oldest.swapOffset > LAG_DEPTHS_MAX * depth)
      return this.drain()
    const slots = this.slots()
    return this.releaseTo(slots[slots.length - depth - 1] ?? NO_SLOT)
  }

  /**
   * All but those of slots that are under way. Each pool lane publishes its swaps in the order of slots, so below the
   * newest slot of every one of them no more is expected; where none publishes, all is released.
   */
  releaseSettled(nowMs: number): Released {
    let underWay = Number.POSITIVE_INFINITY
    for (const { slot, atMs } of this.newest.values()) {
      if (nowMs - atMs < QUIET_MS) underWay = Math.min(underWay, slot)
    }
    return this.releaseTo(underWay - 1)
  }

  /** Releases the events up to a slot, and those that are late. */
  releaseTo(slot: number): Released {
    const oldest = this.held[0]
    if (oldest === undefined) return this.drain()
    if (this.ahead !== undefined && this.newestReceived < this.ahead.sequence) {
      // One slot marks the applied part of messages to be read again: nothing later goes before all of it.
      return { swaps: [], readTo: oldest.sequence - 1, ahead: this.ahead }
    }
    // Swaps skipped before stay after those released then.
    const upTo = Math.max(this.inUpTo(oldest.sequence), slot)
    const swaps: DecodedSwap[] = []
    const held: HeldMessage[] = []
    for (const { swaps: pending, ...message } of this.held) {
      const later: DecodedSwap[] = []
      for (const each of pending) (each.swap.slot > upTo ? later : swaps).push(each)
      if (later.length > 0) held.push({ ...message, swaps: later })
    }
    this.held = held
    const [first] = held
    if (first === undefined) return { swaps, readTo: this.newestReceived, ahead: undefined }
    this.ahead = { sequence: this.newestReceived, slot: upTo }
    return { swaps, readTo: first.sequence - 1, ahead: this.ahead }
  }

  /** All. */
  drain(): Released {
    const swaps = this.held.flatMap((each) => each.swaps)
    this.held = []
    return { swaps, readTo: this.newestReceived, ahead: undefined }
  }

  /** Up to which slot the swaps of a message are in. */
  private inUpTo(sequence: number): number {
    return this.ahead !== undefined && sequence <= this.ahead.sequence ? this.ahead.slot : NO_SLOT
  }

  private noteSlots(swaps: readonly DecodedSwap[], atMs: number): void {
    const [first] = swaps
    if (first === undefined) return
    const { poolLane } = first.mark
    let slot = this.newest.get(poolLane)?.slot ?? 0
    for (const { swap } of swaps) slot = Math.max(slot, swap.slot)
    this.newest.set(poolLane, { slot, atMs })
  }

  private slots(): Float64Array {
    const slots = new Float64Array(this.held.reduce((sum, { swaps }) => sum + swaps.length, 0))
    let at = 0
    for (const { swaps } of this.held) for (const { swap } of swaps) slots[at++] = swap.slot
    return slots.sort()
  }
}
