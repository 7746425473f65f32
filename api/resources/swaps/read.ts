/**
 * Reads of swaps: by signature, and filtered lists, a page at a time.
 *
 * A list reads the index that has its order from the cursor on, and stops when the page is full or its scan budget is
 * spent; then the page ends early. Rows that tie in (slot, block_tx_index, ix_index, dex) are read together or not
 * at all, and are ordered here by the one canonical comparison.
 */

import { INT64_MAX, type Int64 } from '../../../domain/amount.ts'
import type { SwapOrderKey } from '../../../domain/events/swap.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import {
  LARGE_LAMPORTS,
  listSwaps,
  type SwapList,
  type SwapPosition,
} from '../../../history/swaps/lists.ts'
import type { Order, ServedSwap } from '../../../history/swaps/served-swap.ts'
import { swapsOfTransaction } from '../../../history/swaps/signatures.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { ScanBudget } from '../../routing/reading/scan-budget.ts'
import {
  afterWindow,
  FIRST_WIDTH,
  fromSlot,
  nextWidth,
  type SlotWindow,
  windowOf,
} from './slot-window.ts'
import { compareKeys, keyOf, sortRows } from './swap-key.ts'

export type SwapFilter = {
  token_address?: string
  pair_address?: string
  user?: string
  dex?: number
  is_buy?: boolean
  /** Lamports. */
  min_sol?: bigint
  /** Unix ms, inclusive. */
  from?: Int64
  to?: Int64
  /** Slots, inclusive. */
  start_slot?: number
  end_slot?: number
}
/** `after`: the swap after which the list continues; undefined: it begins. */
export type Page = { limit: number; order: Order; after: SwapOrderKey | undefined }
/** How a list is read: `pastSlot`: as of the end of this slot. */
export type SwapRead = { walkMs: number; pastSlot?: number }
/** A page, and the row after which the list continues, which need not be on the page; undefined: the end. */
export type SwapPage = { rows: ServedSwap[]; reached: ServedSwap | undefined }

const findTrader = query<{ id: number } & NullableRange>('swaps/find_trader')
type PoolRow = { id: number; first_slot: number | null; last_slot: number | null }
const findPools = query<PoolRow & NullableRange>('swaps/find_pools')
const listMintPools = query<{ pair_address: string | null }>('swaps/list_mint_pools')
const readSlotBounds = query<NullableRange>('swaps/read_slot_bounds')
const findSlotRange = query<NullableRange>('swaps/find_slot_range')
const ORDERS: readonly Order[] = ['asc', 'desc']
const FIND_VENUE_RUN = variants<{ low_slot: number; high_slot: number }, Order>(
  'swaps/find_venue_run',
  ORDERS,
)
type NullableRange = { low_slot: number | null; high_slot: number | null }

/** Maximum pools named in the error for a mint sent in place of a pool. */
const NAMED_POOLS_MAX = 10
/** Rows beyond the page: one shows that there are more, one is the cursor's own row, read again. */
const ROWS_BEYOND = 2
const DEX_STEP = 1
/** Slots in which swaps of a venue are looked for at once: 8 M others may lie in them, half a second. */
const VENUE_WIDTH = 10_000
const VENUE_WIDTH_MAX = 4 * VENUE_WIDTH
/** A list has the time of so many statements that use theirs up. */
const STEPS = 4
/** One that takes this part of its time is followed by a wider one. */
const QUICK = 8

/** All swaps of a transaction in canonical order; none for an unknown signature. */
export async function readTransaction(db: Queryable, signature: string): Promise<ServedSwap[]> {
  return sortRows(await swapsOfTransaction(db, signature), 'asc')
}

export async function readSwaps(
  db: Queryable,
  given: SwapFilter,
  page: Page,
  { walkMs, pastSlot }: SwapRead,
): Promise<SwapPage> {
  const filter = pastSlot === undefined ? given : upToSlot(given, pastSlot)
  const [access, timed] = await inOnePiece(db, () =>
    Promise.all([findAccess(db, filter, pastSlot), findTimed(db, filter)]),
  )
  const range = access && (await findRange(db, timed, access, filter))
  if (access === undefined || range === undefined) return { rows: [], reached: undefined }
  const { limit, order, after: cursor } = page
  return walkSwaps(db, { filter, access, range, limit, order, cursor }, walkMs)
}

