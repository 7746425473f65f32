/**
 * History out of the tables: token lines by id, then swaps and pool events by whole slots in canonical
 * order, each page of one snapshot with the lanes' progress in it.
 *
 * Law: an event has the fields that it arrived with. A pool price that the venue did not publish is left out, and so
 * are computed values.
 */

import type { Int64 } from '../../domain/amount.ts'
import { compareFully, type MarketEvent } from '../../domain/events/event.ts'
import { type PoolEventRow, poolEventOfRow, swapOfRow } from '../../domain/events/stored-row.ts'
import type { Swap } from '../../domain/events/swap.ts'
import type { Token } from '../../domain/events/token.ts'
import { listWholeSlots } from '../../history/swaps/slots.ts'
import { type Db, onConnection } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { highSlot, historyWindow, type Times } from '../../sql/history-window.ts'
import { query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import type { LaneCommits } from '../../streams/feed/feed-cursor.ts'
import { poolPrice } from '../pool/pool.ts'

type MarkRow = {
  lane: number
  stream_epoch: string | null
  sequence: number
  commit_number: number
}
const TOKEN_FIELDS = ['creator', 'decimals', 'symbol', 'name', 'supply', 'sector', 'uri'] as const
type TokenField = (typeof TOKEN_FIELDS)[number]
type TokenRow = { id: number; token_address: string } & Record<TokenField, string | Int64 | null> &
  Record<`${TokenField}_slot`, number | null>

const listMarks = query<MarkRow>('replay/list_marks')
const listPoolEvents = query<PoolEventRow>('history/list_pool_events')
const listTokens = query<TokenRow>('replay/list_tokens')

const PAGE_ROWS = 10_000
const PAGE_TOKENS = 5_000

/** How far a lane has come, as messages of the stream count it. */
export type MarkOf = (row: MarkRow) => number

type StoredWanted = {
  venues: number[] | undefined
  fromMs: number | null
  toMs: number | null
  markOf: MarkOf
  /** Swaps, and pool events, of a page; absent: 10,000. */
  pageRows?: number | undefined
}

type StoredPage = {
  /** By slot, ascending; each in canonical order. */
  slots: [slot: number, events: MarketEvent[]][]
  /** All slots before it are read; infinite: all there are. */
  slotEnd: number
  marks: LaneCommits
}

export async function readMarks(db: Queryable, markOf: MarkOf): Promise<LaneCommits> {
  return new Map((await listMarks(db)).map((row) => [row.lane, markOf(row)]))
}

/** The stored token lines after an id. */
export async function* storedTokens(
  db: Db,
  afterId: number,
  venues: number[] | undefined,
): AsyncGenerator<{ tokens: Token[]; id: number }> {
  for (let after = afterId; ; ) {
    const rows = await listTokens(db, [after, PAGE_TOKENS, venues ?? null])
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    yield { tokens: rows.flatMap(tokensOfRow), id: after }
  }
}

/** One line for each slot that set a field: only the newest value of each field is stored, with its slot. */
function tokensOfRow(row: TokenRow): Token[] {
  const known = TOKEN_FIELDS.filter((field) => row[`${field}_slot`] !== null)
  if (known.length === 0) return [{ tokenAddress: row.token_address, slot: 0 }]
  const bySlot = Map.groupBy(known, (field) => row[`${field}_slot`] as number)
  return [...bySlot]
    .sort(([a], [b]) => a - b)
    .map(([slot, fields]) => ({
      tokenAddress: row.token_address,
      slot,
      ...Object.fromEntries(fields.map((field) => [field, row[field]])),
    }))
}

/** Pages of the stored events after a slot. */
export async function* storedPages(
  db: Db,
  afterSlot: number,
  wanted: StoredWanted,
): AsyncGenerator<StoredPage> {
  const high = await highSlot(db, timesOf(wanted))
  for (let after = afterSlot; ; ) {
    const page = await readPage(db, after, high, wanted)
    yield page
    if (!Number.isFinite(page.slotEnd)) return
    after = page.slotEnd - 1
  }
}

const timesOf = ({ fromMs, toMs }: StoredWanted): Times => [
  fromMs ?? 0,
  toMs ?? Number.MAX_SAFE_INTEGER,
]

async function readPage(
  db: Db,
  after: number,
  high: number,
  wanted: StoredWanted,
): Promise<StoredPage> {
  const { venues, markOf, pageRows = PAGE_ROWS } = wanted
  return await onConnection(db, async (connection) => {
    const times = timesOf(wanted)
    const { marks, to, swaps, poolEvents } = await inSnapshot(connection, async () => {
      const [from, end] = await historyWindow(connection, after, high, times)
      const slots = { afterSlot: from, toSlot: end, rows: pageRows, venues: venues ?? null, times }
      const parameters = [from, end, pageRows, slots.venues, ...times]
      return {
        marks: await readMarks(connection, markOf),
        to: end,
        swaps: await listWholeSlots(connection, slots, 'cached'),
        poolEvents: await listPoolEvents(connection, parameters),
      }
    })
    const events: MarketEvent[] = [
      ...swaps.map((row): MarketEvent => ({ kind: 'swap', swap: asItCame(swapOfRow(row)) })),
      ...poolEvents.map(
        (row): MarketEvent => ({ kind: 'pool_event', poolEvent: poolEventOfRow(row) }),
      ),
    ]
    // A full page holds its last slot whole, and later slots are unknown.
    const end = Math.min(lastSlot(swaps, pageRows), lastSlot(poolEvents, pageRows), to)
    const bySlot = Map.groupBy(
      events.filter((event) => slotOf(event) <= end),
      slotOf,
    )
    return {
      slots: [...bySlot]
        .sort(([a], [b]) => a - b)
        .map(([slot, found]) => [slot, found.sort(compareFully)]),
      slotEnd: end === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : end + 1,
      marks,
    }
  })
}

function lastSlot(rows: readonly { slot: number }[], pageRows: number): number {
  if (rows.length < pageRows) return Number.POSITIVE_INFINITY
  return rows.reduce((last, { slot }) => Math.max(last, slot), 0)
}

function slotOf(event: MarketEvent): number {
  if (event.kind === 'token') return event.token.slot
  return event.kind === 'swap' ? event.swap.slot : event.poolEvent.slot
}

/** Without a pool price that follows from its reserves: the venue need not have published one. */
export function asItCame(swap: Swap): Swap {
  const unpublished = { ...swap, poolPrice: undefined }
  return poolPrice(unpublished) === swap.poolPrice ? unpublished : swap
}
