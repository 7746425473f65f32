/** Reads the stored swaps of slots, of any pool and wallet. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { int4Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { ofPools } from '../sealed/find/pools.ts'
import type { Slots } from '../sealed/find/ranges.ts'
import { ofSlots } from '../sealed/find/slots.ts'
import { expectStored, expectTimeStored, storedLow } from '../sealed/find/stored.ts'
import { matchingSwaps, pagesOf, readBoth, SLOT_MAX } from '../sealed/pages.ts'
import { type Sealed, withSealed, withSealedOnce } from '../sealed/state.ts'
import { type SwapStatement, swapStatement } from '../sealed/statement.ts'
import { distinctSwaps, type StoredSwap } from '../sealed/stored-swap.ts'
import { ofMinutes, type PoolRunRow } from './pools.ts'
import type { TokenPool } from './tokens.ts'

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

type SpanRow = { low_slot: number | null; high_slot: number | null }

/** Swaps that are searched at a time for those of some venues and times. */
const PAGE_SWAPS = 2_000
/** Sealed swaps of the market whose traders are added by one statement. */
const MARKET_SWAPS = 50_000
/** Runs of 100 slots that are searched at a time. */
const RUNS_AT_ONCE = 10
const RUN_SLOTS = 100

const listOfSlots = swapStatement<StampedRow>('swap-history/list_whole_slots')
/** Planned for the values of each call. */
const listOfSlotsAnew = swapStatement<StampedRow>('swap-history/list_whole_slots', {
  isPlannedAnew: true,
})
const listOfSlot = swapStatement<SlotSwapRow>('swap-history/list_slot_swaps')
const findLater = swapStatement<{ slot: number }>('swap-history/find_later_slot')
const findUntil = query<{ slot: number | null }>('swap-history/find_last_slot_until')
const readLatest = swapStatement<{ latest_ms: number | null }>('swap-history/read_latest_until')
const findTimes = swapStatement<Times>('swap-history/find_swap_times')
const listTimes = swapStatement<TimesAround>('swap-history/list_gap_times')
const insertCounted = swapStatement<{ swap_count: number }>('swap-history/insert_recounted')
const recountBuckets = swapStatement('swap-history/recount_market_buckets')
const recountTraders = swapStatement('swap-history/recount_market_traders')
const recomputeStarts = swapStatement('swap-history/recompute_starts')
const listLaterRuns = query<{ bucket: number }>('sealed-history/list_later_runs')
const listBucketSpans = query<SpanRow>('sealed-history/list_market_spans')
const listPoolsBetween = query<{ pool_id: number }>('sealed-history/list_pools_between')
const listTokenPools = query<TokenPool>('sealed-history/list_token_pools')
const listTimeSpan = query<SpanRow>('sealed-history/list_time_span')
const listTokenMinutes = query<PoolRunRow>('sealed-history/list_first_token_minutes')

/** Swaps after a slot, whole slots: at least `rows` if so many exist. Unordered. `planning`: for these values, or cached. */
export function listWholeSlots(
  db: Queryable,
  { afterSlot, toSlot, rows, venues, times }: WholeSlotsWanted,
  planning: 'anew' | 'cached',
): Promise<StampedRow[]> {
  const list = planning === 'anew' ? listOfSlotsAnew : listOfSlots
  const parameters = [afterSlot, toSlot, rows, venues, ...times]
  const isWanted = ({ dex, timestamp_ms }: StoredSwap): boolean =>
    (venues === null || venues.includes(dex)) &&
    timestamp_ms >= times[0] &&
    timestamp_ms <= times[1]
  return readBoth(db, afterSlot + 1, list, parameters, (sealed) =>
    matchingSwaps(
      (slots, count) => ofSlots(db, sealed, [slots], { order: 'asc', rows: count }),
      { low: afterSlot + 1, high: Math.min(toSlot, sealed.lastSlot) },
      'asc',
      { rows, isWanted, pageRows: Math.max(rows, PAGE_SWAPS) },
    ),
  )
}

/** All swaps of a slot, unordered. */
export function listSlotSwaps(db: Queryable, slot: number): Promise<SlotSwapRow[]> {
  return readBoth(db, slot, listOfSlot, [slot], (sealed) =>
    ofSlots(db, sealed, [{ low: slot, high: slot }], { order: 'asc' }),
  )
}

