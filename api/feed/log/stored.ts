/**
 * Reads events from the tables for clients that start at a slot, and to fill gaps: pages of whole slots in canonical
 * order, each with the commits that its database snapshot contained.
 */

import { compareFully } from '../../../domain/events/event.ts'
import { type PoolEventRow, poolEventOfRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import { listWholeSlots, type StampedRow } from '../../../history/swaps/slots.ts'
import { highSlot, historyWindow, type Times } from '../../../sql/history-window.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { type FeedEvent, slotOf } from '../../../streams/codec/event-codec.ts'
import type { LaneCommits } from '../../../streams/feed/feed-cursor.ts'
import {
  isWhole,
  type LanesPublished,
  type PublishedRow,
} from '../../../streams/feed/published-commits.ts'
import type { Reader } from '../../routing/reading/reader.ts'
import type { EventChannel } from '../filter.ts'
import { ReaderQueue } from './reader-queue.ts'

type CommitRow = PublishedRow & { commit_number: number; is_settled: boolean }
const listCommits = query<CommitRow>('feed/list_commits', { isPlannedAnew: true })
const listPoolEvents = query<PoolEventRow>('history/list_pool_events', { isPlannedAnew: true })

type StoredPage = {
  events: readonly FeedEvent[]
  /** First slot of the next page; infinite: this is the last page. */
  slotEnd: number
  commits: LaneCommits
}

export type StoredEvents = {
  /** Throws LineIsFull if too many callers wait. */
  page(channel: EventChannel, fromSlot: number, signal: AbortSignal): Promise<StoredPage>
  /**
   * Whether all of these commits have been published. `read` returns the commits that this process has read from FEED.
   * Concurrent calls share one read of the tables.
   */
  arePublished(commits: LaneCommits, read: () => LanesPublished): Promise<boolean>
}

const PAGE_ROWS = 500
const ANY_TIME: Times = [0, Number.MAX_SAFE_INTEGER]
const EVERYTHING = { rows: PAGE_ROWS, venues: null, times: ANY_TIME }
/** Concurrent page reads, and callers that wait: requests need the other database connections. */
const READERS_MAX = 2
const LINE_MAX = 500
/** Timeout in milliseconds of reading the commits of the lanes. */
const COMMITS_BOUND_MS = 5_000

export function storedEvents(reader: Reader): StoredEvents {
  const readerQueue = new ReaderQueue(READERS_MAX, LINE_MAX)
  const commitsNow = shared(() =>
    reader.run(AbortSignal.timeout(COMMITS_BOUND_MS), (db) => listCommits(db)),
  )
  return {
    async page(channel, fromSlot, signal) {
      const end = await readerQueue.take()
      try {
        return await reader.run(signal, (db) =>
          inSnapshot(db, async () => {
            const rows = await listCommits(db)
            const commits = new Map(rows.map((row) => [row.lane, row.commit_number]))
            const [after, to] = await historyWindow(
              db,
              fromSlot - 1,
              await highSlot(db, ANY_TIME),
              ANY_TIME,
            )
            const parameters = [after, to, PAGE_ROWS, null, ...ANY_TIME]
            const wanted = { afterSlot: after, toSlot: to, ...EVERYTHING }
            const found =
              channel === 'swaps'
                ? (await listWholeSlots(db, wanted, 'anew')).map(eventOfSwap)
                : (await listPoolEvents(db, parameters)).map(eventOfPoolEvent)
            const events = found.sort(compareFully)
            const last = events.at(-1)
            const isFull = last !== undefined && events.length >= PAGE_ROWS
            return { events, commits, slotEnd: slotAfter(isFull ? slotOf(last) : to) }
          }),
        )
      } finally {
        end()
      }
    },
    async arePublished(commits, read) {
      const rows = await commitsNow()
      const published = read()
      // A commit begins only after the one before it is in FEED.
      const isLater = (row: CommitRow) => row.commit_number > (commits.get(row.lane) ?? 0)
      return rows.every((row) => isLater(row) || isWhole(row, published) || row.is_settled)
    },
  }
}

/** First slot of the page after this slot. */
function slotAfter(slot: number): number {
  return slot === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : slot + 1
}

/** Single flight: each call gets a read that began after it; calls during a read share the next one. */
function shared<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | undefined
  let next: Promise<Value> | undefined
  const begin = (): Promise<Value> => {
    next = undefined
    current = read().finally(() => {
      current = undefined
    })
    return current
  }
  return () => {
    if (current === undefined) return begin()
    next ??= current.then(begin, begin)
    return next
  }
}

function eventOfSwap(row: StampedRow): FeedEvent {
  return {
    kind: 'swap',
    bytes: undefined,
    poolPrice: row.pool_price,
    priceImpactBps: row.price_impact_bps,
    walletTags: row.wallet_tags ?? 0,
    swap: swapOfRow(row),
  }
}

function eventOfPoolEvent(row: PoolEventRow): FeedEvent {
  return { kind: 'pool_event', bytes: undefined, poolEvent: poolEventOfRow(row) }
}
