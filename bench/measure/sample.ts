/**
 * Samples of figures, their medians and quantiles, and the clock they are taken by. A wrong result rejects a measurement, a
 * slow one never does.
 */
import type { ProgramCpu } from './cpu.ts'

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
