/**
 * Brackets of a pool between two cuts, from its stored swaps. A change of one slot concerns one stretch, whatever came first, so a
 * search of it leaves what a search of the whole pool would.
 */
import { type PoolEventRow, poolEventOfRow, swapOfRow } from '../../domain/events/stored-row.ts'
import { compareSwaps, type Swap } from '../../domain/events/swap.ts'
import { inExecutionOrder } from '../../domain/market/order.ts'
import { bracketOf } from '../../domain/market/sandwich/bracket-row.ts'
import {
  concernedStretch,
  isCut,
  joinedSlots,
  type Stretch,
  WINDOW_MAX,
} from '../../domain/market/sandwich/cuts.ts'
import { detectSandwiches } from '../../domain/market/sandwich/detect.ts'
import type { BracketRow } from '../../domain/market/sandwich/stored-row.ts'
import { greatestOf } from '../../domain/numbers/extremes.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { findLastSlot, listFollowingSwaps } from '../swaps/pools.ts'
import type { SlotRun } from '../swaps/sandwiches.ts'

export type SearchedPool = {
  readonly id: number
  /** First and last slot of its swaps; null before the first. */
  readonly first_slot: number | null
  readonly last_slot: number | null
  readonly migrated_at_ms: number | null
  /** Swaps of earlier slots were dropped: what begins there is not searched. Absent: none was. */
  readonly storedFrom?: number
}
/** `swaps`: how many were read. */
export type Searched = Stretch & { readonly brackets: BracketRow[]; readonly swaps: number }

const listChanges = query<PoolEventRow>('sandwiches/list_liquidity_changes')
export const findPools = query<SearchedPool>('sandwiches/find_pools')

/** Slots on both sides of a change that are read first; a stretch that is wider is read again with four times as many. */
const READ_SLOTS = 32
export const WIDER = 4
const SWAPS_A_PAGE = 5_000
const ALL_SWAPS = 2 ** 31 - 1

/** Neighbouring and overlapping runs as one, ascending: most commits follow each other. */
export function mergedRuns(runs: readonly SlotRun[]): SlotRun[] {
  const found: { first: number; last: number }[] = []
  for (const { first, last } of runs.toSorted((a, b) => a.first - b.first)) {
    const before = found.at(-1)
    if (before !== undefined && first <= before.last + WINDOW_MAX) {
      before.last = Math.max(before.last, last)
    } else found.push({ first, last })
  }
  return found
}

/** The brackets that a change in a run of slots may concern, and the stretch that holds them. */
export async function searchAround(
  db: Queryable,
  pool: SearchedPool,
  run: SlotRun,
): Promise<Searched> {
  const { swaps, ...stretch } = await readAround(db, pool, run)
  return search(db, pool, swaps, stretch)
}

/** The stretch that a change in a run of slots may concern. */
export async function stretchAround(
  db: Queryable,
  pool: SearchedPool,
  run: SlotRun,
): Promise<Stretch> {
  const { from, end } = await readAround(db, pool, run)
  return { from, end }
}

async function readAround(
  db: Queryable,
  pool: SearchedPool,
  run: SlotRun,
): Promise<Stretch & { readonly swaps: readonly Swap[] }> {
  const { first_slot: first, last_slot: high, storedFrom } = pool
  if (first === null || high === null) return { ...EVERYTHING, swaps: [] }
  const low = Math.max(first, storedFrom ?? 0)
  const last = (await nextSlot(db, pool.id, { low: run.last + 1, high })) ?? run.last
  for (let slots = READ_SLOTS; ; slots *= WIDER) {
    const [from, end] = [run.first - slots, last + slots]
    const read = { low: Math.max(from, storedFrom ?? from), high: end - 1 }
    const rows = await listFollowingSwaps(db, pool.id, read, ALL_SWAPS)
    const swaps = rows.map(swapOfRow)
    const known = {
      from: from <= low ? Number.NEGATIVE_INFINITY : from,
      end: end > high ? Number.POSITIVE_INFINITY : end,
    }
    const stretch = concernedStretch(swaps, { first: run.first, last }, known)
    if (stretch === undefined) continue
    return { ...stretch, from: Math.max(stretch.from, storedFrom ?? stretch.from), swaps }
  }
}

const EVERYTHING: Stretch = { from: 0, end: Number.MAX_SAFE_INTEGER }

/** All brackets of a pool, stretch by stretch. */
export async function* searchPool(db: Queryable, pool: SearchedPool): AsyncGenerator<Searched> {
  const { first_slot: first, last_slot: high, storedFrom = 0 } = pool
  if (first === null || high === null) return
  for (let from = Math.max(first, storedFrom), rows = SWAPS_A_PAGE; from <= high; ) {
    const wanted = { low: Math.max(from - WINDOW_MAX, storedFrom), high }
    const swaps = (await listFollowingSwaps(db, pool.id, wanted, rows)).map(swapOfRow)
    const end = swaps.length < rows ? high + 1 : lastCut(swaps, from)
    if (end === undefined) {
      rows *= 2
      continue
    }
    yield await search(db, pool, swaps, { from, end })
    rows = SWAPS_A_PAGE
    from = end
  }
}

/** The last slot that begins a stretch and is far enough from the end of the swaps to be sure. */
function lastCut(swaps: readonly Swap[], after: number): number | undefined {
  const joined = joinedSlots(swaps, WINDOW_MAX)
  const reached = swaps.reduce((most, { slot }) => Math.max(most, slot), 0)
  for (let slot = reached - WINDOW_MAX; slot > after; slot--) {
    if (isCut(joined, slot)) return slot
  }
  return undefined
}

/** `swaps`: of the pool, those of the stretch, of a window around it, and any others before it. */
export async function search(
  db: Queryable,
  pool: SearchedPool,
  swaps: readonly Swap[],
  stretch: Stretch,
): Promise<Searched> {
  const { from, end } = stretch
  const near = swaps.filter(({ slot }) => slot >= from - WINDOW_MAX && slot < end + WINDOW_MAX)
  const isPreceded = near.some(({ slot }) => slot < from)
  const before = isPreceded ? [] : await slotBefore(db, pool, from, swaps)
  const all = [...before, ...near].sort(compareSwaps)
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined) return { ...stretch, brackets: [], swaps: 0 }
  const events = await listChanges(db, [pool.id, first.slot, last.slot])
  const brackets = detectSandwiches(
    {
      slots: inExecutionOrder(all),
      events: events.map(poolEventOfRow),
      migratedAtMs: pool.migrated_at_ms ?? undefined,
      searched: stretch,
    },
    WINDOW_MAX,
  )
  return { ...stretch, brackets: brackets.map(bracketOf), swaps: near.length }
}

/** The swaps of the last slot before this one. */
async function slotBefore(
  db: Queryable,
  pool: SearchedPool,
  slot: number,
  swaps: readonly Swap[],
): Promise<Swap[]> {
  const read = swaps.filter((each) => each.slot < slot)
  if (read.length > 0) {
    const last = greatestOf(read.map((each) => each.slot))
    return read.filter((each) => each.slot === last)
  }
  const low = pool.first_slot ?? slot
  const found = slot > low ? await findLastSlot(db, pool.id, { low, high: slot - 1 }) : undefined
  if (found === undefined) return []
  return (await listFollowingSwaps(db, pool.id, { low: found, high: found }, 1)).map(swapOfRow)
}

async function nextSlot(
  db: Queryable,
  poolId: number,
  slots: { low: number; high: number },
): Promise<number | undefined> {
  if (slots.high < slots.low) return undefined
  return (await listFollowingSwaps(db, poolId, slots, 1))[0]?.slot
}
