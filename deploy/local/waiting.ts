// Waiting for a condition with a bound: the only polling loop of the embedded stack.

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
