/**
 * Deliveries of a webhook: the events of a message of FEED that its filter matches, as JSON with an id. Pure. The sender
 * stores exactly these and the dry run prints them, so that both are equal byte by byte.
 *
 * Invariant: the id is the cursor of FEED after the newest event of the delivery, so that no two deliveries of a webhook
 * share one, and a receiver that has an id has everything up to it.
 *
 * Decision: docs/decisions/0053-webhooks-are-stored-before-they-are-sent.md
 */
import type { VenueNaming } from '../../domain/venue.ts'
import { type FeedEvent, slotOf } from '../../streams/codec/event-codec.ts'
import { writeCursor } from '../../streams/feed/feed-cursor.ts'
import type { EventChannel } from '../feed/filter.ts'
import { type FeedFilter, parseFilter, poolEventMatcher, swapMatcher } from '../feed/filter.ts'
import type { Int64Form } from '../feed/frame.ts'
import { presentGap } from '../feed/gap.ts'
import type { FeedBatch } from '../feed/log/batch.ts'
import { eventText } from '../feed/websocket/protocol/present.ts'

export const EVENTS_MAX = 250
export const EVENTS_DEFAULT = 100

/** Selection of the events that are sent to an endpoint. */
export type Selection = {
  channel: EventChannel
  filter: FeedFilter
  int64: Int64Form
  /** Events of one delivery at most. */
  eventsMax: number
}

export type Delivery = { id: string; body: string }

/** Deliveries of one message, and its highest slot; 0 without an event. */
type Selected = { deliveries: Delivery[]; slot: number }
export type Select = (batch: FeedBatch, epoch: string) => Selected

/** Throws FilterError. Operators have every field of a filter. */
export function filterOf(given: unknown, channel: EventChannel) {
  return parseFilter(given, channel, 'enterprise')
}

/** Prepares the filter once for many messages. */
export function selectorOf(selection: Selection, naming: VenueNaming = 'ids'): Select {
  const { eventsMax, int64, channel } = selection
  const isWanted = matcherOf(selection)
  return (batch, epoch) => {
    const deliveries = batch.gap === undefined ? [] : [lossOf(batch.gap, epoch)]
    const { events, sequence } = batch
    let slot = 0
    let wanted: number[] = []
    const flush = (): void => {
      const newest = wanted.at(-1)
      if (newest === undefined) return
      const isWhole = newest === events.length - 1
      const id = isWhole
        ? writeCursor({ epoch, sequence, eventCount: 0 })
        : writeCursor({ epoch, sequence: sequence - 1, eventCount: newest + 1 })
      const texts = wanted.map((index) => eventText(batch, index, int64, naming))
      deliveries.push({ id, body: bodyOf(channel, events[newest] as FeedEvent, texts) })
      wanted = []
    }
    for (const [index, event] of events.entries()) {
      slot = Math.max(slot, slotOf(event))
      if (!isWanted(event)) continue
      wanted.push(index)
      if (wanted.length >= eventsMax) flush()
    }
    flush()
    return { deliveries, slot }
  }
}

function matcherOf({ channel, filter }: Selection): (event: FeedEvent) => boolean {
  const isSwap = swapMatcher(filter)
  const isPoolEvent = poolEventMatcher(filter)
  return (event) =>
    event.kind === 'swap'
      ? channel === 'swaps' && isSwap(event.swap, event.walletTags)
      : channel === 'pool_events' && isPoolEvent(event.poolEvent)
}

/** The time is that of the newest event, so that a body depends on the events only. */
function bodyOf(channel: EventChannel, newest: FeedEvent, texts: readonly string[]): string {
  const { timestamp } = newest.kind === 'swap' ? newest.swap : newest.poolEvent
  const at = new Date(timestamp).toISOString()
  return `{"type":"${channel}","timestamp":"${at}","data":[${texts.join(',')}]}`
}

/** A message of FEED that was lost; its events follow from the tables. */
function lossOf(gap: Parameters<typeof presentGap>[0], epoch: string): Delivery {
  return deliveryOf(presentGap(gap, epoch))
}

/** A position in FEED of an endpoint, and the highest slot up to there. */
export type ReadPosition = { epoch: string; sequence: number; slot: number }

/**
 * The endpoint did not read FEED from a position to another, because FEED trimmed the messages or was replaced: it is
 * sent as a delivery of its own, and its receiver lists the slots by REST.
 */
export function skipOf(from: ReadPosition, to: Omit<ReadPosition, 'slot'>): Delivery {
  return deliveryOf({
    from: writeCursor({ epoch: from.epoch, sequence: from.sequence, eventCount: 0 }),
    to: writeCursor({ ...to, eventCount: 0 }),
    slots: [from.slot, null],
    filled: false,
  })
}

function deliveryOf(gap: Record<string, unknown> & { to: string }): Delivery {
  return { id: gap.to, body: JSON.stringify({ type: 'gap', data: gap }) }
}
