/**
 * Splits the slots of a list into windows that are searched one after the other. Pure.
 *
 * The planner examines every chunk of a statement's slots before the first row is read. A list nearly always fills
 * its page from the newest chunk or two, so it reads these first and then widens the window.
 */
import type { Order } from '../../../history/swaps/served-swap.ts'

/** First and last slot, inclusive; empty where the last is below the first. */
export type SlotWindow = { low: number; high: number }

/** Two chunks of the hypertable. */
export const FIRST_WIDTH = 108_000
const LEAST_WIDTH = 100
const WIDER_BY = 4
const NARROWER_BY = 8

/** The part of what is left that a list looks at next. */
export function windowOf({ low, high }: SlotWindow, width: number, order: Order): SlotWindow {
  return order === 'asc'
    ? { low, high: Math.min(high, low + width - 1) }
    : { low: Math.max(low, high - width + 1), high }
}

/** Remaining slots once all before `slot` are read; `slot` itself is included. */
export function fromSlot({ low, high }: SlotWindow, slot: number, order: Order): SlotWindow {
  return order === 'asc' ? { low: Math.max(low, slot), high } : { low, high: Math.min(high, slot) }
}

/** Remaining slots once `window` is read. */
export function afterWindow(rest: SlotWindow, window: SlotWindow, order: Order): SlotWindow {
  return fromSlot(rest, order === 'asc' ? window.high + 1 : window.low - 1, order)
}

/** Quick ones are followed by wider ones. One that took all its time walked some pools for nothing. */
export function nextWidth(width: number, pace: 'quick' | 'slow' | 'even'): number {
  if (pace === 'quick') return Math.min(width * WIDER_BY, Number.MAX_SAFE_INTEGER)
  return pace === 'slow' ? Math.max(LEAST_WIDTH, Math.floor(width / NARROWER_BY)) : width
}
