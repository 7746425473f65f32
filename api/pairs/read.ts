/** Reads of pairs: accounts by when they were first seen, or pools of tokens by the day's volume. */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import { dexOfName } from '../../streams/venue.ts'
import { type CursorList, cursorNumber, decodeCursor, encodeCursor } from '../cursor.ts'
import type { Reserves } from '../liquidity.ts'
import { DAY_MINUTES, windowEdges } from '../window.ts'

export type PairFilter = { protocol?: string; limit: number }
export type PairRow = Reserves & {
  pair_address: string
  token_address: string
  last_price: number | null
  last_price_ms: number | null
  newest_ms: number
  swap_count: Int64
  volume_lamports: string
  trade_count: Int64
}
export type PairPage = { rows: string[]; next: string | null }

type AccountRow = { id: number; pair_address: string }

const listPairs = query<AccountRow>('pairs/list_pairs')
const listVenuePairs = query<AccountRow>('pairs/list_venue_pairs')
const listTokenPairs = query<PairRow>('pairs/list_token_pairs')
const readNewest = query<{ newest_ms: number | null }>('candles/read_newest')

const ACCOUNTS: CursorList = ['pair']
const POOL_ID_MAX = 2 ** 31 - 1

export async function readPairs(
  db: Queryable,
  { protocol, limit, cursor }: PairFilter & { cursor?: string },
): Promise<PairPage> {
  const [after] = cursor === undefined ? [] : decodeCursor(ACCOUNTS, cursor, 1)
  const before = after === undefined ? null : cursorNumber(after, POOL_ID_MAX)
  // One beyond the page tells that there are more.
  const dex = dexOf(protocol)
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

/** Pools with a trade, the largest volume of 24 hours first; ties by trades, then by account. */
export async function readTokenPairs(
  db: Queryable,
  mints: readonly string[],
  { protocol, limit }: PairFilter,
): Promise<PairRow[]> {
  const [newest] = await readNewest(db)
  if (newest === undefined || newest.newest_ms === null) return []
  const { fromMs, quarterMs, fourMs } = windowEdges(newest.newest_ms, DAY_MINUTES)
  return listTokenPairs(db, [mints, dexOf(protocol), limit, fromMs, quarterMs, fourMs])
}

function dexOf(protocol: string | undefined): number | null {
  return protocol === undefined ? null : (dexOfName(protocol) ?? null)
}
