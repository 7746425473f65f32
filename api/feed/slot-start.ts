/**
 * Where in FEED a slot begins: the first message that holds a swap or pool event of it or of a later one.
 *
 * Slots rise along FEED but for what comes late, so the place is halved for, and what lies before it is
 * looked through as far as late events reach.
 */
import type { FeedBatch } from './batch.ts'
import type { FeedHub } from './hub.ts'
import type { Subscription } from './subscription.ts'

/** Messages before the place that may hold a later slot: venues minutes apart at thousands of swaps a second. */
const LATE_MESSAGES = 4_000

/** Puts the subscription's place before that message. Throws what reading FEED throws. */
export async function beginAtSlot(
  hub: FeedHub,
  subscription: Subscription,
  slot: number,
  signal: AbortSignal,
): Promise<void> {
  const first = hub.first()
  let low = first
  let high = hub.head() + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (greatestSlot(await messageAt(hub, middle, signal)) >= slot) high = middle
    else low = middle + 1
  }
  const from = Math.max(first, low - LATE_MESSAGES)
  subscription.place = {
    sequence: (await firstWith(hub, slot, from, low, signal)) - 1,
    eventCount: 0,
  }
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

function greatestSlot({ events }: FeedBatch): number {
  return events.reduce((greatest, event) => {
    const { slot } = event.kind === 'swap' ? event.swap : event.poolEvent
    return Math.max(greatest, slot)
  }, 0)
}
