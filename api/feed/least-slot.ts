/** The least slot of what FEED holds after a sequence, of the messages that a process has in memory. */
import { slotOf } from '../../streams/codec/event-codec.ts'
import type { FeedHub } from './log/hub-interface.ts'

/** Messages that are looked through: those of some seconds. */
const MESSAGES_MAX = 10_000

/**
 * Waits until this process has read FEED up to `head`. Infinity where no event follows; undefined where not all messages are
 * in memory, or FEED has another epoch.
 */
export async function leastSlotOfFeed(
  hub: FeedHub,
  { epoch, after, head }: { epoch: string | null; after: number; head: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  if (hub.head() < head) await hub.caughtUp(signal)
  if (hub.position().epoch !== epoch || hub.head() < head) return undefined
  const held = hub.held(after + 1, MESSAGES_MAX)
  if (held === undefined || held.length === MESSAGES_MAX) return undefined
  const wanted = held.filter(({ sequence }) => sequence <= head)
  const slots = wanted.flatMap(({ events }) => events.map(slotOf))
  return slots.reduce((least, slot) => Math.min(least, slot), Number.POSITIVE_INFINITY)
}
