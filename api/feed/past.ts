/**
 * Where a subscription begins that asks for a slot: in FEED where that holds all from there on, else in the
 * tables, page by page in canonical order, and then in FEED behind what it had when that began. The same for
 * WebSocket and gRPC.
 *
 * Law: each stored event from the slot on comes once. What FEED had announced before the first page was read
 * is in the pages, because it was committed; of what it announces later, that is passed over which the page
 * of its slot held.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { History } from '../../streams/history.ts'
import { FeedBatch } from './batch.ts'
import { FeedExpired, type FeedHub } from './hub.ts'
import type { EventChannel } from './schema.ts'
import { holdsAllFrom, sequenceOfSlot } from './slot-place.ts'
import type { StoredEvents } from './stored.ts'

/** Between two looks whether what the tables gave has been announced. */
const SETTLE_EVERY_MS = 500
/** For the place of a slot, while FEED lets go of its oldest. */
const SEARCHES_MAX = 10

/** FEED goes on behind `sequence`; `history`: the tables come first. */
export type SlotPlace = { sequence: number; history: History | undefined }

/** Throws what reading FEED throws. */
export async function placeOfSlot(
  hub: FeedHub,
  slot: number,
  signal: AbortSignal,
): Promise<SlotPlace> {
  for (let searches = 1; ; searches++) {
    try {
      const place = await sequenceOfSlot(hub, slot, signal)
      if (holdsAllFrom(hub, place)) return { sequence: place - 1, history: undefined }
      return { sequence: hub.head(), history: new History(slot) }
    } catch (fault) {
      // FEED let go of what was searched: the hub knows by now where it begins.
      if (!(fault instanceof FeedExpired) || searches >= SEARCHES_MAX) throw fault
    }
  }
}

/** What the tables have, in pages that the history learns of. Throws LineIsFull, and what reading throws. */
export async function* storedBatches(
  stored: StoredEvents,
  channel: EventChannel,
  { sequence, history }: { sequence: number; history: History },
  signal: AbortSignal,
): AsyncGenerator<FeedBatch, void, undefined> {
  for (let next = history.fromSlot; Number.isFinite(next); ) {
    const { events, commits, slotEnd } = await stored.page(channel, next, signal)
    history.add(slotEnd, commits)
    yield FeedBatch.ofStored(sequence, events)
    next = slotEnd
  }
}

/** When all that the tables gave has been announced, cursors say it all again: from there on they are told. */
export async function settle(
  history: History,
  { stored, hub }: { stored: StoredEvents; hub: FeedHub },
  isWanted: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (isWanted() && !signal.aborted) {
    await pause(SETTLE_EVERY_MS, undefined, { signal }).catch(() => {})
    const isDone = await stored
      .areAnnounced(history.commits)
      // This process may be behind FEED: what it has yet to read of these commits is no more than they are.
      .then((areThey) => areThey && hub.caughtUp(signal).then(() => !signal.aborted))
      .catch(() => false)
    if (!isDone) continue
    history.settledFrom = hub.head()
    return
  }
}
