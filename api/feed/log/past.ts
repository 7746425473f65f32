/**
 * What a subscription gets that asks for a slot: what is stored from it on, page by page in canonical order,
 * and then FEED behind what it had when that began. The same for WebSocket and gRPC.
 *
 * Law: each stored event from the slot on comes once. What FEED had published before the first page was read
 * is in the pages, because it was committed; of what it announces later, that is passed over which the page
 * of its slot held. FEED itself is not searched for the slot: any message of it may hold any slot, early or
 * late, so that only reading all of it would miss none.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { History, NOT_SETTLED } from '../../../streams/feed/table-history.ts'
import type { EventChannel } from '../websocket/protocol/schema.ts'
import { FeedBatch } from './batch.ts'
import type { FeedHub } from './feed-reader.ts'
import type { StoredEvents } from './stored.ts'

/** Between two looks whether what the tables gave has been published. */
const SETTLE_EVERY_MS = 500

/** The tables come first, FEED goes on behind `sequence`. */
export type SlotPosition = { sequence: number; history: History }

export function positionOfSlot(hub: FeedHub, slot: number): SlotPosition {
  return { sequence: hub.head(), history: new History(slot) }
}

/** Stored events from a slot on, in pages that are noted in the history. */
export class StoredPages {
  private readonly stored: StoredEvents
  private readonly channel: EventChannel
  private readonly place: SlotPosition
  private fromSlot: number
  private isAny = false

  constructor(stored: StoredEvents, channel: EventChannel, place: SlotPosition) {
    this.stored = stored
    this.channel = channel
    this.place = place
    this.fromSlot = place.history.fromSlot
  }

  /**
   * The next one that has any events; undefined behind the last. Where the tables have nothing, FEED does not bring
   * it again. Throws LineIsFull, and what reading throws.
   */
  async next(signal: AbortSignal): Promise<FeedBatch | undefined> {
    const { sequence, history } = this.place
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

/** When all that the tables gave has been published, cursors say it all again: from there on they are told. */
export async function settle(
  history: History,
  { stored, hub }: { stored: StoredEvents; hub: FeedHub },
  isWanted: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (history.settledFrom === NOT_SETTLED && isWanted() && !signal.aborted) {
    const isDone = await stored
      .arePublished(history.commits, () => hub.place().published)
      // This process may be behind FEED: what it has yet to read of these commits is no more than they are.
      .then((areThey) => areThey && hub.caughtUp(signal).then(() => !signal.aborted))
      .catch(() => false)
    if (isDone) history.settledFrom = hub.head()
    else await pause(SETTLE_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
