// Waits of the embedded stack: for a condition with a bound, by its only polling loop, and before a program that ended by
// itself is started again.
import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 10

/** True as soon as the condition holds, false when it did not within the bound. */
export async function holdsWithin(
  boundMs: number,
  condition: () => boolean | Promise<boolean>,
  pollMs: number = POLL_MS,
): Promise<boolean> {
  const endsAt = performance.now() + boundMs
  for (;;) {
    if (await condition()) return true
    if (performance.now() >= endsAt) return false
    await pause(pollMs)
  }
}

export const RESTART_FROM_MS = 1_000
const RESTART_TO_MS = 30_000
const STEADY_MS = 60_000

/** Milliseconds until the next start, from those before the last one and how long that lived. */
export function restartDelay(lastDelayMs: number, livedMs: number): number {
  if (livedMs >= STEADY_MS || lastDelayMs === 0) return RESTART_FROM_MS
  return Math.min(RESTART_TO_MS, lastDelayMs * 2)
}
