/**
 * Plan and position of a replay, and their JSON. Pure.
 *
 * Law: a position and the plan determine exactly which events are published: token lines up to an id, of the tables all
 * whole slots up to one, of the stream all messages up to one, less the events of the tables (History).
 */
import { type MarketEvent, payloadOf } from '../../domain/events/event.ts'
import { History, type HistoryPage } from '../feed/table-history.ts'

/** Null: no bound. Times are Unix ms, sequences the stream's; both ends included. */
export type ReplayBounds = {
  fromMs: number | null
  toMs: number | null
  fromSequence: number | null
  toSequence: number | null
}

export type ReplayPlan = ReplayBounds & {
  /** A pattern of subjects. */
  subject: string
  /** Epoch of the stream that the sequences belong to. */
  epoch: string
  /** Whether the tables are read, and the stream only after them. */
  isStored: boolean
}

type ReplayPhase = 'tokens' | 'tables' | 'stream' | 'done'

type ReplayPages = readonly [number | null, [number, number][]][]

export type ReplayPosition = {
  phase: ReplayPhase
  /** The newest token that is out. */
  tokenId: number
  /** All of the tables up to this slot is out. */
  slot: number
  /** Commits that the snapshots of pages included: `[slot end or null, [[lane, commit], ...]]`. */
  pages: ReplayPages
  /** The same of the page that is under way: it is out up to `slot`. */
  marks: [number, number][] | null
  /** All of the stream up to this is out. */
  sequence: number
  /** The last message of the stream that is to come; null: not known yet. */
  endSequence: number | null
}

/** The progress of a replay, stored between its runs. */
export type ReplayRecord = {
  version: 1
  /** Id of one replay, the same however often it is resumed. */
  run: string
  /** The output: `file`, `stdout` or `subject NAME`. */
  output: string
  /** Size of the output that the position corresponds to. */
  bytes: number
  events: number
  plan: ReplayPlan
  position: ReplayPosition
}

/** A part that is out whole or not at all, and where that leads. */
export type ReplayStep = { events: MarketEvent[]; position: ReplayPosition }

/** The slot of token lines, which have no order among swaps. */
export const TOKEN_SLOT = -1

/** `marks`: the lanes' progress before any token is read; empty: the tables are not read. */
export function beginning(
  phase: ReplayPhase,
  sequence: number,
  marks?: [number, number][],
): ReplayPosition {
  return {
    phase,
    tokenId: 0,
    slot: TOKEN_SLOT,
    pages: marks === undefined ? [] : [[TOKEN_SLOT + 1, marks]],
    marks: null,
    sequence,
    endSequence: null,
  }
}

export function historyOf({ pages, marks, slot }: ReplayPosition): History {
  const read = pages.map(
    ([slotEnd, commits]): HistoryPage => ({
      slotEnd: slotEnd ?? Number.POSITIVE_INFINITY,
      commits: new Map(commits),
    }),
  )
  const history = new History(TOKEN_SLOT, read)
  if (marks !== null) history.add(slot + 1, new Map(marks))
  return history
}

export function pagesOf({ pages }: History): ReplayPages {
  return pages.map(({ slotEnd, commits }) => [
    Number.isFinite(slotEnd) ? slotEnd : null,
    [...commits],
  ])
}

/** Whether an event lies in the bounds of time; a token line has no time and always does. */
export function isWithin({ fromMs, toMs }: ReplayBounds, event: MarketEvent): boolean {
  if (event.kind === 'token') return true
  const { timestamp } = payloadOf(event)
  return timestamp >= (fromMs ?? 0) && timestamp <= (toMs ?? Number.MAX_SAFE_INTEGER)
}
