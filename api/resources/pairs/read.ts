/** Reads of pairs: accounts by when they were first seen, or pools of tokens by the day's volume. */

import type { Int64 } from '../../../domain/amount.ts'
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import {
  type CursorList,
  cursorNumber,
  decodeCursor,
  encodeCursor,
} from '../../routing/reading/cursor.ts'
import { windowEdges } from '../../routing/reading/trailing-window.ts'
import type { Reserves } from './liquidity.ts'
import { POOL_ID_MAX, poolsCursor, readPoolsCursor, SHOWN_MAX } from './shown-pools.ts'

export type PairsRequest = { protocol?: DexId; limit: number; cursor?: string }
export type PairRow = Reserves & {
  id: number
  pair_address: string
  token_address: string
  last_price: number | null
  last_price_ms: number | null
  newest_ms: number
  swap_count: Int64
  volume_lamports: string
  trade_count: Int64
}
export type PairPage<Row> = { rows: Row[]; next: string | null }

type AccountRow = { id: number; pair_address: string }

const listPairs = query<AccountRow>('pairs/list_pairs')
const listVenuePairs = query<AccountRow>('pairs/list_venue_pairs')
const listTokenPairs = query<PairRow>('pairs/list_token_pairs')
const listTokenPairsById = query<PairRow>('pairs/list_token_pairs_by_id')
const readNewest = query<{ newest_ms: number | null }>('candles/read_newest')

export const ACCOUNTS: CursorList = ['pair']

export async function readPairs(
  db: Queryable,
  { protocol, limit, cursor }: PairsRequest,
): Promise<PairPage<string>> {
  const [after] = cursor === undefined ? [] : decodeCursor(ACCOUNTS, cursor, 1)
  const before = after === undefined ? null : cursorNumber(after, POOL_ID_MAX)
  // One row beyond the page shows that there are more.
  const dex = protocol ?? null
  const found =
    dex === null
      ? await listPairs(db, [before, limit + 1])
      : await listVenuePairs(db, [dex, before, limit + 1])
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    rows: page.map(({ pair_address: pair }) => pair),
    next: found.length > limit && last ? encodeCursor(ACCOUNTS, [last.id]) : null,
  }
}

/**
 * Pools with a trade, the largest volume of 24 hours first; ties by trades, then by account. Each page has the busiest
 * of those that the pages before did not show. After SHOWN_MAX pools it has those that come next by id, in the same
 * order among themselves.
 */
export async function readTokenPairs(
  db: Queryable,
  mints: readonly string[],
  { protocol, limit, cursor }: PairsRequest,
): Promise<PairPage<PairRow>> {
  const list: CursorList = ['token-pairs', ...mints.toSorted()]
  const { shown, ...from } = cursor === undefined ? { shown: [] } : readPoolsCursor(list, cursor)
  const [newest] = await readNewest(db)
  if (newest === undefined || newest.newest_ms === null) return { rows: [], next: null }
  const { fromMs, quarterMs, fourMs, endMs } = windowEdges(newest.newest_ms, DAY_MINUTES)
  const { afterId = shown.length + limit > SHOWN_MAX ? 0 : undefined } = from
  // One row beyond the page shows that there are more.
  const parameters = [mints, protocol ?? null, limit + 1, fromMs, quarterMs, fourMs, shown]
  const found =
    afterId === undefined
      ? await listTokenPairs(db, [...parameters, endMs])
      : await listTokenPairsById(db, [...parameters, afterId, endMs])
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const resumeFrom =
    afterId === undefined
      ? { shown: [...shown, ...page.map(({ id }) => id)] }
      : { shown, afterId: last?.id ?? afterId }
  return {
    rows: afterId === undefined ? page : ranked(page),
    next: found.length > limit ? poolsCursor(list, resumeFrom) : null,
  }
}

function ranked(rows: readonly PairRow[]): PairRow[] {
  return rows.toSorted(
    (a, b) =>
      compare(BigInt(b.volume_lamports), BigInt(a.volume_lamports)) ||
      compare(b.trade_count, a.trade_count) ||
      compare(a.pair_address, b.pair_address) ||
      compare(a.token_address, b.token_address),
  )
}

function compare<Value extends Int64 | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0
}
