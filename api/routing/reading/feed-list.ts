/**
 * `feed_cursor` of a list: the position in FEED from which a subscription continues where the list ends.
 *
 * Exactly-once: each event of the list is either in its snapshot or after the cursor, never both, however many lanes
 * commit and publish meanwhile.
 *
 * ```
 *   FEED    ... H |  a5 b8 a6 b9        H: newest message when the list was requested, before its snapshot
 *   lanes   a: 5 committed, b: 8        as of the snapshot
 *   cursor  H ~ a5 b8                   after H, except a up to 5 and b up to 8
 * ```
 */

import type { Connection } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { forgetPlans, query } from '../../../sql/query.ts'
import { BEGIN_SNAPSHOT } from '../../../sql/snapshot.ts'
import { type LaneCommits, writeCursor } from '../../../streams/feed/feed-cursor.ts'
import type { FeedPosition } from '../../../streams/feed/published-commits.ts'
import { isWhole, type PublishedRow } from '../../../streams/feed/published-commits.ts'

/** `position`: a position in FEED up to which the connection sees all events. */
export type NearWork<Result> = (
  db: Connection,
  position: FeedPosition | undefined,
) => Promise<Result>
/** Calls the work with a connection of a standby, or else of the primary. */
export type Near = <Result>(work: NearWork<Result>) => Promise<Result>

const listPublished = query<PublishedRow>('feed/list_published')

/**
 * The list, read in one snapshot, with its cursor; null where there is no FEED.
 *
 * An event is published when its commit can be seen, so all up to H is in the snapshot. After H an event is in it
 * exactly when its commit is: commits of a lane are numbered, each message of FEED names its commit, and the snapshot
 * includes the numbers that it holds. So nothing waits for FEED, and the lag of H does not matter. A lane whose newest
 * commit is whole before H has nothing to skip: in quiet times the cursor is the sequence only.
 */
export async function withFeedCursor<Answer extends object>(
  { near }: { near: Near },
  read: (db: Queryable) => Promise<Answer>,
): Promise<Answer & { feed_cursor: string | null }> {
  return await near(async (db, position) => {
    if (position === undefined) return { ...(await read(db)), feed_cursor: null }
    return await inFeedSnapshot(db, position, async (feed_cursor) => ({
      ...(await read(db)),
      feed_cursor,
    }))
  })
}

/** Runs the work in one snapshot, with the cursor up to which this has all events; null where there is no FEED. */
export async function inFeedSnapshot<Result>(
  db: Queryable,
  position: FeedPosition | undefined,
  work: (cursor: string | null) => Promise<Result>,
): Promise<Result> {
  try {
    const rows = await beginSnapshot(db)
    const result = await work(position === undefined ? null : feedCursor(position, rows))
    await db.query('commit')
    return result
  } catch (error) {
    await db.query('rollback').catch(() => {})
    forgetPlans(db)
    throw error
  }
}

/** The cursor up to which a snapshot has all events, read in it; null where there is no FEED. */
export async function readFeedCursor(
  db: Queryable,
  position: FeedPosition | undefined,
): Promise<string | null> {
  return position === undefined ? null : feedCursor(position, await listPublished(db))
}

/** Both in one message, which saves a round trip. */
async function beginSnapshot(db: Queryable): Promise<PublishedRow[]> {
  const text = `${BEGIN_SNAPSHOT}; ${listPublished.text}`
  const results = (await db.query(text)) as unknown as { rows: PublishedRow[] }[]
  return results.at(-1)?.rows ?? []
}

function feedCursor(
  { epoch, sequence, published }: FeedPosition,
  rows: readonly PublishedRow[],
): string {
  const ahead: LaneCommits = new Map(
    rows
      .filter((row) => !isWhole(row, published))
      .map((row) => [row.lane, row.published_commit] as const),
  )
  const offset = { epoch, sequence, eventCount: 0 }
  return writeCursor(ahead.size === 0 ? offset : { ...offset, ahead })
}
