/**
 * Concentration of a wallet's value in its largest positions. Pure.
 *
 * Shares are relative to the value of open positions with a price; without any value they are null.
 */

type Concentration = {
  /** Percent, 0 to 100. */
  top1_pct: number | null
  top3_pct: number | null
  top5_pct: number | null
  /** Herfindahl-Hirschman: the sum of squared shares, 0 to 1. */
  hhi: number | null
}

/** Smallest first, so that few small errors are made rather than many large ones. */
export function sumOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0)
}

/** `values` in SOL, in any order. */
export function concentrationOf(values: readonly number[]): Concentration {
  const total = sumOf(values)
  if (total <= 0) return { top1_pct: null, top3_pct: null, top5_pct: null, hhi: null }
  const descending = values.toSorted((a, b) => b - a)
  const percentOf = (count: number): number => (sumOf(descending.slice(0, count)) / total) * 100
  return {
    top1_pct: percentOf(1),
    top3_pct: percentOf(3),
    top5_pct: percentOf(5),
    hhi: sumOf(values.map((value) => (value / total) ** 2)),
  }
}
