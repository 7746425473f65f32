/**
 * Reads of pool events, a page at a time. As with swaps, rows next to each other in the index's order
 * come together, and ties are ordered here. A page ends where it has come to when its time is up.
 */

import { INT64_MAX, type Int64 } from '../../../domain/amount.ts'
import type { PoolEventKind } from '../../../domain/events/pool-event.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import { ScanBudget } from '../../routing/reading/scan-budget.ts'
import { refuseMint } from '../swaps/read.ts'
import { compareEvents, type EventKey, type EventRow } from './event-key.ts'

type EventFilter = {
  pair_address?: string
  token_address?: string
  dex?: number
  event?: PoolEventKind
  /** Unix ms, inclusive. */
  from?: Int64
  to?: Int64
}
type Order = 'asc' | 'desc'
/** `after`: the event after which the list continues; undefined: it begins. */
type Page = { limit: number; order: Order; after: EventKey | undefined }
/** How a list is read: `pastSlot`: as of the end of this slot. */
export type EventRead = { walkMs: number; pastSlot?: number }
/** A page, and the event after which the list continues, which need not be on the page; undefined: the end. */
type EventPage = { rows: EventRow[]; reached: EventRow | undefined }

const countBetween = query<{ event_count: number }>('pool-events/count_between')
const findPools = query<{ id: number }>('swaps/find_pools')
const ORDERS: readonly Order[] = ['asc', 'desc']
const LISTS = {
  all: variants<EventRow, Order>('pool-events/list_events', ORDERS),
  /** For a window with few events. */
  between: variants<EventRow, Order>('pool-events/list_events_between', ORDERS),
  pools: variants<EventRow, Order>('pool-events/list_events_of_pools', ORDERS),
  /** In a narrow window a search by time may find a pool's events sooner: the planner decides per execution. */
  poolsBetween: variants<EventRow, Order>('pool-events/list_events_of_pools', ORDERS, {
    isPlannedAnew: true,
  }),
}
/** Rows beyond the page: one shows that there are more, one is the cursor's own row, read again. */
const ROWS_BEYOND = 2
/** Events of a window of time up to which all of them are read: some 10 ms. */
const FEW_EVENTS = 10_000

export async function readPoolEvents(
  db: Queryable,
  filter: EventFilter,
  { limit, order, after: cursor }: Page,
  { walkMs, pastSlot }: EventRead,
): Promise<EventPage> {
  const sign = order === 'asc' ? 1 : -1
  const isPast = ({ slot }: EventRow): boolean => pastSlot === undefined || slot <= pastSlot
  const isAfterCursor = (row: EventRow): boolean => !cursor || sign * compareEvents(row, cursor) > 0
  const pools = await poolsOf(db, filter, pastSlot)
  if (pools?.length === 0) return { rows: [], reached: undefined }
  const by = pools === undefined ? await accessOfAll(db, filter) : accessOfPools(filter)
  const times = by === 'between' ? windowOf(filter) : [filter.from ?? null, filter.to ?? null]
  const traits = [filter.dex ?? null, filter.event ?? null, ...times]
  const budget = new ScanBudget(walkMs)
  const wanted = limit + ROWS_BEYOND
  const found: EventRow[] = []
  let after = startOf(cursor, order, pastSlot)
  for (;;) {
    const rest = by === 'between' ? [] : [budget.leftMs(), ...(pools ? [pools] : [])]
    const read = await LISTS[by][order](db, [...after, wanted, ...traits, ...rest])
    const rows = read.sort((a, b) => sign * compareEvents(a, b))
    found.push(...rows.filter((row) => isPast(row) && isAfterCursor(row) && fits(row, filter)))
    if (found.length > limit) return { rows: found.slice(0, limit), reached: found[limit - 1] }
    const last = rows.at(-1)
    const isLast = rows.length < wanted || last === undefined || (order === 'asc' && !isPast(last))
    if (isLast) return { rows: found, reached: undefined }
    if (budget.leftMs() === 0 && isAfterCursor(last)) return { rows: found, reached: last }
    after = [last.slot, last.block_tx_index, last.ix_index, last.dex]
  }
}

/** Events of all pools are read in their order, or those of a window of time that has few. */
async function accessOfAll(db: Queryable, filter: EventFilter): Promise<'all' | 'between'> {
  if (filter.from === undefined && filter.to === undefined) return 'all'
  const [counted] = await countBetween(db, [...windowOf(filter), FEW_EVENTS + 1])
  return (counted?.event_count ?? 0) > FEW_EVENTS ? 'all' : 'between'
}

function accessOfPools({ from, to }: EventFilter): 'pools' | 'poolsBetween' {
  return from === undefined && to === undefined ? 'pools' : 'poolsBetween'
}

function windowOf({ from = 0, to = INT64_MAX }: EventFilter): [from: Int64, to: Int64] {
  return [from, to]
}

/** Whether an event matches the list: statements also return the row at which their time ran out. */
function fits(row: EventRow, filter: EventFilter): boolean {
  const { dex = row.dex, event = row.event, from = row.timestamp, to = row.timestamp } = filter
  return row.dex === dex && row.event === event && row.timestamp >= from && row.timestamp <= to
}

async function poolsOf(
  db: Queryable,
  filter: EventFilter,
  pastSlot: number | undefined,
): Promise<number[] | undefined> {
  const { pair_address: pair, token_address: mint } = filter
  if (pair === undefined && mint === undefined) return undefined
  const pools = await findPools(db, [pair ?? null, mint ?? null])
  if (pair !== undefined && pools.length === 0) await refuseMint(db, pair, pastSlot)
  return pools.map(({ id }) => id)
}

/** Just before the cursor, so that the events that tie with it are read again and sorted out; none above the past slot. */
function startOf(
  cursor: EventKey | undefined,
  order: Order,
  pastSlot: number | undefined,
): readonly Int64[] {
  const step = order === 'asc' ? -1 : 1
  if (order === 'desc' && pastSlot !== undefined && (cursor?.slot ?? INT64_MAX) > pastSlot) {
    return [pastSlot + 1, 0, 0, 0]
  }
  if (cursor === undefined) return [order === 'asc' ? -1 : INT64_MAX, 0, 0, 0]
  return [cursor.slot, cursor.block_tx_index, cursor.ix_index, cursor.dex + step]
}