/** First and last time of the swaps from a slot to before another, of the same run of slots. */
export async function findSwapTimes(
  db: Queryable,
  fromSlot: number,
  endSlot: number,
): Promise<Times | undefined> {
  const slots = { low: fromSlot, high: endSlot - 1 }
  const find = (sealed: Sealed) => ofSlots(db, sealed, [slots], { order: 'asc' })
  return (await readBoth(db, fromSlot, findTimes, [fromSlot, endSlot], find))[0]
}

/** The lowest slot with a swap later than a time, Unix ms; undefined without one. */
export function findLaterSlot(db: Queryable, ms: Int64): Promise<number | undefined> {
  const hot = async () => (await findLater(db, [ms], []))[0]?.slot
  return withSealed(db, async (sealed) => {
    const { lastSlot, since } = sealed
    if (lastSlot < 0) return hot()
    // All dropped swaps are earlier than `since.ms`.
    if (ms < (since?.ms ?? 0)) expectStored(sealed, [0])
    for (let from = 0; from <= lastSlot; ) {
      const runs = await listLaterRuns(db, [ms, from, RUNS_AT_ONCE])
      const ranges = runs.map(({ bucket }) => ({
        low: storedLow(sealed, bucket),
        high: bucket + RUN_SLOTS - 1,
      }))
      const swaps = await ofSlots(db, sealed, ranges, { order: 'asc' })
      const slot = (await findLater(db, [ms], swaps))[0]?.slot
      const end = ranges.at(-1)?.high
      if (end === undefined || ranges.length < RUNS_AT_ONCE || (slot ?? SLOT_MAX) <= end)
        return slot
      from = end + 1
    }
    return hot()
  })
}

/** The greatest slot of a swap up to a slot; null without one. */
export function findSlotUntil(db: Queryable, slot: number): Promise<number | null> {
  return withSealed(db, async (sealed) => {
    const hot = (await findUntil(db, [slot]))[0]?.slot ?? null
    return laterSlot(db, sealed, hot, slot)
  })
}

/** The later one of the greatest slot up to `until` in the table and that of sealed history. */
export async function laterSlot(
  db: Queryable,
  sealed: Sealed,
  hot: number | null,
  until: number,
): Promise<number | null> {
  if ((hot ?? -1) >= sealed.lastSlot) return hot
  const slots = { low: (hot ?? -1) + 1, high: Math.min(until, sealed.lastSlot) }
  const found = await ofSlots(db, sealed, [slots], { order: 'desc', rows: 1 })
  return found.reduce((greatest, swap) => Math.max(greatest ?? 0, swap.slot), hot)
}

/** The greatest time of a swap up to a slot, Unix ms; null without one. */
export async function readLatestTime(db: Queryable, slot: number): Promise<number | null> {
  const low = Math.floor((slot + 1) / RUN_SLOTS) * RUN_SLOTS
  const rows = await readBoth(db, low, readLatest, [slot], (sealed) =>
    ofSlots(db, sealed, [{ low, high: slot }], { order: 'asc' }),
  )
  return rows[0]?.latest_ms ?? null
}

/** Times of stored swaps, in the order of the ranges, which are given by their first and their last slots. */
export function listTimesAround(
  db: Queryable,
  firstSlots: readonly number[],
  lastSlots: readonly number[],
): Promise<TimesAround[]> {
  return withSealed(db, async (sealed) => {
    const first = storedLow(sealed, 0)
    const lasts = lastSlots.map((slot) => Math.max(slot, first - 1))
    const handed = await swapsAround(db, sealed, firstSlots, lasts)
    const rows = await listTimes(db, [firstSlots, lasts], handed)
    return rows.map((row, index) =>
      firstSlots[index]! > first ? row : { ...row, before_ms: null },
    )
  })
}

