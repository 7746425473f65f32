/**
 * Counts the messages of each pool lane's newest commit that were read from FEED. Pure.
 *
 * A commit of a lane is published after all messages of the one before it are stored in FEED, and its messages are
 * numbered: a commit is read whole when that many were read, in any order of its subjects.
 */
import type { FeedMark } from '../codec/event-codec.ts'

/** Messages of the newest commit of a lane. */
type PublishedParts = { commitNumber: number; parts: number }
export type LanesPublished = ReadonlyMap<number, PublishedParts>
/** The newest message of FEED that a process has read, and what it then had of each lane. */
export type FeedPosition = { epoch: string; sequence: number; published: LanesPublished }

/** The newest published commit of a lane, by its checkpoint. */
export type PublishedRow = { lane: number; published_commit: number; published_parts: number }

/** Whether that, and with it all before it, was read whole. */
export function isWhole(row: PublishedRow, published: LanesPublished): boolean {
  const had = published.get(row.lane)
  if (had === undefined) return false
  return (
    had.commitNumber > row.published_commit ||
    (had.commitNumber === row.published_commit && had.parts === row.published_parts)
  )
}

export class PublishedCommits {
  private lanes = new Map<number, PublishedParts>()

  /** The next message of FEED. */
  note({ poolLane, commitNumber }: FeedMark): void {
    const known = this.lanes.get(poolLane)
    const parts = known?.commitNumber === commitNumber ? known.parts + 1 : 1
    this.lanes.set(poolLane, { commitNumber, parts })
  }

  /** A copy of the present state. */
  now(): LanesPublished {
    return new Map(this.lanes)
  }

  clear(): void {
    this.lanes.clear()
  }
}
