/**
 * The table pages that a reader received before it continued with the stream. Pure.
 *
 * Every page was read in a separate snapshot, which held the commits of each pool lane up to a number. An event of FEED
 * was in the tables' part exactly when the page of its slot held its commit.
 */

import type { FeedMark } from '../codec/event-codec.ts'
import type { LaneCommits } from './feed-cursor.ts'

export type HistoryPage = { slotEnd: number; commits: LaneCommits }

export const NOT_SETTLED = Number.POSITIVE_INFINITY

export class History {
  /** From this sequence on FEED holds no event that the tables' part contained: a plain cursor suffices again. */
  settledFrom = NOT_SETTLED
  readonly fromSlot: number
  readonly pages: HistoryPage[]

  /** `pages`: the pages of a history to continue. */
  constructor(fromSlot: number, pages: readonly HistoryPage[] = []) {
    this.fromSlot = fromSlot
    this.pages = [...pages]
  }

  /** The commits that the newest page held. */
  get commits(): LaneCommits {
    return this.pages.at(-1)?.commits ?? new Map()
  }

  /** A page up to before a slot: in slots, pages follow each other. */
  add(slotEnd: number, commits: LaneCommits): void {
    const last = this.pages.at(-1)
    if (last !== undefined && isSame(last.commits, commits)) last.slotEnd = slotEnd
    else this.pages.push({ slotEnd, commits })
  }

  /** Whether an event was in the tables' part. */
  has(slot: number, { poolLane, commitNumber }: FeedMark): boolean {
    if (slot < this.fromSlot) return false
    let low = 0
    let high = this.pages.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.pages[middle] as HistoryPage).slotEnd <= slot) low = middle + 1
      else high = middle
    }
    return (this.pages[low]?.commits.get(poolLane) ?? -1) >= commitNumber
  }
}

function isSame(a: LaneCommits, b: LaneCommits): boolean {
  return a.size === b.size && [...a].every(([lane, commit]) => b.get(lane) === commit)
}
