/**
 * Reads the question of a copy back-test in one snapshot: the slots, every swap of the leaders up to the last one, and their pools as
 * they were at each moment that a copy meets. Nothing above the last slot is read.
 */
import type { Gap } from '../../../domain/coverage.ts'
import { type SwapRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { type CopiedPools, poolKey } from '../../../domain/market/copy/fill.ts'
import { type Order, ordersOf } from '../../../domain/market/copy/order.ts'
import {
  countCopiedSwaps,
  findSlotSince,
  findSlotUntil,
  listCopiedSwaps,
} from '../../../history/swaps/copies.ts'
import { readNewestSlot } from '../../../history/swaps/newest.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ApiError } from '../../routing/error.ts'
import { readCopiedPools } from './read-pools.ts'
import type { CopyRequest } from './schema.ts'

export type CopyQuestion = {
  readonly fromSlot: number
  readonly toSlot: number
  readonly newestSlot: number
  /** Every swap of the leaders up to the last slot. */
  readonly history: readonly Swap[]
  readonly orders: readonly Order[]
  readonly pools: CopiedPools
  /** Slots of the question that were not read from the chain. */
  readonly gaps: readonly Gap[]
}

type Wanted = Pick<
  CopyRequest,
  'wallets' | 'from_slot' | 'to_slot' | 'from' | 'to' | 'delay_slots' | 'position'
>
type Slots = Pick<CopyQuestion, 'fromSlot' | 'toSlot' | 'newestSlot'>

/** Swaps that the leaders may have up to the last slot: all are read, as their balances follow from them. */
const HISTORY_SWAPS_MAX = 200_000

const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')

/** Rejects with ApiError. `gaps`: slots that were not read; `ordersMax`: orders that are answered. */
export async function readQuestion(
  db: Queryable,
  wanted: Wanted,
  { gaps, ordersMax }: { gaps: readonly Gap[]; ordersMax: number },
): Promise<CopyQuestion> {
  return inSnapshot(db, async () => {
    const slots = await readSlots(db, wanted)
    const { fromSlot, toSlot } = slots
    const rows = await readHistory(db, wanted.wallets, toSlot)
    const history = rows.map(swapOfRow)
    const orders = ordersOf(history, fromSlot, toSlot)
    if (orders.length > ordersMax) {
      throw new ApiError(
        'INVALID_PARAM',
        `the wallets have ${orders.length} orders in slots ${fromSlot} to ${toSlot}, the limit is ${ordersMax}: ` +
          'send fewer slots or wallets',
      )
    }
    const own = gaps.filter(({ from, to }) => to >= fromSlot && from <= toSlot)
    const ids = new Map(
      rows.map((row) => [poolKey(row.pair_address, row.token_address), row.pool_id]),
    )
    const { delay_slots: delays, position } = wanted
    const pools = await readCopiedPools(db, { orders, ids, delays, position, toSlot, gaps: own })
    return { ...slots, history, orders, pools, gaps: own }
  })
}

async function readHistory(
  db: Queryable,
  wallets: readonly string[],
  toSlot: number,
): Promise<SwapRow[]> {
  const distinct = [...new Set(wallets)]
  const most = HISTORY_SWAPS_MAX + 1
  if ((await countCopiedSwaps(db, { wallets: distinct, toSlot, most })) === most) {
    throw new ApiError(
      'INVALID_PARAM',
      `the wallets have more than ${HISTORY_SWAPS_MAX} swaps up to slot ${toSlot}: send fewer wallets or an earlier end`,
    )
  }
  return listCopiedSwaps(db, distinct, toSlot)
}

async function readSlots(db: Queryable, wanted: Wanted): Promise<Slots> {
  const { from_slot, to_slot, from, to } = wanted
  if (from_slot !== undefined && from !== undefined) throw exclusive('from_slot', 'from')
  if (to_slot !== undefined && to !== undefined) throw exclusive('to_slot', 'to')
  if (from_slot === undefined && from === undefined) {
    throw new ApiError('MISSING_PARAM', 'from_slot or from is required')
  }
  const newestSlot = (await readNewestSlot(db)) ?? 0
  const fromSlot = from_slot ?? (await slotSince(db, Number(from), newestSlot))
  const toSlot = to_slot ?? (to === undefined ? newestSlot : await slotUntil(db, to, newestSlot))
  if (toSlot > newestSlot) {
    throw new ApiError(
      'INVALID_PARAM',
      `to_slot "${toSlot}" is above the newest indexed slot: use at most ${newestSlot}`,
    )
  }
  if (fromSlot > toSlot) {
    throw new ApiError(
      'INVALID_PARAM',
      `the first slot ${fromSlot} is above the last one, ${toSlot}`,
    )
  }
  return { fromSlot, toSlot, newestSlot }
}

/** The first slot with a swap at or after a time. */
async function slotSince(db: Queryable, ms: number, newestSlot: number): Promise<number> {
  const [range] = await findSlotRange(db, [ms, Number.MAX_SAFE_INTEGER])
  const found = range && (await findSlotSince(db, { from: range.low_slot, to: newestSlot }, ms))
  if (found === undefined) {
    throw new ApiError('INVALID_PARAM', `from "${ms}": no swap is indexed at or after this time`)
  }
  return found
}

/** The last slot with a swap at or before a time. */
async function slotUntil(db: Queryable, ms: number, newestSlot: number): Promise<number> {
  const [range] = await findSlotRange(db, [0, ms])
  const last = Math.min(range?.high_slot ?? 0, newestSlot)
  const found = range && (await findSlotUntil(db, { from: 0, to: last }, ms))
  if (found === undefined) {
    throw new ApiError('INVALID_PARAM', `to "${ms}": no swap is indexed at or before this time`)
  }
  return found
}

const exclusive = (one: string, other: string): ApiError =>
  new ApiError('INVALID_PARAM', `${one} and ${other} exclude each other`)
