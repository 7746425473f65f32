/**
 * Chooses the pool of a candle request: the named one, else the token's pool with the largest volume in the range,
 * else its top pool. The response to a request by token names the pool and since when it is the top pool.
 */
import { QUARTER_MS } from '../../../domain/time/time-bucket.ts'
import {
  STORED_WIDTHS,
  type Stretch,
  stretchesOf,
  TABLE_WIDTHS_MS,
  type Table,
} from '../../../domain/time/timeframe.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { refuseMint } from '../swaps/read.ts'
import type { PoolNames } from './candle-lines.ts'
import type { CandlePool } from './candle-text.ts'
import { LOOK_BACK_QUARTERS, type Rival, topSince, WINDOW_QUARTERS } from './top-pool.ts'

/** `pastSlot`: as of which the pool is known; absent: now. */
export type PoolFilter = { pair_address?: string; token_address?: string; pastSlot?: number }
type Pool = PoolNames & { id: number; newest_ms: number | null }
/** `is_alone`: the token has no other with a price. */
type TopPool = Pool & { is_alone: boolean }
/** First bucket of a range and of what follows it. */
type Range = { from: number; to: number }
/** The pool, and its description in the response. */
type Chosen = { pool: Pool; shown: CandlePool } | { pool: undefined; shown: null }

const findPool = query<Pool>('candles/find_pool')
const findTopPool = query<TopPool>('candles/find_top_pool')
const findTopPoolBetween = query<Pool>('candles/find_top_pool_between')
const findFirstBucket = query<{ bucket_ms: number }>('candles/find_first_bucket')
const listRivalQuarters = query<Rival & { first_ms: number }>('candles/list_rival_quarters')

/** Stretches of each table that a range has at most: one of the widest, and of the others one at each end. */
const STRETCHES: readonly (readonly [Table, number])[] = STORED_WIDTHS.map((table, index) => [
  table,
  index === STORED_WIDTHS.length - 1 ? 1 : 2,
])
const NO_STRETCH = [1, 0]
/** Width of what candles/find_first_bucket finds. */
const FIRST_BUCKET_MS = TABLE_WIDTHS_MS['4h']

/** Throws MISSING_PARAM without a pool and a token, INVALID_PARAM where the pool is a mint. */
export async function choosePool(
  db: Queryable,
  { pair_address: pair, token_address: mint, pastSlot }: PoolFilter,
  range: Range | undefined,
): Promise<Chosen> {
  if (pair !== undefined) {
    const [pool] = await findPool(db, [pair, mint ?? null])
    if (pool === undefined) await refuseMint(db, pair, pastSlot)
    return chosen(pool, 'pair_address')
  }
  if (mint === undefined) {
    throw new ApiError(
      'MISSING_PARAM',
      'pair_address is required, or token_address for its top pool',
    )
  }
  const [busiest] =
    range === undefined ? [] : await findTopPoolBetween(db, [mint, ...stretchParameters(range)])
  if (busiest !== undefined) return chosen(busiest, 'range_volume')
  const [top] = await findTopPool(db, [mint])
  return chosen(top, 'top_pool', top === undefined ? null : await sinceOf(db, top))
}

function chosen(
  pool: Pool | undefined,
  chosen_by: CandlePool['chosen_by'],
  since: number | null = null,
): Chosen {
  if (pool === undefined) return { pool, shown: null }
  const { pair_address, token_address } = pool
  return { pool, shown: { pair_address, token_address, chosen_by, since } }
}

/** Null: for as long as is looked back. */
async function sinceOf(db: Queryable, top: TopPool): Promise<number | null> {
  const { id, pair_address, token_address, newest_ms } = top
  if (top.is_alone) {
    // The only pool has been the top pool since it first traded, which is mostly long ago.
    const [begun] = await findFirstBucket(db, [id])
    const lookedFromMs = (newest_ms ?? 0) - LOOK_BACK_QUARTERS * QUARTER_MS
    if (begun !== undefined && begun.bucket_ms + FIRST_BUCKET_MS <= lookedFromMs) return null
  }
  const quarters = LOOK_BACK_QUARTERS + WINDOW_QUARTERS
  const rivals = await listRivalQuarters(db, [token_address, id, quarters])
  const since = topSince(rivals, pair_address, quarters - 1)
  const [first] = rivals
  return since === undefined || first === undefined ? null : first.first_ms + since * QUARTER_MS
}

function stretchParameters({ from, to }: Range): number[] {
  const byTable = Map.groupBy(stretchesOf(from, to), ({ table }: Stretch) => table)
  return STRETCHES.flatMap(([table, most]) => {
    const own = byTable.get(table) ?? []
    return Array.from({ length: most }, (_, index) => {
      const stretch = own[index]
      return stretch === undefined ? NO_STRETCH : [stretch.first, stretch.last]
    }).flat()
  })
}
