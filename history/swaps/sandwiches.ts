/** Reads which pools may hold a sandwich in slots. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { ofPoolSlots, ofPools } from '../sealed/find/pools.ts'
import { ofSlots } from '../sealed/find/slots.ts'
import { storedLow } from '../sealed/find/stored.ts'
import { readBoth } from '../sealed/pages.ts'
import { type Sealed, withSealedFrom } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import { distinctSwaps, type StoredSwap } from '../sealed/stored-swap.ts'

/** Slots, both ends included. */
export type SlotRun = { readonly first: number; readonly last: number }
/** `run`: from 1 on. `is_whole`: all swaps of the pool are concerned. */
type BracketPool = { run: number; pool_id: number; is_whole: boolean }
/** `wallet_ids`: of its swaps in the slots. */
export type PairedPool = {
  id: number
  pair_address: string
  token_address: string
  dex: number
  first_slot: number
  wallet_ids: number[]
}
/** First and last slot. */
type SlotRange = { readonly low: number; readonly high: number }

const listTouched = query<{ run: number; pool_id: number }>('sealed-history/list_touched_pools')
const findSlot = swapStatement<{ slot: number }>('swap-history/find_next_slot')
const listPools = swapStatement<BracketPool>('swap-history/list_bracket_pools', {
  isPlannedAnew: true,
})
const listPaired = swapStatement<PairedPool>('swap-history/list_paired_pools')
const listOfPools = swapStatement<SwapRow>('swap-history/list_swaps_of_pools')

/**
 * The pools that may have a bracket of stored swaps in runs of slots. `near`: slots around a run. `tokensMin`: base units of a quantity that
 * two wallets may share. At least one run.
 */
export function listBracketPools(
  db: Queryable,
  runs: readonly SlotRun[],
  { near, tokensMin }: { near: number; tokensMin: Int64 },
): Promise<BracketPool[]> {
  const firsts = runs.map(({ first }) => first)
  const lasts = runs.map(({ last }) => last)
  const bounds = [leastOf(firsts) - near, greatestOf(lasts) + near]
  const run = (handed: readonly StoredSwap[]) =>
    listPools(db, [firsts, lasts, tokensMin, near, ...bounds], handed)
  return withSealedFrom(
    db,
    leastOf(firsts) - near,
    () => run([]),
    async (sealed) => run(await swapsAround(db, sealed, runs, near)),
  )
}

/** Sealed swaps of runs of slots and near them, and the first ones after a run of each pool that the run touches. */
async function swapsAround(
  db: Queryable,
  sealed: Sealed,
  runs: readonly SlotRun[],
  near: number,
): Promise<StoredSwap[]> {
  const around = runs.map(({ first, last }) => ({ low: first - near, high: last + near }))
  const ranges = apart(around).map((range) => ({ ...range, low: storedLow(sealed, range.low) }))
  const stored = ranges.filter(({ low, high }) => low <= high)
  const swaps = await ofSlots(db, sealed, stored, { order: 'asc' })
  const firsts = runs.map(({ first }) => first)
  const touched = await listTouched(db, [firsts, runs.map(({ last }) => last)])
  const ends = new Map<string, { poolId: number; slots: { low: number; high: number } }>()
  const note = (poolId: number, { last }: SlotRun) =>
    ends.set(`${poolId} ${last}`, {
      poolId,
      slots: { low: storedLow(sealed, last + 1), high: sealed.lastSlot },
    })
  for (const each of touched) note(each.pool_id, runs[each.run - 1]!)
  for (const each of runs) {
    for (const { slot, pool_id: poolId } of swaps) {
      if (slot >= each.first && slot <= each.last) note(poolId, each)
    }
  }
  const next = await ofPoolSlots(db, sealed, [...ends.values()], { order: 'asc', rows: 1 })
  return distinctSwaps([...swaps, ...next])
}

/** The pools of which slots may hold a bracket. `tokensMin`: base units of a quantity that two wallets may share. */
export function listPairedPools(
  db: Queryable,
  { low, high }: SlotRange,
  tokensMin: Int64,
): Promise<PairedPool[]> {
  return readBoth(db, low, listPaired, [low, high, tokensMin], (sealed) =>
    ofSlots(db, sealed, [{ low, high }], { order: 'asc' }),
  )
}

/** All swaps of pools in slots, unordered. */
export function listSwapsOfPools(
  db: Queryable,
  poolIds: readonly number[],
  { low, high }: SlotRange,
): Promise<SwapRow[]> {
  return readBoth(db, low, listOfPools, [poolIds, low, high], (sealed) =>
    ofPools(db, sealed, poolIds, { low, high }, { order: 'asc' }),
  )
}

/** Ascending runs that do not overlap. */
function apart(ranges: readonly { low: number; high: number }[]) {
  const merged: { low: number; high: number }[] = []
  for (const range of ranges.toSorted((a, b) => a.low - b.low)) {
    const last = merged.at(-1)
    if (last !== undefined && range.low <= last.high + 1)
      last.high = Math.max(last.high, range.high)
    else merged.push({ ...range })
  }
  return merged
}

/** The first slot of a range with a swap of any pool. */
export async function findNextSlot(
  db: Queryable,
  { low, high }: SlotRange,
): Promise<number | undefined> {
  const [row] = await withSealedFrom(
    db,
    low,
    () => findSlot(db, [low, high], []),
    async (sealed) => {
      const handed = await ofSlots(db, sealed, [{ low, high }], { order: 'asc', rows: 1 })
      return findSlot(db, [low, high], handed)
    },
  )
  return row?.slot
}
