/**
 * Compares a database that went back in time (a restored backup, a standby that was promoted too early) with the
 * streams: messages that both hold, that are read again, that are lost; and repairs FEED.
 *
 * ```
 *   SWAP      1 ......... 400 ................ 900       the database has read 400: 401 to 900 are read again
 *   database  ........... commit 14
 *   FEED      1 ...... commit 14 | 15 .. 20              15 to 20 are of a history that no table has
 * ```
 *
 * Law: FEED ahead of the database is not repaired in place, because commits 15 to 20 come again with other contents:
 * the stream is recreated under another epoch, so that every client and every lane learns of it. Lanes that read FEED
 * then count the tables afresh from the stored swaps. SWAP is left unchanged: pool lanes drop duplicates.
 */
import { type Db, inTransaction } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import type { JetStream } from '../streams/nats/jetstream.ts'
import { feedPoolLaneFilter } from '../streams/nats/subject.ts'
import {
  recreateStream,
  type StreamExtent,
  sequenceToday,
  streamExtent,
  streamNotFound,
  swapHead,
  type Topology,
} from '../streams/nats/topology.ts'
import { commitOf, commitsOf, comparePoolLanes, type PoolLane } from './runtime/feed/feed-ahead.ts'

type Deps = { db: Db; jetStream: JetStream; topology: Topology }

/** A message of a stream, and when it was stored. */
type Stored = { sequence: number; at: Date | null }
/** Sequences that a stream holds; `first` above `last`: the stream is empty. */
export type Held = { stream: string; epoch: string; first: number; last: number }
/** Sequences of SWAP that are no longer there, and between which moments they were stored, as far as is known. */
type Gone = { from: number; to: number; after: Date | null; before: Date | null }

export type LaneRecovery = {
  lane: number
  databaseCommit: number
  feedCommit: number
  /** The sequence up to which the lane has read the present SWAP; 0 where it has read no message of this stream. */
  readTo: number
  /** The newest message of SWAP for the lane. */
  head: number
}

export type DatabaseSeen = {
  name: string
  systemIdentifier: string
  timeline: number
  committedAt: Date | null
}

export type Recovery = {
  database: DatabaseSeen
  swap: Held
  feed: Held
  lanes: LaneRecovery[]
  /**
   * The first message of FEED whose commit the database lacks; absent: the database has all commits, and no recovery is
   * needed.
   */
  ahead?: Stored
  /** Messages that the database has not read and SWAP no longer holds. */
  gone?: Gone
}

type DatabaseRow = {
  name: string
  system_identifier: string
  timeline: number
  committed_at: Date | null
}

const readDatabase = query<DatabaseRow>('recovery/read_database')
const lockPoolLanes = query('recovery/lock_pool_lanes')
const forgetPublished = query('recovery/forget_published')

/** The database as it is now. Throws where it has no schema. */
export async function databaseSeen(db: Db): Promise<DatabaseSeen> {
  const [database] = await readDatabase(db)
  if (database === undefined) throw new Error('the database has no identity: run swaptide migrate')
  return {
    name: database.name,
    systemIdentifier: database.system_identifier,
    timeline: database.timeline,
    committedAt: database.committed_at,
  }
}

/** Reads the state of both sides; changes nothing. */
export async function readRecovery(deps: Deps): Promise<Recovery> {
  const { db, jetStream, topology } = deps
  const database = await databaseSeen(db)
  const swap = await extentOf(jetStream, topology.swap.stream)
  const feed = await extentOf(jetStream, topology.feed.stream)
  const compared = await comparePoolLanes(deps)
  const lanes = await Promise.all(compared.map((lane) => laneRecovery(deps, lane, swap)))
  const ahead = await firstAhead(deps, lanes, feed)
  const gone = await goneFromSwap(deps, compared, swap)
  return {
    database,
    swap: heldIn(topology.swap.stream, swap),
    feed: heldIn(topology.feed.stream, feed),
    lanes,
    ...(ahead === undefined ? {} : { ahead }),
    ...(gone === undefined ? {} : { gone }),
  }
}

/**
 * Recreates FEED where it is ahead of the database; returns false, without a change, where it is not. No pool lane may
 * commit meanwhile. An interruption is harmless: either FEED is still ahead, or it is empty.
 */
