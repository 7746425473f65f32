/** Reads what stored swaps up to a slot determine of pools: their last swaps and prices, and sums of minutes. */
import { executedPrice, type Int64 } from '../../domain/amount.ts'
import { leastOf } from '../../domain/numbers/extremes.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { ofPoolSlots, type PoolSlots } from '../sealed/find/pools.ts'
import { ofSlots } from '../sealed/find/slots.ts'
import { matchingSwaps, readBoth } from '../sealed/pages.ts'
import { type Sealed, withSealed } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import { distinctSwaps, type StoredSwap } from '../sealed/stored-swap.ts'
import { ofMinutes, type PoolRunRow } from './pools.ts'
import { isPriced, PRICED } from './priced.ts'

/** A pool that has a swap up to the slot. */
type PastPool = { readonly pool_id: number; readonly first_slot: number }
/** The canonically last swap of a pool up to a slot, and the swap that sets its price: null without one. */
export type PastEnd = {
  pool_id: number
  slot: number
  block_tx_index: number
  ix_index: number
  dex: number
  is_buy: boolean
  signature: string
  quote_decimals: number
  real_sol_reserves: Int64
  virtual_quote_reserves: Int64 | null
  price_slot: number | null
  price_ms: number | null
  sol_amount: Int64 | null
  token_amount: Int64 | null
  price_decimals: number | null
}
/** A minute that has swaps both up to the slot and after it. */
export type CutMinute = PoolRunRow & { bucket_ms: number; trade_count: number }
/** Sums are texts of numerics: lamports of all swaps, lamports and base units of those that set a price. */
type MinuteSums = {
  pool_id: number
  bucket_ms: number
  quote_decimals: number
  volume_lamports: string
  trade_count: number
  priced_lamports: string | null
  priced_units: string | null
}

const RUN_SLOTS = 100
/** Pools of one statement that reads sealed swaps, too: it looks at each of these for each pool. */
const POOLS_AT_ONCE = 200
/** Swaps that are searched at a time for one that sets a price. */
const PRICED_PAGE = 500

const readEarliest = swapStatement<{ earliest_ms: number | null }>(
  'swap-history/read_earliest_after',
)
const listEnds = swapStatement<PastEnd>('swap-history/list_past_ends')
const sumMinutes = swapStatement<MinuteSums>('swap-history/sum_past_minutes')

/** The least time of a swap after a slot, Unix ms; null without one. */
export async function readEarliestTimeAfter(db: Queryable, slot: number): Promise<number | null> {
  const low = slot + 1
  const high = Math.floor((slot + RUN_SLOTS) / RUN_SLOTS) * RUN_SLOTS - 1
  const rows = await readBoth(db, low, readEarliest, [slot], (sealed) =>
    low > high ? Promise.resolve([]) : ofSlots(db, sealed, [{ low, high }], { order: 'asc' }),
  )
  return rows[0]?.earliest_ms ?? null
}

/** The last swaps of pools up to a slot; no row for a pool without one. */
export function listPastEnds(
  db: Queryable,
  pools: readonly PastPool[],
  slot: number,
): Promise<PastEnd[]> {
  if (pools.length === 0) return Promise.resolve([])
  const list = (some: readonly PastPool[], handed: readonly StoredSwap[]) => {
    const ids = int4Array(some.map(({ pool_id }) => pool_id))
    const firsts = int8Array(some.map(({ first_slot }) => first_slot))
    return listEnds(db, [ids, firsts, slot, ...PRICED], handed)
  }
  return withSealed(db, async (sealed) => {
    const hot = await list(pools, [])
    const open = poolsWithSealed(sealed, pools, hot)
    if (open.length === 0) return hot
    const ids = new Set(open.map(({ pool_id }) => pool_id))
    const ends = hot.filter(({ pool_id }) => !ids.has(pool_id))
    for (let from = 0; from < open.length; from += POOLS_AT_ONCE) {
      const some = open.slice(from, from + POOLS_AT_ONCE)
      for (const end of await list(some, await sealedEnds(db, sealed, some, slot))) ends.push(end)
    }
    return ends
  })
}

/** The price that a pool's row would have; null without one. */
export function pastPriceOf({ sol_amount, token_amount, price_decimals }: PastEnd): number | null {
  if (sol_amount === null || token_amount === null || price_decimals === null) return null
  return executedPrice(sol_amount, token_amount, price_decimals)
}

/** Pools of which a sealed swap may be later than the ends that the table has. */
function poolsWithSealed(
  { lastSlot }: Sealed,
  pools: readonly PastPool[],
  hot: readonly PastEnd[],
): PastPool[] {
  const hotPrices = new Map(hot.map(({ pool_id, price_slot }) => [pool_id, price_slot ?? -1]))
  return pools.filter(
    ({ pool_id, first_slot }) =>
      first_slot <= lastSlot && (hotPrices.get(pool_id) ?? -1) <= lastSlot,
  )
}

/** The last sealed swaps of pools up to a slot, and the last ones that set a price. */
async function sealedEnds(
  db: Queryable,
  sealed: Sealed,
  pools: readonly PastPool[],
  slot: number,
): Promise<StoredSwap[]> {
  const high = Math.min(slot, sealed.lastSlot)
  const runs = pools.map(({ pool_id, first_slot }) => ({
    poolId: pool_id,
    slots: { low: first_slot, high },
  }))
  const found = await ofPoolSlots(db, sealed, runs, { order: 'desc', rows: 1 })
  const priced = new Set(found.filter(isPriced).map(({ pool_id }) => pool_id))
  for (const { poolId, slots } of runs.filter((run) => !priced.has(run.poolId))) {
    const find = (part: PoolSlots['slots'], rows: number) =>
      ofPoolSlots(db, sealed, [{ poolId, slots: part }], { order: 'desc', rows })
    const wanted = { rows: 1, isWanted: isPriced, pageRows: PRICED_PAGE }
    for (const swap of await matchingSwaps(find, slots, 'desc', wanted)) found.push(swap)
  }
  return distinctSwaps(found)
}

/** Sums of minutes up to a slot, by the decimals that their swaps state. */
export function sumPastMinutes(
  db: Queryable,
  minutes: readonly CutMinute[],
  slot: number,
): Promise<MinuteSums[]> {
  if (minutes.length === 0) return Promise.resolve([])
  const firsts = minutes.map(({ first_slot }) => first_slot)
  const parameters = [
    int4Array(minutes.map(({ pool_id }) => pool_id)),
    int8Array(minutes.map(({ bucket_ms }) => bucket_ms)),
    int8Array(firsts),
    ...[slot, leastOf(firsts), ...PRICED],
  ]
  return readBoth(db, leastOf(firsts), sumMinutes, parameters, async (sealed) => {
    const upTo = minutes.map((minute) => ({ ...minute, last_slot: slot }))
    return ofMinutes(db, sealed, upTo)
  })
}