/** The sealed swaps next to ranges of slots. */
async function swapsAround(
  db: Queryable,
  sealed: Sealed,
  firstSlots: readonly number[],
  lastSlots: readonly number[],
): Promise<StoredSwap[]> {
  const { lastSlot } = sealed
  const first = storedLow(sealed, 0)
  // Ranges after the last sealed slot have the same swaps before them.
  const before = new Set(firstSlots.map((slot) => Math.min(slot - 1, lastSlot)))
  const after = new Set(lastSlots.map((slot) => slot + 1).filter((slot) => slot <= lastSlot))
  const found: StoredSwap[] = []
  for (const high of before) {
    const nearest = { order: 'desc', rows: 1 } as const
    found.push(...(await ofSlots(db, sealed, [{ low: first, high }], nearest)))
  }
  for (const low of after) {
    const nearest = { order: 'asc', rows: 1 } as const
    found.push(...(await ofSlots(db, sealed, [{ low, high: lastSlot }], nearest)))
  }
  return distinctSwaps(found)
}

/**
 * Counts the traders of tokens from one id to before another, by swaps from a time on, Unix ms, of which none was dropped. Notes the
 * commits that this took in. Returns swaps.
 */
export function recountTokens(
  db: Queryable,
  [fromTokenId, endTokenId]: readonly [number, number],
  fromMs: number,
  walletsExact: number,
): Promise<number> {
  return withSealedOnce(db, async (sealed) => {
    const ids = (await listPoolsBetween(db, [fromTokenId, endTokenId, sealed.lastSlot])).map(
      ({ pool_id }) => pool_id,
    )
    expectTimeStored(sealed, fromMs)
    const slots = { low: storedLow(sealed, 0), high: SLOT_MAX }
    const swaps = await ofPools(db, sealed, ids, slots, { order: 'asc' })
    const parameters = [fromTokenId, endTokenId, walletsExact, fromMs]
    const [counted] = await insertCounted(db, parameters, swaps)
    return counted?.swap_count ?? 0
  })
}

/** Adds the traders of buckets of the market. `isHour`: boolean[], `bucketMs`: bigint[], pairwise, encoded. */
export function addMarketBuckets(db: Queryable, isHour: unknown, bucketMs: unknown): Promise<void> {
  return addTraders(db, recountBuckets, [isHour, bucketMs], () =>
    listBucketSpans(db, [isHour, bucketMs]),
  )
}

/** Adds who traded since an hour, Unix ms. */
export function addMarketTraders(db: Queryable, fromMs: number): Promise<void> {
  return addTraders(db, recountTraders, [fromMs], () => listTimeSpan(db, [fromMs, null]))
}

/** Adds traders of swaps in some slots. A trader may be added twice, so each page of sealed swaps is added by itself. */
function addTraders(
  db: Queryable,
  statement: SwapStatement<Record<string, unknown>>,
  parameters: readonly unknown[],
  listSpans: () => Promise<SpanRow[]>,
): Promise<void> {
  return withSealedOnce(db, async (sealed) => {
    await statement(db, parameters, [])
    const spans = (await listSpans()).filter(({ low_slot }) => low_slot !== null)
    const find = (ranges: Slots, rows: number) =>
      ofSlots(db, sealed, [ranges], { order: 'asc', rows })
    for (const { low_slot: low, high_slot: high } of spans) {
      if (low! > sealed.lastSlot) continue
      const slots = { low: low!, high: Math.min(high!, sealed.lastSlot) }
      for await (const { swaps } of pagesOf(find, slots, 'asc', MARKET_SWAPS)) {
        if (swaps.length > 0) await statement(db, parameters, swaps)
      }
    }
  })
}

/** Corrects the first swaps of tokens, but of those whose first was dropped: it is no later one's. */
export function correctStarts(db: Queryable, tokenIds: readonly number[]): Promise<void> {
  return withSealedOnce(db, async (sealed) => {
    const { since, lastSlot } = sealed
    const pools = since === undefined ? [] : await listTokenPools(db, [tokenIds])
    const begun = new Set(
      pools.flatMap(({ first_slot: slot, token_id }) =>
        slot !== null && slot < since!.slot ? [token_id] : [],
      ),
    )
    const ids = int4Array(tokenIds.filter((id) => !begun.has(id)))
    const minutes = lastSlot < 0 ? [] : await listTokenMinutes(db, [ids])
    await recomputeStarts(db, [ids], await ofMinutes(db, sealed, minutes))
  })
}