function upToSlot(filter: SwapFilter, slot: number): SwapFilter {
  return { ...filter, end_slot: Math.min(filter.end_slot ?? slot, slot) }
}

type Walk = {
  filter: SwapFilter
  access: Access
  range: SlotWindow
  limit: number
  order: Order
  cursor: SwapOrderKey | undefined
}

/**
 * Window by window until the page is full, or time is up. Rows that a statement returns after its time budget may leave
 * the page short but skip none, so that the page can end there; without any time left the next row is read at once.
 */
async function walkSwaps(db: Queryable, walk: Walk, walkMs: number): Promise<SwapPage> {
  const { filter, access, limit, order, cursor } = walk
  const budget = new ScanBudget(walkMs)
  const wanted = limit + ROWS_BEYOND
  const found: ServedSwap[] = []
  let after = cursor === undefined ? beforeAll(order) : justBefore(cursor, order)
  let rest = cursor === undefined ? walk.range : fromSlot(walk.range, cursor.slot, order)
  // Swaps of other venues are passed over within the index, where no time is looked at.
  const isOfVenue = access.list.by === 'all' && filter.dex !== undefined
  let width = isOfVenue ? VENUE_WIDTH : FIRST_WIDTH
  for (let isFirst = true; rest.low <= rest.high; isFirst = false) {
    const leftMs = budget.leftMs()
    if (isOfVenue && !isFirst && leftMs > 0) {
      const run = await FIND_VENUE_RUN[order](db, [filter.dex, rest.low, rest.high])
      if (run[0] === undefined) break
      rest = fromSlot(rest, order === 'asc' ? run[0].low_slot : run[0].high_slot, order)
    }
    const window = windowOf(rest, width, order)
    const stepMs = Math.min(leftMs, Math.ceil(walkMs / STEPS))
    const beganMs = performance.now()
    // Without time left any venue's, as nothing but a row ends the page.
    const traits = leftMs === 0 ? { ...filter, dex: undefined } : filter
    const page = { order, after, slots: window, rows: wanted, traits, searchMs: stepMs }
    const rows = sortRows(await listSwaps(db, access.list, page), order)
    const tookMs = performance.now() - beganMs
    found.push(...rows.filter((row) => isAfterCursor(row, cursor, order) && fits(row, filter)))
    if (found.length > limit) {
      const shown = found.slice(0, limit)
      return { rows: shown, reached: shown.at(-1) }
    }
    const last = rows.at(-1)
    const isFull = rows.length >= wanted
    if (isFull && last && budget.leftMs() === 0 && isAfterCursor(last, cursor, order)) {
      return { rows: found, reached: last }
    }
    if (last !== undefined) after = [last.slot, last.block_tx_index, last.ix_index, last.dex]
    rest = isFull && last ? fromSlot(rest, last.slot, order) : afterWindow(rest, window, order)
    const isQuick = leftMs === 0 || tookMs < stepMs / QUICK
    width = nextWidth(width, isQuick ? 'quick' : tookMs < stepMs ? 'even' : 'slow')
    if (isOfVenue && leftMs > 0) width = Math.min(width, VENUE_WIDTH_MAX)
  }
  return { rows: found, reached: undefined }
}

/** Whether a swap matches the list: statements also return the row at which their time ran out. */
function fits(row: ServedSwap, filter: SwapFilter): boolean {
  const { pair_address: pair = row.pair_address, token_address: mint = row.token_address } = filter
  const { dex = row.dex, is_buy: isBuy = row.is_buy, min_sol: minSol = 0n } = filter
  const { from = row.timestamp, to = row.timestamp } = filter
  return (
    row.pair_address === pair &&
    row.token_address === mint &&
    row.dex === dex &&
    row.is_buy === isBuy &&
    row.sol_amount >= minSol &&
    row.timestamp >= from &&
    row.timestamp <= to
  )
}

/** By which index a list is read; undefined where no swap can match. */
type Access = {
  list: SwapList
  /** Bounds of the slots of its swaps. */
  firstSlot: number
  lastSlot: number
  /** The range of the stored swaps, where the statement returned it. */
  bounds?: NullableRange | undefined
}

