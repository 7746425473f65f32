/**
 * Reads of pool events, a page at a time. As with swaps, rows beside each other in the index's order
 * come together, and ties are ordered here.
 */

import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { INT64_MAX, type Int64 } from '../../streams/amount.ts'
import type { PoolEventKind } from '../../streams/pool-event.ts'
import { refuseMint } from '../swaps/read.ts'
import { compareEvents, type EventKey, type EventRow, keyOfEventCursor } from './event-key.ts'

export type EventFilter = {
  pair_address?: string
  token_address?: string
  dex?: number
  event?: PoolEventKind
  /** Unix ms, inclusive. */
  from?: Int64
  to?: Int64
}
type Order = 'asc' | 'desc'
export type EventPage = { rows: EventRow[]; hasMore: boolean }

const findPools = query<{ id: number }>('swaps/find_pools')
const LISTS = {
  all: {
    asc: query<EventRow>('pool-events/list_events_asc', { isPlannedAnew: true }),
    desc: query<EventRow>('pool-events/list_events_desc', { isPlannedAnew: true }),
  },
  pools: {
    asc: query<EventRow>('pool-events/list_events_of_pools_asc'),
    desc: query<EventRow>('pool-events/list_events_of_pools_desc'),
  },
  /** Of a narrow window a pool's events may be found sooner by their times: the planner weighs it. */
  poolsBetween: {
    asc: query<EventRow>('pool-events/list_events_of_pools_asc', { isPlannedAnew: true }),
    desc: query<EventRow>('pool-events/list_events_of_pools_desc', { isPlannedAnew: true }),
  },
}
/** Rows beyond the page: one tells that there are more, one is the cursor's own, met again. */
const ROWS_BEYOND = 2

export async function readPoolEvents(
  db: Queryable,
  filter: EventFilter,
  page: { limit: number; cursor?: string; order: Order },
): Promise<EventPage> {
  const { limit, order } = page
  const sign = order === 'asc' ? 1 : -1
  const cursor = page.cursor === undefined ? undefined : keyOfEventCursor(page.cursor)
  const pools = await poolsOf(db, filter)
  if (pools?.length === 0) return { rows: [], hasMore: false }
  const isTimed = filter.from !== undefined || filter.to !== undefined
  const ofPools = isTimed ? LISTS.poolsBetween : LISTS.pools
  const list = (pools === undefined ? LISTS.all : ofPools)[order]
  const traits = [filter.dex, filter.event, filter.from, filter.to].map((trait) => trait ?? null)
  const wanted = limit + ROWS_BEYOND
  const found: EventRow[] = []
  let after = startOf(cursor, order)
  for (;;) {
    const read = await list(db, [...after, wanted, ...traits, ...(pools ? [pools] : [])])
    const rows = read.sort((a, b) => sign * compareEvents(a, b))
    found.push(...rows.filter((row) => !cursor || sign * compareEvents(row, cursor) > 0))
    if (found.length > limit) return { rows: found.slice(0, limit), hasMore: true }
    const last = rows.at(-1)
    if (rows.length < wanted || last === undefined) return { rows: found, hasMore: false }
    after = [last.slot, last.block_tx_index, last.ix_index, last.dex]
  }
}

async function poolsOf(db: Queryable, filter: EventFilter): Promise<number[] | undefined> {
  const { pair_address: pair, token_address: mint } = filter
  if (pair === undefined && mint === undefined) return undefined
  const pools = await findPools(db, [pair ?? null, mint ?? null])
  if (pair !== undefined && pools.length === 0) await refuseMint(db, pair)
  return pools.map(({ id }) => id)
}

/** Just before the cursor, so that the events that tie with it are read again and sorted out. */
function startOf(cursor: EventKey | undefined, order: Order): readonly Int64[] {
  const step = order === 'asc' ? -1 : 1
  if (cursor === undefined) return [order === 'asc' ? -1 : INT64_MAX, 0, 0, 0]
  return [cursor.slot, cursor.block_tx_index, cursor.ix_index, cursor.dex + step]
}
