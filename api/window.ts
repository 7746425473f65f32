/**
 * Trailing windows of whole minutes, and the fewest stored buckets that make them up: pure.
 *
 * A window of n minutes is the n minute buckets that end with the newest indexed swap's (semantics,
 * section 5). No swap stands behind it, so that only its beginning is cut: minutes up to the first whole
 * quarter of an hour, quarters up to the first whole four hours, four hours to the end.
 */
const MINUTE_MS = 60_000
const QUARTER_MS = 900_000
const FOUR_HOURS_MS = 14_400_000

export const DAY_MINUTES = 1_440

/** First Unix ms of the window, of the first quarter of an hour in it, and of the first four hours. */
export type WindowEdges = { fromMs: number; quarterMs: number; fourMs: number }

export function windowEdges(newestMs: number, minutes: number): WindowEdges {
  const fromMs = newestMs - (newestMs % MINUTE_MS) - (minutes - 1) * MINUTE_MS
  const firstOf = (width: number): number => Math.ceil(fromMs / width) * width
  return { fromMs, quarterMs: firstOf(QUARTER_MS), fourMs: firstOf(FOUR_HOURS_MS) }
}
