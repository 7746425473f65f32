/**
 * The checkpoint row of a lane: its watermark, its newest commit, and the location of the rows that the commit
 * publishes. Only the epoch of the lane's owner reads and moves it.
 * Decision: docs/decisions/0008-asynchronous-commits-where-replay-is-possible.md
 */
import { int8Array } from '../../sql/binary/arrays.ts'
import type { Connection } from '../../sql/db.ts'
import type { History } from '../../sql/history.ts'
import { query } from '../../sql/query.ts'
import { Fenced } from './backoff.ts'

export type CheckpointRow = {
  stream_epoch: string | null
  sequence: number
  message_ms: number | null
  seen_sequence: number
  commit_number: number
  transaction_id: string | null
  first_slots: string[]
  last_slots: string[]
  feed_epoch: string | null
  feed_sequence: number
}

export const readCheckpoint = query<CheckpointRow>('actor/read_checkpoint')
const advance = query<{ flushed: number | bigint }>('actor/advance_checkpoint')
export const notePublished = query('actor/note_published')
export const noteSeen = query('actor/note_seen')

/**
 * How the transaction of a lane begins. One that publishes nothing does not wait for the disk: its effects and
 * its progress are one transaction, so a server that forgets the newest of them in a crash forgets both, and
 * the lane reads the same messages again. A published batch must not be forgotten.
 */
export const beginOf = (published: readonly string[]): string =>
  published.length > 0 ? 'begin' : 'begin; set local synchronous_commit = off'

/** A lane as its owner left it with the commit of this number. */
type LanePosition = { actor: string; lane: number; epoch: number; commitNumber: number }

/** Progress that a commit records. */
type Progress = {
  streamEpoch: string
  read: ReadTo
  /** Up to where the stream has nothing that was not read, as far as the lane looked; 0: it did not. */
  seenSequence: number
  runs: readonly SlotRun[]
  /** In how many messages it is published. */
  publishedParts: number
  /** The newest message that the lane has in FEED. */
  feed: FeedMessage
}
/** Up to which message of its stream a lane has read, and when that was stored (Unix ms); undefined: unknown. */
export type ReadTo = { sequence: number; storedMs: number | undefined }
/** A message of FEED, and of which epoch; null and 0: none. */
export type FeedMessage = { epoch: string | null; sequence: number }

/** Compare-and-set. Rejects with Fenced where the lane is another's, or went on, with HistoryLost where the database went back. */
export async function advanceCheckpoint(
  connection: Connection,
  { actor, lane, epoch, commitNumber }: LanePosition,
  { streamEpoch, read, seenSequence, runs, publishedParts, feed }: Progress,
  history: History,
): Promise<void> {
  const known = history.known()
  const [moved] = await advance(connection, [
    actor,
    lane,
    epoch,
    commitNumber,
    streamEpoch,
    read.sequence,
    int8Array(runs.map((run) => run.first)),
    int8Array(runs.map((run) => run.last)),
    publishedParts,
    feed.epoch,
    feed.sequence,
    read.storedMs ?? null,
    seenSequence,
  ])
  if (moved === undefined) throw new Fenced(`lane ${lane} was moved on by another owner`)
  history.note(moved.flushed, known)
}

/** Slots as runs, by which a commit remembers where its rows are. */
export type SlotRun = { first: number; last: number }

/** Slots apart that still make one run: after a crash a few rows more are read, and each commit has fewer entries. */
const GAP_MAX = 4

/** The runs that hold all of these slots, sorted and apart from each other. */
export function slotRuns(slots: Iterable<number>): SlotRun[] {
  const runs: SlotRun[] = []
  for (const slot of [...new Set(slots)].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && slot - run.last <= GAP_MAX) run.last = slot
    else runs.push({ first: slot, last: slot })
  }
  return runs
}
