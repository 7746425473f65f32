/**
 * Slots of the simulated market and their times. A market with a past begins long before it is watched: few swaps in
 * slots far apart, which come closer until they meet the first slot of the present, like a market that grows.
 */
import { counted } from '../../../domain/text/plural.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'

export const SLOT_MS = 400

/** Swaps from before the present, spread over the days before it. */
export type Past = { readonly swaps: number; readonly days: number }

type SlotClockOptions = {
  /** First slot of the present, and its time in Unix ms. */
  readonly fromSlot: number
  readonly fromMs: number
  /** Mean number of swaps in a slot of the present. */
  readonly swapsPerSlot: number
  readonly past?: Past
}

const PAST_SWAPS_PER_SLOT = 2
/** Natural logarithm of the growth of the past: its last day has about 20 times the swaps of its first. */
const GROWTH = 3
const SLOTS_A_DAY = DAY_MS / SLOT_MS

export class SlotClock {
  readonly #options: SlotClockOptions
  readonly #pastSlots: number
  /** Slots that the past spans on the chain; most of them have no swap. */
  readonly #pastSpan: number
  #next = 0
  #slot: number

  /** Begins before the first slot: call next() first. */
  constructor(options: SlotClockOptions) {
    this.#options = options
    const { swaps, days } = options.past ?? { swaps: 0, days: 0 }
    this.#pastSlots = Math.ceil(swaps / PAST_SWAPS_PER_SLOT)
    this.#pastSpan = Math.floor(days * SLOTS_A_DAY)
    if (!(swaps >= 0) || !(this.#pastSpan >= this.#pastSlots)) {
      const most = this.#pastSpan * PAST_SWAPS_PER_SLOT
      throw new RangeError(
        `past: ${counted(swaps, 'swap')} in ${counted(days, 'day')}: use 0 to ${most}`,
      )
    }
    if (this.#pastSpan > options.fromSlot) {
      throw new RangeError(
        `past: ${counted(days, 'day')} before slot ${options.fromSlot} is before slot 0`,
      )
    }
    this.#slot = this.#slotOf(-1)
  }

  get slot(): number {
    return this.#slot
  }

  get timestamp(): number {
    return this.#options.fromMs + (this.#slot - this.#options.fromSlot) * SLOT_MS
  }

  /** Mean number of swaps in the present slot. */
  get swapsPerSlot(): number {
    return this.#slot < this.#options.fromSlot ? PAST_SWAPS_PER_SLOT : this.#options.swapsPerSlot
  }

  next(): void {
    this.#slot = this.#slotOf(this.#next)
    this.#next += 1
  }

  #slotOf(position: number): number {
    const { fromSlot } = this.#options
    const left = this.#pastSlots - position
    if (left <= 0) return fromSlot - left
    const share = Math.expm1((GROWTH * left) / this.#pastSlots) / Math.expm1(GROWTH)
    return fromSlot - Math.max(left, Math.round(this.#pastSpan * share))
  }
}
