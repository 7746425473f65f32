/** Reads which pools may hold a sandwich in slots. */
import type { Int64 } from '../../domain/amount.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

/** Slots, both ends included. */
export type SlotRun = { readonly first: number; readonly last: number }
/** `run`: from 1 on. `is_whole`: all swaps of the pool are concerned. */
type BracketPool = { run: number; pool_id: number; is_whole: boolean }

const findSlot = query<{ slot: number }>('swap-history/find_next_slot')
const listPools = query<BracketPool>('swap-history/list_bracket_pools', { isPlannedAnew: true })

/** `near`: slots around a run. `tokensMin`: base units of a quantity that two wallets may share. At least one run. */
export function listBracketPools(
  db: Queryable,
  runs: readonly SlotRun[],
  { near, tokensMin }: { near: number; tokensMin: Int64 },
): Promise<BracketPool[]> {
  const firsts = runs.map(({ first }) => first)
  const lasts = runs.map(({ last }) => last)
  const bounds = [leastOf(firsts) - near, greatestOf(lasts) + near]
  return listPools(db, [firsts, lasts, near, tokensMin, ...bounds])
}

/** The first slot of a range with a swap of any pool. */
export async function findNextSlot(
  db: Queryable,
  { low, high }: { readonly low: number; readonly high: number },
): Promise<number | undefined> {
  return (await findSlot(db, [low, high]))[0]?.slot
}
