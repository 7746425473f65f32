/**
 * Waiting for more messages before those at hand are taken: until there are enough, or until a moment. Where more came
 * until then, the moment is asked for again, and may lie further on.
 */
import { setImmediate as turn } from 'node:timers/promises'

/** What is at hand: since when it is waited for more, when the newest came, and bytes of payload. */
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
