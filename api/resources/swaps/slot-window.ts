/**
 * The windows of slots in which a list is looked for, one after the other. Pure.
 *
 * The planner looks at every chunk of a statement's slots before the first row is read. A list fills
 * its page from the newest chunk or two nearly always, so it asks for these first and widens.
 */
import type { Order } from './swap-key.ts'

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

/** What is left of the slots where all before this one is done: it is among them. */
export function fromSlot({ low, high }: SlotWindow, slot: number, order: Order): SlotWindow {
  return order === 'asc' ? { low: Math.max(low, slot), high } : { low, high: Math.min(high, slot) }
}

/** What is left where a window is done, too. */
export function afterWindow(rest: SlotWindow, window: SlotWindow, order: Order): SlotWindow {
  return fromSlot(rest, order === 'asc' ? window.high + 1 : window.low - 1, order)
}

/** Quick ones are followed by wider ones. One that took all its time walked some pools for nothing. */
export function nextWidth(width: number, pace: 'quick' | 'slow' | 'even'): number {
  if (pace === 'quick') return Math.min(width * WIDER_BY, Number.MAX_SAFE_INTEGER)
  return pace === 'slow' ? Math.max(LEAST_WIDTH, Math.floor(width / NARROWER_BY)) : width
}
