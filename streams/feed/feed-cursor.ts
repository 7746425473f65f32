/**
 * The public cursor of a position in FEED, the same on WebSocket, gRPC and REST: `<epoch>-<sequence>`. Pure.
 *
 * All messages up to that sequence are delivered. Where a message did not fit one frame, `<epoch>-<sequence>.<events>`
 * adds that so many events of the next message are delivered too, so that a client cut off within a message neither
 * misses nor repeats any. Commits that a list held before FEED published them follow a `~`: for each pool lane the
 * newest delivered commit (`<epoch>-<sequence>~77..80`: lane 0 up to commit 77, lane 2 up to 80). The epoch is the
 * stream's: by it a cursor of a recreated stream is recognised.
 * Decision: docs/decisions/0033-one-cursor-for-all-feeds.md
 */
import type { FeedMark } from '../codec/event-codec.ts'

/** The newest commit by pool lane. */
export type LaneCommits = ReadonlyMap<number, number>

export type FeedOffset = {
  /** The newest delivered message; 0: none. */
  sequence: number
  /** Events of the next message that are delivered as well, counted before any filter. */
  eventCount: number
  /** Later messages that are delivered too: those of these lanes with commits up to these. Never empty. */
  ahead?: LaneCommits | undefined
}

export type Cursor = FeedOffset & { epoch: string }

/** Longer than any that we write. */
export const CURSOR_LENGTH_MAX = 1_024

const CURSOR =
  /^([0-9A-Za-z_:.+-]{0,39}[0-9A-Za-z])-(0|[1-9]\d{0,15})(?:\.([1-9]\d{0,5}))?(?:~([\d.]*[1-9]\d*))?$/
const COMMIT = /^(?:[1-9]\d{0,15})?$/

export function writeCursor({ epoch, sequence, eventCount, ahead }: Cursor): string {
  const cursor = eventCount === 0 ? `${epoch}-${sequence}` : `${epoch}-${sequence}.${eventCount}`
  if (ahead === undefined) return cursor
  const lanes = Math.max(...ahead.keys()) + 1
  return `${cursor}~${Array.from({ length: lanes }, (_, lane) => ahead.get(lane) ?? '').join('.')}`
}

/** Parses a cursor; undefined for any other text. */
export function readCursor(text: string): Cursor | undefined {
  const match = text.length <= CURSOR_LENGTH_MAX ? CURSOR.exec(text) : null
  if (match === null) return undefined
  const [, epoch = '', sequence = '', eventCount = '0', commits] = match
  if (!Number.isSafeInteger(Number(sequence))) return undefined
  const cursor = { epoch, sequence: Number(sequence), eventCount: Number(eventCount) }
  if (commits === undefined) return cursor
  const texts = commits.split('.')
  if (!texts.every((each) => COMMIT.test(each) && Number.isSafeInteger(Number(each)))) {
    return undefined
  }
  const ahead = texts.flatMap((each, lane) => (each === '' ? [] : [[lane, Number(each)] as const]))
  return { ...cursor, ahead: new Map(ahead) }
}

/** Whether a message of FEED was delivered ahead of the sequence. */
export function isDoneAhead(ahead: LaneCommits | undefined, mark: FeedMark): boolean {
  return ahead !== undefined && (ahead.get(mark.poolLane) ?? 0) >= mark.commitNumber
}

/**
 * The commits ahead that still matter after a message: a lane publishes a commit when FEED holds the one before it
 * whole, so a newer commit than is done implies that no more of these will come.
 */
export function aheadAfter(
  ahead: LaneCommits | undefined,
  { poolLane, commitNumber }: FeedMark,
): LaneCommits | undefined {
  const known = ahead?.get(poolLane)
  if (ahead === undefined || known === undefined || known >= commitNumber) return ahead
  if (ahead.size === 1) return undefined
  const rest = new Map(ahead)
  rest.delete(poolLane)
  return rest
}
