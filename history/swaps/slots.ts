/** Reads the stored swaps of slots, of any pool and wallet. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

/** With the tags of its wallet when it arrived: bits, null for none. */
export type StampedRow = SwapRow & { wallet_tags: number | null }
export type SlotSwapRow = StampedRow & { wallet_id: number; token_id: number }
/** Unix ms; null without a swap. */
type Times = { first_ms: number | null; last_ms: number | null }
/** Unix ms of the swaps next to a range of slots; null without one. */
type TimesAround = { readonly before_ms: number | null; readonly after_ms: number | null }
/** `venues`: null for all. Unix ms, inclusive. */
type WholeSlotsWanted = {
  readonly afterSlot: number
  readonly toSlot: number
  readonly rows: number
  readonly venues: readonly number[] | null
  readonly times: readonly [fromMs: Int64, toMs: Int64]
}

const listOfSlots = query<StampedRow>('swap-history/list_whole_slots')
/** Planned for the values of each call. */
const listOfSlotsAnew = query<StampedRow>('swap-history/list_whole_slots', { isPlannedAnew: true })
const listOfSlot = query<SlotSwapRow>('swap-history/list_slot_swaps')
const findLater = query<{ slot: number }>('swap-history/find_later_slot')
const findUntil = query<{ slot: number | null }>('swap-history/find_last_slot_until')
const readLatest = query<{ latest_ms: number | null }>('swap-history/read_latest_until')
const findTimes = query<Times>('swap-history/find_swap_times')
const listTimes = query<TimesAround>('swap-history/list_gap_times')
const insertCounted = query<{ swap_count: number }>('swap-history/insert_recounted')
const recountBuckets = query('swap-history/recount_market_buckets')
const recountTraders = query('swap-history/recount_market_traders')
const recomputeStarts = query('swap-history/recompute_starts')

/** Swaps after a slot, whole slots: at least `rows` if so many exist. Unordered. `planning`: for these values, or cached. */
export function listWholeSlots(
  db: Queryable,
  { afterSlot, toSlot, rows, venues, times }: WholeSlotsWanted,
  planning: 'anew' | 'cached',
): Promise<StampedRow[]> {
  const list = planning === 'anew' ? listOfSlotsAnew : listOfSlots
  return list(db, [afterSlot, toSlot, rows, venues, ...times])
}

/** All swaps of a slot, unordered. */
export function listSlotSwaps(db: Queryable, slot: number): Promise<SlotSwapRow[]> {
  return listOfSlot(db, [slot])
}

/** First and last time of the swaps from a slot to before another. */
export async function findSwapTimes(
  db: Queryable,
  fromSlot: number,
  endSlot: number,
): Promise<Times | undefined> {
  return (await findTimes(db, [fromSlot, endSlot]))[0]
}

/** The lowest slot with a swap later than a time, Unix ms; undefined without one. */
export async function findLaterSlot(db: Queryable, ms: Int64): Promise<number | undefined> {
  return (await findLater(db, [ms]))[0]?.slot
}

/** The greatest slot of a swap up to a slot; null without one. */
export async function findSlotUntil(db: Queryable, slot: number): Promise<number | null> {
  return (await findUntil(db, [slot]))[0]?.slot ?? null
}

/** The greatest time of a swap up to a slot, Unix ms; null without one. */
export async function readLatestTime(db: Queryable, slot: number): Promise<number | null> {
  return (await readLatest(db, [slot]))[0]?.latest_ms ?? null
}

/** In the order of the ranges, which are given by their first and their last slots. */
export function listTimesAround(
  db: Queryable,
  firstSlots: readonly number[],
  lastSlots: readonly number[],
): Promise<TimesAround[]> {
  return listTimes(db, [firstSlots, lastSlots])
}

/** Counts the traders of tokens from one id to before another, and notes the commits that this took in. Returns swaps. */
export async function recountTokens(
  db: Queryable,
  fromTokenId: number,
  endTokenId: number,
  walletsExact: number,
): Promise<number> {
  const [counted] = await insertCounted(db, [fromTokenId, endTokenId, walletsExact])
  return counted?.swap_count ?? 0
}

/** Adds the traders of buckets of the market. `isHour`: boolean[], `bucketMs`: bigint[], pairwise, encoded. */
export async function addMarketBuckets(
  db: Queryable,
  isHour: unknown,
  bucketMs: unknown,
): Promise<void> {
  await recountBuckets(db, [isHour, bucketMs])
}

/** Adds who traded since an hour, Unix ms. */
export async function addMarketTraders(db: Queryable, fromMs: number): Promise<void> {
  await recountTraders(db, [fromMs])
}

/** Corrects the first swaps of tokens. `tokenIds`: integer[], encoded. */
export async function correctStarts(db: Queryable, tokenIds: Buffer): Promise<void> {
  await recomputeStarts(db, [tokenIds])
}
