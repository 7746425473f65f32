/**
 * Trailing windows of whole minutes, and the fewest stored buckets that make them up: pure.
 *
 * A window of n minutes is the n minute buckets that end with the newest indexed swap's, or with the
 * wall clock's minute where that is earlier (docs/semantics.md#windows-of-trades): "newest" is never later than now. As
 * a rule no swap is later than the window, so that only its beginning is cut: minutes up to the first whole quarter of
 * an hour, quarters up to the first whole four hours, four hours to the end. Swaps of a producer whose clock is fast are later;
 * they are left out by `endMs`.
 */
import { FOUR_HOURS_MS, MINUTE_MS, QUARTER_MS } from '../../../domain/time/time-bucket.ts'

/**
 * First Unix ms of the window, of the first quarter of an hour in it, and of the first four hours; where its last whole
 * quarter ends, and where the window does.
 */
export type WindowEdges = {
  fromMs: number
  quarterMs: number
  fourMs: number
  quarterEndMs: number
  endMs: number
}

export function windowEdges(newestMs: number, minutes: number): WindowEdges {
  const endMs = newestMs - (newestMs % MINUTE_MS) + MINUTE_MS
  const fromMs = endMs - minutes * MINUTE_MS
  const firstOf = (width: number): number => Math.ceil(fromMs / width) * width
  return {
    fromMs,
    quarterMs: firstOf(QUARTER_MS),
    fourMs: firstOf(FOUR_HOURS_MS),
    quarterEndMs: endMs - (endMs % QUARTER_MS),
    endMs,
  }
}
