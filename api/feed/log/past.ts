/**
 * Replay from a slot, the same for WebSocket and gRPC: stored events from the slot on, page by page in canonical order,
 * then FEED after the position that it had when the replay began.
 *
 * Invariant: each event from the slot on is sent exactly once. Events that FEED published before the first page was
 * read are in the pages, because they were committed; of those published later, the ones that the page of their slot
 * held are skipped. FEED is not searched for the slot: any message may hold any slot, so all of it would have to be
 * read.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { History, NOT_SETTLED } from '../../../streams/feed/table-history.ts'
import type { EventChannel } from '../filter.ts'
import { FeedBatch } from './batch.ts'
import type { FeedHub } from './feed-reader.ts'
import type { StoredEvents } from './stored.ts'

/** Milliseconds between two checks that the events read from the tables have been published. */
const SETTLE_EVERY_MS = 500

/** Start of a replay: the tables first, then FEED after `sequence`. */
type SlotPosition = { sequence: number; history: History }

export function positionOfSlot(hub: FeedHub, slot: number): SlotPosition {
  return { sequence: hub.head(), history: new History(slot) }
}

/** Stored events from a slot on, in pages; the history records each page for deduplication. */
export class StoredPages {
  private readonly stored: StoredEvents
  private readonly channel: EventChannel
  private readonly start: SlotPosition
  private fromSlot: number
  private isAny = false

  constructor(stored: StoredEvents, channel: EventChannel, start: SlotPosition) {
    this.stored = stored
    this.channel = channel
    this.start = start
    this.fromSlot = start.history.fromSlot
  }

  /**
   * The next page that has events; undefined after the last. If no page has any, the history is settled at once. Throws
   * LineIsFull, and the errors of reading.
   */
  async next(signal: AbortSignal): Promise<FeedBatch | undefined> {
    const { sequence, history } = this.start
    while (Number.isFinite(this.fromSlot)) {
      const page = await this.stored.page(this.channel, this.fromSlot, signal)
      history.add(page.slotEnd, page.commits)
      this.fromSlot = page.slotEnd
      if (page.events.length === 0) continue
      this.isAny = true
      return FeedBatch.ofStored(sequence, page.events)
    }
    if (!this.isAny) history.settledFrom = sequence
    return undefined
  }
}

/** Waits until all events from the tables are published: from that position on, a cursor covers them and is sent. */
export async function settle(
  history: History,
  { stored, hub }: { stored: StoredEvents; hub: FeedHub },
  isWanted: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (history.settledFrom === NOT_SETTLED && isWanted() && !signal.aborted) {
    const isDone = await stored
      .arePublished(history.commits, () => hub.position().published)
      // This process may lag FEED: after catching up it has read all of these commits.
      .then((areThey) => areThey && hub.caughtUp(signal).then(() => !signal.aborted))
      .catch(() => false)
    if (isDone) history.settledFrom = hub.head()
    else await pause(SETTLE_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
