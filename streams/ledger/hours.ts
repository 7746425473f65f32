/**
 * What a position did in one UTC hour, as increments since the last flush. Pure.
 *
 * Law: a row is keyed by hour and segment (the run of 1,000 swaps of the position that a swap belongs
 * to by its canonical ordinal), not by hour alone: timestamps may turn around, but what a fold from a
 * snapshot does again is whole segments, so it replaces exactly the rows from its segment on. Sums
 * over rows are sums of hours; of equal best (worst) sells the earlier place stands.
 */
import type { SwapOrderKey } from '../swap.ts'

/** A covered sell by its adjusted profit, and its place for ties. */
export type JudgedSell = { realizedLamports: bigint; place: SwapOrderKey }

export type HourFigures = {
  readonly hourMs: number
  readonly segment: number
  realizedStrict: bigint
  realizedAdjusted: bigint
  /** Cash flow: whole proceeds of sells less what buys cost. */
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

export type Hours = Map<number, HourFigures>

/** Swaps of a position in a segment: a snapshot stands between two segments. */
export const SEGMENT_SWAPS = 1_000

const HOUR_MS = 3_600_000
/** Above the number of any hour: a key is segment and hour in one safe integer. */
const HOURS_MAX = 2 ** 22

/** The figures of a swap's hour and segment, made when they are not there yet. */
export function figuresOf(hours: Hours, timestamp: number, segment: number): HourFigures {
  const hour = Math.floor(timestamp / HOUR_MS)
  const key = segment * HOURS_MAX + hour
  const known = hours.get(key)
  if (known !== undefined) return known
  const fresh = emptyFigures(hour * HOUR_MS, segment)
  hours.set(key, fresh)
  return fresh
}

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
