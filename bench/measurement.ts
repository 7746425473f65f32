/**
 * Interface of a measurement. Measurements alternate, round by round, so that a drift of the machine affects all of
 * them alike and a ratio compares values measured side by side. The table shows the median of a figure's values, one a
 * round, with the least and the greatest.
 */
import type { Stack } from '../deploy/local/stack.ts'
import type { ProgramCpu } from './cpu.ts'
import type { MarketPublisher } from './pipeline/publisher.ts'
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

export type Sample = {
  figure: string
  value: number
  /** Microseconds of CPU a swap, by program. */
  cpu?: ProgramCpu
}

export type FigurePlan = {
  figure: string
  unit: string
  goal?: string
  /** Decimals shown. */
  digits?: number
}

export type Measurement = {
  name: string
  /** Whether it works on the embedded stack. */
  needsStack: boolean
  figures: readonly FigurePlan[]
  /** Measures once. Rejects when a result is wrong, never because one is slow. */
  round(context: BenchContext): Promise<Sample[]>
}

export type Spread = { median: number; least: number; greatest: number }

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median =
    sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { median, least: sorted[0]!, greatest: sorted.at(-1)! }
}

/** The value below which a share of all lies, e.g. 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const index = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)
  return sorted[Math.max(0, index)] ?? Number.NaN
}

/** The same of the milliseconds that things took. */
export const quantileMs = (took: readonly { ms: number }[], share: number): number =>
  quantile(
    took.map(({ ms }) => ms),
    share,
  )

/** Milliseconds of the clock that all programs of the machine share. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Thrown when the measured work gave a wrong result. */
export class WrongResult extends Error {}

export function expectEqual(what: string, found: number, expected: number): void {
  if (found !== expected) throw new WrongResult(`${what}: found ${found}, expected ${expected}`)
}

/** The steady load that everything is measured at or beside. */
export const SWAPS_PER_SECOND = 2_000
/** How figures name it: `2,000 swaps/s` */
export const STEADY = `${SWAPS_PER_SECOND.toLocaleString('en-US')} swaps/s`
