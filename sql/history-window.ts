/**
 * The slots that a page of history reads: the planner looks at each chunk of a statement's slots, of which a history
 * of years has thousands, and locks it until the end of the transaction.
 */
import type { Queryable } from './driver/queryable.ts'
import { query } from './query.ts'

const findNext = query<{ slot: number | null }>('history/find_next')
const findHigh = query<{ high_slot: number | null }>('history/find_high')

/** Two of the narrowest chunks. */
const WINDOW_SLOTS = 108_000
const END = Number.MAX_SAFE_INTEGER

/** First and last Unix ms of the requested window. */
export type Times = readonly [fromMs: number, toMs: number]

/** The last slot that anything of these times may have. */
export async function highSlot(db: Queryable, times: Times): Promise<number> {
  const [found] = await findHigh(db, times)
  return found?.high_slot ?? 0
}

/**
 * The slots after and up to which the page after `after` reads: runs of slots without an event may be longer than all
 * others together. Read in the page's snapshot, in which the skipped runs are empty. After `high`: all slots.
 */
export async function historyWindow(
  db: Queryable,
  after: number,
  high: number,
  times: Times,
): Promise<[after: number, to: number]> {
  const [next] = await findNext(db, [...times, after])
  const before = next?.slot == null ? after : Math.max(after, next.slot - 1)
  const end = before + WINDOW_SLOTS
  return [before, next?.slot != null && end < high ? end : END]
}
