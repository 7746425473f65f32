/**
 * Interface of a measurement. Measurements alternate, round by round, so that a drift of the machine affects all of
 * them alike and a ratio compares values measured side by side. The table shows the median of a figure's values, one a
 * round, with the least and the greatest.
 */
import type { Stack } from '../deploy/local/stack.ts'
import type { FigurePlan, Sample } from './measure/sample.ts'
import type { MarketPublisher } from './publisher.ts'
import type { Stages } from './stage.ts'

export type BenchContext = {
  stack: Stack
  stages: Stages
  publisher: () => Promise<MarketPublisher>
  /** Swaps a run, where a run is not bound by time. */
  swaps: number
  /** Seconds of steady load, where a run is bound by time. */
  seconds: number
  /** Flags of node for worker programs; empty unless a profile is wanted. */
  workerFlags: readonly string[]
  /** Values of this round so far, by figure. */
  round: ReadonlyMap<string, number>
  say: (line: string) => void
}

export type Measurement = {
  name: string
  figures: readonly FigurePlan[]
  /** Measures once. Rejects when a result is wrong, never because one is slow. */
  round(context: BenchContext): Promise<Sample[]>
}

/** The steady load that everything is measured at or alongside. */
export const SWAPS_PER_SECOND = 2_000
/** How figures name it: `2,000 swaps/s` */
export const STEADY = `${SWAPS_PER_SECOND.toLocaleString('en-US')} swaps/s`