async function findAccess(
  db: Queryable,
  filter: SwapFilter,
  pastSlot: number | undefined,
): Promise<Access | undefined> {
  const { token_address: mint, pair_address: pair, user } = filter
  const isByPool = mint !== undefined || pair !== undefined
  const [pools, wallet] = await Promise.all([
    isByPool ? findPools(db, [pair ?? null, mint ?? null]) : [],
    user === undefined ? undefined : findTrader(db, [user]).then(([row]) => row),
  ])
  if (pair !== undefined && pools.length === 0) await refuseMint(db, pair, pastSlot)
  if (isByPool && pools.length === 0) return undefined
  const poolIds = isByPool ? pools.map(({ id }) => id) : null
  const ends = isByPool
    ? {
        firstSlot: leastOf(pools.flatMap(({ first_slot }) => first_slot ?? [])),
        lastSlot: greatestOf(pools.map(({ last_slot }) => last_slot ?? -1)),
      }
    : { firstSlot: 0, lastSlot: Number.MAX_SAFE_INTEGER }
  if (user !== undefined) {
    if (wallet === undefined) return undefined
    return { list: { by: 'wallet', walletId: wallet.id, poolIds }, bounds: wallet, ...ends }
  }
  if (poolIds !== null) return { list: { by: 'pools', poolIds }, bounds: pools[0], ...ends }
  const isOfLarge = filter.min_sol !== undefined && filter.min_sol >= LARGE_LAMPORTS
  return { list: { by: isOfLarge ? 'large' : 'all' }, ...ends }
}

/**
 * Detects the most common client mistake, a mint in place of its pool. Throws where it is one. `pastSlot`: of those known at
 * the end of this slot; undefined: now.
 */
export async function refuseMint(db: Queryable, pair: string, pastSlot?: number): Promise<void> {
  const rows = await listMintPools(db, [pair, NAMED_POOLS_MAX, pastSlot ?? null])
  if (rows.length === 0) return
  const pools = rows.flatMap(({ pair_address }) => pair_address ?? [])
  const named = pools.length === 0 ? '' : `, its pools are ${pools.join(' ')}`
  throw new ApiError(
    'INVALID_PARAM',
    `pair_address "${pair}" is a token mint, not a pool: send it as token_address${named}`,
  )
}

/** Slots of the requested times; undefined where none are requested. */
async function findTimed(
  db: Queryable,
  { from, to }: SwapFilter,
): Promise<readonly NullableRange[] | undefined> {
  const isTimed = from !== undefined || to !== undefined
  return isTimed ? findSlotRange(db, [from ?? 0, to ?? INT64_MAX]) : undefined
}

/** Slots that contain the list's swaps; undefined where there are none. */
async function findRange(
  db: Queryable,
  timed: readonly NullableRange[] | undefined,
  { firstSlot, lastSlot, bounds }: Access,
  { start_slot: start = firstSlot, end_slot: end = lastSlot }: SwapFilter,
): Promise<SlotWindow | undefined> {
  const [range] = timed ?? (bounds === undefined ? await readSlotBounds(db) : [bounds])
  if (range === undefined || range.low_slot === null || range.high_slot === null) return undefined
  return {
    low: Math.max(range.low_slot, firstSlot, start),
    high: Math.min(range.high_slot, lastSlot, end),
  }
}

function beforeAll(order: Order): SwapPosition {
  return order === 'asc' ? [-1, 0, 0, 0] : [INT64_MAX, 0, 0, 0]
}

/** So that the swaps that tie with the cursor's are read again, and sorted out one by one. */
function justBefore(
  { slot, blockTxIndex, ixIndex, dex }: SwapOrderKey,
  order: Order,
): SwapPosition {
  return [slot, blockTxIndex, ixIndex, order === 'asc' ? dex - DEX_STEP : dex + DEX_STEP]
}

function isAfterCursor(row: ServedSwap, cursor: SwapOrderKey | undefined, order: Order): boolean {
  return cursor === undefined || compareKeys(keyOf(row), cursor, order) > 0
}
