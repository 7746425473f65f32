/**
 * How much of the newest commit of each pool lane FEED has brought. Pure.
 *
 * A commit of a lane is announced when the one before it stands in FEED whole, and its messages are
 * numbered through: so many of them read is all of it, in whatever order its subjects came.
 */
import type { FeedMark } from '../codec/event-codec.ts'

/** Messages of the newest commit of a lane. */
export type Announced = { commitNumber: number; parts: number }
export type LanesAnnounced = ReadonlyMap<number, Announced>

/** What a lane announced last, by its checkpoint. */
export type AnnouncedRow = { lane: number; announced_commit: number; announced_parts: number }

/** Whether that, and with it all before it, was read whole. */
export function isWhole(row: AnnouncedRow, announced: LanesAnnounced): boolean {
  const had = announced.get(row.lane)
  if (had === undefined) return false
  return (
    had.commitNumber > row.announced_commit ||
    (had.commitNumber === row.announced_commit && had.parts === row.announced_parts)
  )
}

export class Announcements {
  private lanes = new Map<number, Announced>()

  /** The next message of FEED. */
  note({ poolLane, commitNumber }: FeedMark): void {
    const known = this.lanes.get(poolLane)
    const parts = known?.commitNumber === commitNumber ? known.parts + 1 : 1
    this.lanes.set(poolLane, { commitNumber, parts })
  }

  /** As it is now, whatever comes. */
  now(): LanesAnnounced {
    return new Map(this.lanes)
  }

  clear(): void {
    this.lanes.clear()
  }
}
