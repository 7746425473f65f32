/**
 * Reads pools as they were at the moments that copies meet: only the slots that hold the newest swap at such a moment, the liquidity
 * changes since, and what followed where no formula prices the state. All pools are read by one statement a step.
 */
import type { Gap } from '../../../../domain/coverage.ts'
import {
  changesLiquidity,
  POOL_EVENT_KINDS,
  type PoolEvent,
} from '../../../../domain/events/pool-event.ts'
import {
  type PoolEventRow,
  poolEventOfRow,
  swapOfRow,
} from '../../../../domain/events/stored-row.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { type CopiedPool, momentSlot, poolKey } from '../../../../domain/market/copy/fill.ts'
import type { Order } from '../../../../domain/market/copy/order.ts'
import type { CopySettings } from '../../../../domain/market/copy/settings.ts'
import { EVIDENCE_SLOTS_MAX, EVIDENCE_SWAPS_MAX } from '../../../../domain/market/evidence.ts'
import { inExecutionOrder, type OrderedSlot } from '../../../../domain/market/order.ts'
import { pricedBy } from '../../../../domain/market/reproduced.ts'
import { unreportedLamports } from '../../../../domain/venue.ts'
import {
  listCopiedStates,
  listFollowedStates,
  type PoolSlots,
} from '../../../../history/swaps/copies.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { query } from '../../../../sql/query.ts'
import { readOrderedSlots } from './slots.ts'

type PoolRow = {
  id: number
  pair_address: string
  token_address: string
  migrated_at_ms: number | null
  closed_slot: number | null
  successor_id: number | null
}
type PoolsWanted = {
  readonly orders: readonly Order[]
  /** Ids of the pools of the leaders. */
  readonly ids: ReadonlyMap<string, number>
  readonly delays: readonly number[]
  readonly position: CopySettings['position']
  readonly toSlot: number
  readonly gaps: readonly Gap[]
}
/** A slot of a pool that holds the state at some moments; the last of them. */
type State = { poolId: number; slot: number; lastMoment: number }

const listPools = query<PoolRow>('backtest/list_pools')
const listChanges = query<PoolEventRow & { pool_id: number }>('backtest/list_changes')

const CHANGES = POOL_EVENT_KINDS.filter((event) => changesLiquidity({ event }))

export async function readCopiedPools(
  db: Queryable,
  wanted: PoolsWanted,
): Promise<Map<string, CopiedPool>> {
  const { orders, ids, toSlot, gaps } = wanted
  const ownIds = [...new Set(orders.map((order) => idOf(order, ids)))]
  const own = await listPools(db, [ownIds])
  const successorIds = own.flatMap(({ successor_id: id }) => (id === null ? [] : [id]))
  const rows = [
    ...own,
    ...(await listPools(db, [successorIds.filter((id) => !ownIds.includes(id))])),
  ]
  const byId = new Map(rows.map((row) => [row.id, row]))
  const states = await readStates(db, momentsOf(wanted, byId))
  const ordered = await readOrderedSlots(db, states)
  const following = await readFollowing(db, { ordered, byId, toSlot, gaps })
  const changes = await readChanges(db, states, toSlot)
  return new Map(
    rows.map((row) => {
      const slots = ordered.get(row.id) ?? []
      const dex = slots[0]?.swaps[0]?.dex
      const successor = row.successor_id === null ? undefined : byId.get(row.successor_id)
      const closed =
        row.closed_slot === null || successor === undefined
          ? undefined
          : { slot: row.closed_slot, successor: keyOf(successor) }
      const pool: CopiedPool = {
        ...{ slots, closed, migratedAtMs: row.migrated_at_ms ?? undefined },
        following: following.get(row.id) ?? new Map(),
        events: changes.get(row.id) ?? [],
        gaps: gaps.filter(({ venues }) => dex !== undefined && venues.includes(dex)),
      }
      return [keyOf(row), pool]
    }),
  )
}

const keyOf = ({ pair_address, token_address }: PoolRow): string =>
  poolKey(pair_address, token_address)

function idOf({ main }: Order, ids: ReadonlyMap<string, number>): number {
  const id = ids.get(poolKey(main.pairAddress, main.tokenAddress))
  if (id === undefined) throw new RangeError(`expected the id of pool "${main.pairAddress}"`)
  return id
}

/** Moments by pool: of leaders, of fills, also in the pool to which a curve moved, and the end of the question. */
function momentsOf(
  { orders, ids, delays, position, toSlot }: PoolsWanted,
  byId: ReadonlyMap<number, PoolRow>,
): Map<number, Set<number>> {
  const moments = new Map<number, Set<number>>()
  const add = (poolId: number, slot: number): void => {
    const slots = moments.get(poolId)
    if (slots === undefined) moments.set(poolId, new Set([slot]))
    else slots.add(slot)
  }
  for (const order of orders) {
    if (order.isAtomic) continue
    const poolId = idOf(order, ids)
    const { successor_id: successor = null } = byId.get(poolId) ?? {}
    const fills = delays.map((delaySlots) => momentSlot(order, { delaySlots, position }))
    for (const slot of [order.main.slot, ...fills, toSlot]) {
      if (slot > toSlot) continue
      add(poolId, slot)
      if (successor !== null) add(successor, slot)
    }
  }
  return moments
}

