/**
 * Micro-batching: waits for more messages until there are enough or a deadline passes. Where more came meanwhile,
 * the deadline is computed again and may be later.
 */
import { setImmediate as turn } from 'node:timers/promises'

/** A batch being filled: when waiting began, when the newest message came, and bytes of payload. */
export type PendingBatch = { sinceMs: number; newestMs: number; bytes: number }

/** `wait` ends when there are enough, reading broke, or so many milliseconds have passed. */
export type BatchSource = {
  isWaiting(): boolean
  atHand(): Omit<PendingBatch, 'sinceMs'>
  wait(ms: number): Promise<void>
}

export async function fillBatch(
  { isWaiting, atHand, wait }: BatchSource,
  untilMs: (held: PendingBatch) => number,
): Promise<void> {
  await turn()
  const sinceMs = performance.now()
  for (let bytesBefore = -1; isWaiting(); ) {
    const { newestMs, bytes } = atHand()
    if (bytes === bytesBefore) return
    bytesBefore = bytes
    const leftMs = untilMs({ sinceMs, newestMs, bytes }) - performance.now()
    if (leftMs <= 0) return
    await wait(leftMs)
  }
}
