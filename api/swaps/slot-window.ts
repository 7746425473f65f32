/**
 * The windows of slots in which a list is looked for, one after the other. Pure.
 *
 * The planner looks at every chunk of a statement's slots before the first row is read. A list fills
 * its page from the newest chunk or two nearly always, so it asks for these first and widens.
 */
import type { Order } from './swap-key.ts'

/** First and last slot, inclusive. */
export type SlotWindow = { low: number; high: number }

/** Two chunks of the hypertable. */
const FIRST_WIDTH = 108_000
const WIDER_BY = 4

export function* slotWindows(range: SlotWindow, order: Order): Generator<SlotWindow> {
  let { low, high } = range
  for (let width = FIRST_WIDTH; low <= high; width *= WIDER_BY) {
    if (order === 'asc') {
      yield { low, high: Math.min(high, low + width - 1) }
      low += width
    } else {
      yield { low: Math.max(low, high - width + 1), high }
      high -= width
    }
  }
}
