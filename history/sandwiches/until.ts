/**
 * The last brackets as of a slot: those that an installation has found which was fed the swaps up to it, searched again. Earlier
 * ones are stored, because no later swap changes them.
 *
 * Decision: docs/decisions/0132-the-last-sandwiches-as-of-a-slot-are-searched-again.md
 */
import { type SwapRow, swapOfRow } from '../../domain/events/stored-row.ts'
import { concernedStretch } from '../../domain/market/sandwich/cuts.ts'
import type { BracketRow } from '../../domain/market/sandwich/stored-row.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { listSwapsOfPools } from '../swaps/sandwiches.ts'
import { type SearchedPool, search, WIDER } from './stretch.ts'

/** `slots`: first slot of a first leg, and the slot up to which swaps are read. `expectRead`: throws where these are too many. */
type Wanted = {
  readonly slots: { readonly first: number; readonly last: number }
  readonly expectRead: (swaps: number) => void
}
export type FoundBracket = { readonly poolId: number; readonly row: BracketRow }

/** Slots before the first that are read first: a few more than a stretch needs that begins with the margin. */
const READ_SLOTS = 16
const listPools = query<SearchedPool>('sandwiches/list_pools_until')

/** The brackets of pools that begin in slots, as of the last of these. */
export async function searchUntil(
  db: Queryable,
  poolIds: readonly number[],
  { slots, expectRead }: Wanted,
): Promise<FoundBracket[]> {
  const found: FoundBracket[] = []
  let open = poolIds.length === 0 ? [] : await listPools(db, [slots.last, poolIds])
  let read = 0
  for (let before = READ_SLOTS; open.length > 0; before *= WIDER) {
    const low = slots.first - before
    const rows = await readSwaps(db, open, { low, high: slots.last })
    read += rows.length
    expectRead(read)
    const byPool = Map.groupBy(rows, ({ pool_id }) => pool_id)
    const left: SearchedPool[] = []
    const searches = open.map(async (pool): Promise<void> => {
      const swaps = (byPool.get(pool.id) ?? []).map(swapOfRow)
      const known = {
        from: low <= (pool.first_slot ?? low) ? Number.NEGATIVE_INFINITY : low,
        end: Number.POSITIVE_INFINITY,
      }
      const stretch = concernedStretch(swaps, slots, known)
      if (stretch === undefined) {
        left.push(pool)
        return
      }
      const { brackets } = await search(db, pool, swaps, stretch)
      const own = brackets.filter(({ slot }) => slot >= slots.first)
      found.push(...own.map((row) => ({ poolId: pool.id, row })))
    })
    await Promise.all(searches)
    open = left
  }
  return found
}

const readSwaps = (
  db: Queryable,
  pools: readonly SearchedPool[],
  slots: { low: number; high: number },
): Promise<SwapRow[]> =>
  listSwapsOfPools(
    db,
    pools.map(({ id }) => id),
    slots,
  )