async function readStates(
  db: Queryable,
  moments: ReadonlyMap<number, ReadonlySet<number>>,
): Promise<State[]> {
  const wanted = [...moments].flatMap(([poolId, slots]) =>
    Array.from(slots, (slot) => ({ poolId, slot })),
  )
  const found = await listCopiedStates(db, wanted)
  const states = new Map<string, State>()
  for (const { ordinal: index, slot } of found) {
    const moment = wanted[index - 1]
    if (moment === undefined) throw new RangeError(`expected a moment ${index}`)
    const key = `${moment.poolId} ${slot}`
    const { lastMoment = 0 } = states.get(key) ?? {}
    const { poolId } = moment
    states.set(key, { poolId, slot, lastMoment: Math.max(lastMoment, moment.slot) })
  }
  return [...states.values()]
}

type Followed = {
  readonly ordered: ReadonlyMap<number, readonly OrderedSlot[]>
  readonly byId: ReadonlyMap<number, PoolRow>
  readonly toSlot: number
  readonly gaps: readonly Gap[]
}

/** By pool and slot, what followed the states that no formula prices. */
async function readFollowing(
  db: Queryable,
  { ordered, byId, toSlot, gaps }: Followed,
): Promise<Map<number, Map<number, OrderedSlot[]>>> {
  const ranges = [...ordered].flatMap(([poolId, slots]) => {
    const migratedAtMs = byId.get(poolId)?.migrated_at_ms ?? null
    return slots
      .filter(({ swaps }) => swaps.some((swap) => !isPriced(swap, migratedAtMs)))
      .map(({ slot, swaps }) => ({ poolId, slot, to: evidenceEnd(slot, swaps, { toSlot, gaps }) }))
      .filter(({ slot, to }) => to > slot)
  })
  const rows = await listFollowedStates(
    db,
    ranges.map(({ poolId, slot, to }) => ({ poolId, from: slot + 1, to })),
    EVIDENCE_SWAPS_MAX + 1,
  )
  const following = new Map<number, Map<number, OrderedSlot[]>>()
  for (const [ordinal, swaps] of Map.groupBy(rows, (row) => row.ordinal)) {
    const range = ranges[ordinal - 1]
    if (range === undefined) throw new RangeError(`expected a range ${ordinal}`)
    const own = following.get(range.poolId) ?? new Map<number, OrderedSlot[]>()
    own.set(range.slot, inExecutionOrder(swaps.map(swapOfRow)))
    following.set(range.poolId, own)
  }
  return following
}

function evidenceEnd(
  slot: number,
  [first]: readonly Swap[],
  { toSlot, gaps }: Pick<Followed, 'toSlot' | 'gaps'>,
): number {
  const unread = gaps.filter(
    ({ from, venues }) => from > slot && first !== undefined && venues.includes(first.dex),
  )
  return Math.min(slot + EVIDENCE_SLOTS_MAX, toSlot, ...unread.map(({ from }) => from - 1))
}

function isPriced(swap: Swap, migratedAtMs: number | null): boolean {
  const unreported = unreportedLamports(swap.dex, migratedAtMs, swap.virtualQuoteReserves)
  return pricedBy(swap, BigInt(unreported)) !== undefined
}

/** Changes of liquidity from each state to its last moment and through its evidence, each once. */
async function readChanges(
  db: Queryable,
  states: readonly State[],
  toSlot: number,
): Promise<Map<number, PoolEvent[]>> {
  const ranges = merged(
    states.map(({ poolId, slot, lastMoment }) => ({
      ...{ poolId, from: slot },
      to: Math.min(toSlot, Math.max(lastMoment, slot + EVIDENCE_SLOTS_MAX)),
    })),
  )
  const rows = await listChanges(db, [
    ranges.map(({ poolId }) => poolId),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
    CHANGES,
  ])
  const byPool = Map.groupBy(rows, (row) => row.pool_id)
  return new Map([...byPool].map(([poolId, own]) => [poolId, own.map(poolEventOfRow)]))
}

/** The same slots by ranges that do not overlap. */
function merged(ranges: readonly PoolSlots[]): PoolSlots[] {
  const ascending = ranges.toSorted((a, b) => a.poolId - b.poolId || a.from - b.from)
  const apart: { -readonly [Field in keyof PoolSlots]: PoolSlots[Field] }[] = []
  for (const range of ascending) {
    const last = apart.at(-1)
    if (last === undefined || last.poolId !== range.poolId || range.from > last.to) {
      apart.push({ ...range })
    } else last.to = Math.max(last.to, range.to)
  }
  return apart
}
