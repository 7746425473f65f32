/**
 * Where in FEED a slot begins: the first message that holds a swap or pool event of it or of a later one.
 *
 * Slots rise along FEED but for what comes late, so the place is halved for, and what lies before it is
 * looked through as far as late events reach.
 */
import type { FeedBatch } from './batch.ts'
import type { FeedHub } from './hub.ts'

/** Messages before the place that may hold a later slot: venues minutes apart at thousands of swaps a second. */
const LATE_MESSAGES = 4_000

/** Its sequence; head + 1 where there is none yet. Throws what reading FEED throws. */
export async function sequenceOfSlot(
  hub: FeedHub,
  slot: number,
  signal: AbortSignal,
): Promise<number> {
  const first = hub.first()
  let low = first
  let high = hub.head() + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const batch = await messageAt(hub, middle, signal)
    if (greatestSlot(batch) >= slot) high = middle
    // Where messages are missing the next one that there is stands for them.
    else low = Math.min(high, batch.sequence + 1)
  }
  return await firstWith(hub, slot, Math.max(first, low - LATE_MESSAGES), low, signal)
}

/**
 * Whether FEED has all that is stored from the slot on, which begins at `place`. One that begins at its first
 * message cannot say so, nor one that was trimmed where late events may have gone with what was trimmed.
 */
export function holdsAllFrom(hub: FeedHub, place: number): boolean {
  const first = hub.first()
  return place - first > (first === 1 ? 0 : LATE_MESSAGES)
}

async function firstWith(
  hub: FeedHub,
  slot: number,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<number> {
  if (from >= to) return to
  for await (const batch of hub.readFrom(from, signal)) {
    if (batch.sequence < to && greatestSlot(batch) >= slot) return batch.sequence
    // What is yet to come is not waited for.
    if (batch.sequence >= to - 1) break
  }
  return to
}

async function messageAt(hub: FeedHub, sequence: number, signal: AbortSignal): Promise<FeedBatch> {
  for await (const batch of hub.readFrom(sequence, signal)) return batch
  throw signal.reason
}

export function greatestSlot({ events }: FeedBatch): number {
  return events.reduce((greatest, event) => {
    const { slot } = event.kind === 'swap' ? event.swap : event.poolEvent
    return Math.max(greatest, slot)
  }, 0)
}
