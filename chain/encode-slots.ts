/**
 * A run of events as the slots of a chain. Pure.
 */
import { type MarketEvent, timestampOf } from '../domain/events/event.ts'
import type { EventSlot } from './encode-block.ts'

/**
 * The events by slot, in their order. A token line belongs to the event after it. Of a run that ends within a slot, the
 * last slot has what came of it.
 */
export function* slotsOf(events: Iterable<MarketEvent>): Generator<EventSlot> {
  let open: (EventSlot & { events: MarketEvent[] }) | undefined
  for (const event of events) {
    const slot = slotOf(event)
    if (open === undefined || slot !== open.slot) {
      const parentSlot: number = open?.slot ?? slot - 1
      if (open !== undefined) yield open
      open = { slot, parentSlot, timestamp: 0, events: [] }
    }
    open.events.push(event)
    const timestamp = timestampOf(event)
    if (timestamp !== undefined && open.timestamp === 0) open = { ...open, timestamp }
  }
  if (open !== undefined) yield open
}

function slotOf(event: MarketEvent): number {
  if (event.kind === 'swap') return event.swap.slot
  if (event.kind === 'pool_event') return event.poolEvent.slot
  return event.token.slot ?? 0
}
