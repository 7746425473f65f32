/**
 * Figures of a position in one UTC hour, as increments since the last flush. Pure.
 *
 * Law: a row is keyed by hour and segment (the run of 1,000 swaps of the position that a swap belongs
 * to by its canonical ordinal), not by hour only: timestamps may run backwards, but a recompute from a
 * snapshot covers whole segments, so it replaces exactly the rows from its segment on. Sums
 * over rows are sums of hours; of equal best (worst) sells the earlier position wins.
 */
import type { SwapOrderKey } from '../events/swap.ts'
import { HOUR_MS } from '../time/time-bucket.ts'

/** A covered sell by its adjusted profit, and its position for ties. */
export type JudgedSell = { realizedLamports: bigint; orderKey: SwapOrderKey }

export type HourFigures = {
  readonly hourMs: number
  readonly segment: number
  realizedStrict: bigint
  realizedAdjusted: bigint
  /** Cash flow: whole proceeds of sells less the cost of buys. */
  realizedRaw: bigint
  volumeLamports: bigint
  buyCount: number
  sellCount: number
  coveredSellCount: number
  winCount: number
  /** Among covered sells; undefined without one. */
  best: JudgedSell | undefined
  worst: JudgedSell | undefined
  /** Transactions counted with their first swap, arbitrage ones with the swap that made them so. */
  transactionCount: number
  arbitrageCount: number
}

/** Swaps of a position in a segment: a snapshot is made between two segments. */
export const SEGMENT_SWAPS = 1_000

/** Above the number of any hour: a key is segment and hour in one safe integer. */
const HOURS_MAX = 2 ** 22

/** The figures of a position since the last flush: mostly of one hour, so a map is made for a second. */
export class Hours {
  #newest: HourFigures | undefined
  #all: Map<number, HourFigures> | undefined

  /** The figures of a swap's hour and segment, made when they are not there yet. */
  of(timestamp: number, segment: number): HourFigures {
    const hour = Math.floor(timestamp / HOUR_MS)
    const newest = this.#newest
    if (newest !== undefined && newest.hourMs === hour * HOUR_MS && newest.segment === segment) {
      return newest
    }
    const key = segment * HOURS_MAX + hour
    if (newest !== undefined) this.#all ??= new Map([[keyOf(newest), newest]])
    const figures = this.#all?.get(key) ?? emptyFigures(hour * HOUR_MS, segment)
    this.#all?.set(key, figures)
    this.#newest = figures
    return figures
  }

  get size(): number {
    return this.#all?.size ?? (this.#newest === undefined ? 0 : 1)
  }

  /** In the order in which they were begun. */
  values(): HourFigures[] {
    if (this.#all !== undefined) return [...this.#all.values()]
    return this.#newest === undefined ? [] : [this.#newest]
  }

  clear(): void {
    this.#newest = undefined
    this.#all = undefined
  }
}

const keyOf = ({ hourMs, segment }: HourFigures): number => segment * HOURS_MAX + hourMs / HOUR_MS

function emptyFigures(hourMs: number, segment: number): HourFigures {
  return {
    hourMs,
    segment,
    realizedStrict: 0n,
    realizedAdjusted: 0n,
    realizedRaw: 0n,
    volumeLamports: 0n,
    buyCount: 0,
    sellCount: 0,
    coveredSellCount: 0,
    winCount: 0,
    best: undefined,
    worst: undefined,
    transactionCount: 0,
    arbitrageCount: 0,
  }
}
