/** When a program that ended by itself is started again. Pure. */
export const RESTART_FROM_MS = 1_000
const RESTART_TO_MS = 30_000
const STEADY_MS = 60_000

/** Milliseconds until the next start, from the delay before the last one and its lifetime. */
export function restartDelay(lastDelayMs: number, livedMs: number): number {
  if (livedMs >= STEADY_MS || lastDelayMs === 0) return RESTART_FROM_MS
  return Math.min(RESTART_TO_MS, lastDelayMs * 2)
}
