/**
 * Reads the question of a copy back-test in one snapshot: the slots, every swap of the leaders up to the last one, and their pools as
 * they were at each moment that a copy meets. Nothing above the last slot is read.
 */
import type { Gap } from '../../../../domain/coverage.ts'
import { swapOfRow } from '../../../../domain/events/stored-row.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { type CopiedPools, poolKey } from '../../../../domain/market/copy/fill.ts'
import { type Order, ordersOf } from '../../../../domain/market/copy/order.ts'
import {
  countCopiedOrders,
  countCopiedSwaps,
  findSlotSince,
  findSlotUntil,
  listCopiedSwaps,
} from '../../../../history/swaps/copies.ts'
import { readNewestSlot } from '../../../../history/swaps/newest.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { query } from '../../../../sql/query.ts'
import { inSnapshot } from '../../../../sql/snapshot.ts'
import { ApiError } from '../../../routing/error.ts'
import { readNewestIndexed } from '../../as-of/newest-indexed.ts'
import {
  type CopyLimits,
  type CountedQuestion,
  isWithin,
  JOB_LIMITS,
  QuestionTooLarge,
} from '../limits.ts'
import type { ChosenRequest } from '../schema.ts'
import { readCopiedPools } from './pools.ts'

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
  ChosenRequest,
  'wallets' | 'leaders' | 'from_slot' | 'to_slot' | 'from' | 'to' | 'delay_slots' | 'position'
>
type Slots = Pick<CopyQuestion, 'fromSlot' | 'toSlot' | 'newestSlot'>
type QuestionOptions = {
  /** Slots that were not read. */
  readonly gaps: readonly Gap[]
  readonly limits: CopyLimits
  /** Called with a question within the limits, before it is read. */
  readonly onCounted?: ((counted: CountedQuestion) => Promise<void>) | undefined
}

/** Swaps in which orders are counted: a second of reading. */
const COUNTED_SWAPS_MAX = 1_000_000

const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')

/** Rejects with ApiError, and with QuestionTooLarge before anything is read that it would answer. */
export async function readQuestion(
  db: Queryable,
  wanted: Wanted,
  { gaps, limits, onCounted }: QuestionOptions,
): Promise<CopyQuestion> {
  return inSnapshot(db, async () => {
    const slots = await readSlots(db, wanted)
    const { fromSlot, toSlot } = slots
    const wallets = [...new Set(wanted.wallets)]
    const counted = await countQuestion(db, wallets, slots)
    if (!isWithin(counted, limits)) throw new QuestionTooLarge(counted)
    await onCounted?.(counted)
    const rows = await listCopiedSwaps(db, wallets, toSlot)
    const history = rows.map(swapOfRow)
    const orders = ordersOf(history, fromSlot, toSlot)
    const own = gaps.filter(({ from, to }) => to >= fromSlot && from <= toSlot)
    const ids = new Map(
      rows.map((row) => [poolKey(row.pair_address, row.token_address), row.pool_id]),
    )
    const { delay_slots: delays, position } = wanted
    const pools = await readCopiedPools(db, { orders, ids, delays, position, toSlot, gaps: own })
    return { ...slots, history, orders, pools, gaps: own }
  })
}

async function countQuestion(
  db: Queryable,
  wallets: readonly string[],
  slots: Slots,
): Promise<CountedQuestion> {
  const { fromSlot: from, toSlot: to } = slots
  const found = await countCopiedOrders(db, { wallets, from, to, most: COUNTED_SWAPS_MAX })
  const swaps = await countCopiedSwaps(db, { wallets, toSlot: to, most: JOB_LIMITS.swapsMax + 1 })
  return { ...slots, orders: found.orders, isWhole: found.swaps < COUNTED_SWAPS_MAX, swaps }
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
  if (toSlot > newestSlot) await expectIndexed(db, toSlot)
  if (wanted.leaders !== undefined && wanted.leaders.as_of_slot > fromSlot) {
    throw new ApiError(
      'INVALID_PARAM',
      `leaders are ranked as of slot ${wanted.leaders.as_of_slot}, after the first slot ${fromSlot}: use at most that`,
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

/** Throws ApiError for a last slot above those of which anything is indexed: a pool event may be later than the newest swap. */
async function expectIndexed(db: Queryable, toSlot: number): Promise<void> {
  const newest = (await readNewestIndexed(db)) ?? 0
  if (toSlot <= newest) return
  const text = `to_slot "${toSlot}" is above the newest indexed slot: use at most ${newest}`
  throw new ApiError('INVALID_PARAM', text, { isOfAge: true })
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
