/**
 * Whether FEED publishes commits that the database does not have. Then the database went back in time (an older backup
 * was restored while nothing ran, so that no process remembers more: sql/history.ts), or it is another one.
 *
 * Invariant: a pool lane commits before it publishes, so FEED is never ahead of the database that it was written from.
 * No lane of any actor continues with a FEED that is: it holds swaps that no table has, and the pool lanes would regard
 * their next commits as published. `swaptide recover` mends it (recovery.ts).
 */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { decodeFeedMark } from '../../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../../streams/codec/protobuf.ts'
import type { JetStream, StoredMessage } from '../../../streams/nats/jetstream.ts'
import { feedPoolLaneFilter } from '../../../streams/nats/subject.ts'
import type { Topology } from '../../../streams/nats/topology.ts'
import { FeedAhead } from '../backoff.ts'

/** A pool lane by the database; the sequences are those of SWAP. */
type PoolLaneRow = {
  lane: number
  commit_number: number
  stream_epoch: string | null
  sequence: number
  seen_sequence: number
  message_ms: number | null
  committed_at: Date | null
}

/** A pool lane in the database, absent where it was never owned, and its newest commit in FEED, 0 without one. */
export type PoolLane = { lane: number; row: PoolLaneRow | undefined; feedCommit: number }

type Deps = { db: Queryable; jetStream: JetStream; topology: Topology }

const listPoolLanes = query<PoolLaneRow>('recovery/list_pool_lanes')

/** FEED is read first: commits that are published meanwhile must not look as if they were ahead. */
export async function comparePoolLanes({ db, jetStream, topology }: Deps): Promise<PoolLane[]> {
  const { prefix, feed } = topology
  const newest = await Promise.all(
    Array.from({ length: topology.laneCount }, (_, lane) =>
      jetStream.lastOfSubject(feed.stream, feedPoolLaneFilter(prefix, lane)),
    ),
  )
  const rows = await listPoolLanes(db)
  return newest.map((message, lane) => ({
    lane,
    row: rows.find((each) => each.lane === lane),
    feedCommit: message === undefined ? 0 : commitOf(message),
  }))
}

export const commitsOf = ({ row }: PoolLane): number => row?.commit_number ?? 0

/** Throws FeedAhead where FEED has a commit of any pool lane that the database lacks. */
export async function expectNotAhead(deps: Deps): Promise<void> {
  for (const lane of await comparePoolLanes(deps)) {
    expectCommitted(deps.topology, { ...lane, commitNumber: commitsOf(lane) })
  }
}

/** The same of one pool lane, where it is known what both have of it. */
export function expectCommitted(
  { feed }: Topology,
  { lane, commitNumber, feedCommit }: { lane: number; commitNumber: number; feedCommit: number },
): void {
  if (feedCommit <= commitNumber) return
  throw new FeedAhead(
    `"${feed.stream}" publishes commit ${feedCommit} of pool lane ${lane}, the database has ` +
      `${commitNumber}: it went back in time, or is not the database that the stream was written from. ` +
      'Bring that one back, or run "swaptide recover"',
  )
}

/** 0 for what no pool lane wrote. */
export const commitOf = ({ payload }: StoredMessage): number =>
  unlessBroken(() => decodeFeedMark(payload))?.commitNumber ?? 0
