/** Where trailing windows end, the naive way: the newest swap's time, but never later than the wall clock. */
import type { Swap } from '../../domain/events/swap.ts'

const MINUTE = 60_000

export function newestOf(swaps: readonly Swap[], nowMs: number = Date.now()): number {
  return Math.min(Math.max(...swaps.map(({ timestamp }) => timestamp)), nowMs)
}

/** The whole minutes that end with newest's: from the first Unix ms to before the second. */
export function minutesOf(newestMs: number, minutes: number): { start: number; end: number } {
  const end = newestMs - (newestMs % MINUTE) + MINUTE
  return { start: end - minutes * MINUTE, end }
}