export async function recover(deps: Deps): Promise<boolean> {
  const { db, jetStream, topology } = deps
  return await inTransaction(db, async (connection) => {
    await lockPoolLanes(connection)
    const lanes = await comparePoolLanes({ ...deps, db: connection })
    const isAhead = lanes.some((lane) => lane.feedCommit > commitsOf(lane))
    if (isAhead) {
      await recreateStream(jetStream, topology.feed.stream)
      await forgetPublished(connection)
    }
    return isAhead
  })
}

async function extentOf(jetStream: JetStream, stream: string): Promise<StreamExtent> {
  const extent = await streamExtent(jetStream, stream)
  if (extent === undefined) throw new Error(streamNotFound(stream))
  return extent
}

const heldIn = (stream: string, { epoch, first, last }: StreamExtent): Held => {
  return { stream, epoch, first, last }
}

async function laneRecovery(
  { jetStream, topology }: Deps,
  lane: PoolLane,
  swap: StreamExtent,
): Promise<LaneRecovery> {
  return {
    lane: lane.lane,
    databaseCommit: commitsOf(lane),
    feedCommit: lane.feedCommit,
    readTo: readTo(lane, swap, 'sequence'),
    head: await swapHead(jetStream, topology, lane.lane),
  }
}

/** A sequence of the lane's row as SWAP counts today; 0 where that was another stream. */
function readTo(
  { row }: PoolLane,
  swap: StreamExtent,
  column: 'sequence' | 'seen_sequence',
): number {
  if (row === undefined || row.stream_epoch === null) return 0
  return sequenceToday(swap, row.stream_epoch, row[column]) ?? 0
}

async function firstAhead(
  { jetStream, topology }: Deps,
  lanes: readonly LaneRecovery[],
  feed: StreamExtent,
): Promise<Stored | undefined> {
  const ahead = lanes.filter(({ databaseCommit, feedCommit }) => feedCommit > databaseCommit)
  const found = await Promise.all(ahead.map((lane) => firstOfLane(jetStream, topology, lane, feed)))
  if (found.length === 0) return undefined
  const sequence = Math.min(...found)
  return { sequence, at: await storedAt(jetStream, topology.feed.stream, sequence) }
}

/** A lane publishes its commits in order, so the commits that the database lacks are its last. */
async function firstOfLane(
  jetStream: JetStream,
  { feed: { stream }, prefix }: Topology,
  { lane, databaseCommit }: LaneRecovery,
  { first, last }: StreamExtent,
): Promise<number> {
  const filter = feedPoolLaneFilter(prefix, lane)
  let [known, ahead] = [first - 1, last]
  while (ahead - known > 1) {
    const middle = Math.floor((known + ahead) / 2)
    const message = await jetStream.nextOfSubject(stream, filter, middle)
    if (message === undefined || commitOf(message) > databaseCommit) ahead = middle
    else known = middle
  }
  return (await jetStream.nextOfSubject(stream, filter, ahead))?.sequence ?? ahead
}

/**
 * Messages trimmed from SWAP that lanes with lost commits need to read again. An upper bound: sequences count
 * messages of all lanes.
 */
async function goneFromSwap(
  { jetStream, topology }: Deps,
  compared: readonly PoolLane[],
  swap: StreamExtent,
): Promise<Gone | undefined> {
  const lagging = compared.filter((lane) => lane.feedCommit > commitsOf(lane))
  const seen = lagging.map((lane) =>
    Math.max(readTo(lane, swap, 'sequence'), readTo(lane, swap, 'seen_sequence')),
  )
  const from = Math.min(...seen) + 1
  if (lagging.length === 0 || swap.first <= from) return undefined
  const times = lagging.flatMap(({ row }) => row?.message_ms ?? [])
  return {
    from,
    to: swap.first - 1,
    after: times.length < lagging.length ? null : new Date(Math.min(...times)),
    before: await storedAt(jetStream, topology.swap.stream, swap.first),
  }
}

async function storedAt(jetStream: JetStream, stream: string, sequence: number) {
  const ms = await jetStream.storedAt(stream, sequence)
  return ms === undefined ? null : new Date(ms)
}
