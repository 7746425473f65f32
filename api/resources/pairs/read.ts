/** Reads of pairs: accounts by their first swaps, or pools of tokens by the day's volume. */

import type { Int64 } from '../../../domain/amount.ts'
import { isAddress } from '../../../domain/numbers/base58.ts'
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import {
  type CursorList,
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'
import { windowEdges } from '../../routing/reading/trailing-window.ts'
import type { Reserves } from './liquidity.ts'
import {
  FIRST_OF_ALL,
  type FirstPosition,
  poolHash,
  poolsCursor,
  readPoolsCursor,
  SHOWN_MAX,
} from './shown-pools.ts'

/** `pastSlot`: as of which pools are listed; absent: now. */
type PairsRequest = { protocol?: DexId; limit: number; cursor?: string; pastSlot?: number }
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

type AccountRow = { first_slot: number; pair_address: string }
type PoolRow = { id: number; pair_address: string; token_address: string }

const listPairs = query<AccountRow>('pairs/list_pairs')
const listVenuePairs = query<AccountRow>('pairs/list_venue_pairs')
const listTokenPairs = query<PairRow>('pairs/list_token_pairs')
const listTokenPairsBySlot = query<PairRow & { first_slot: number }>(
  'pairs/list_token_pairs_by_slot',
)
const listTokenPools = query<PoolRow>('pairs/list_token_pools')
const readNewest = query<{ newest_ms: number | null }>('candles/read_newest')

const ACCOUNTS: CursorList = ['pair']

export async function readPairs(
  db: Queryable,
  { protocol, limit, cursor, pastSlot }: PairsRequest,
): Promise<PairPage<string>> {
  const after = startOf(cursor === undefined ? undefined : accountOf(cursor), pastSlot)
  // One row beyond the page shows that there are more.
  const dex = protocol ?? null
  const found =
    dex === null
      ? await listPairs(db, [...after, limit + 1])
      : await listVenuePairs(db, [dex, ...after, limit + 1])
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    rows: page.map(({ pair_address: pair }) => pair),
    next:
      found.length > limit && last
        ? encodeCursor(ACCOUNTS, [last.first_slot, last.pair_address])
        : null,
  }
}

/** Slot and account below which the list continues. As of a slot only pools whose first swap is after it are left out. */
function startOf(
  after: readonly [slot: number, pair: string] | undefined,
  pastSlot: number | undefined,
): readonly (number | string | null)[] {
  if (pastSlot === undefined) return after ?? [null, null]
  return after !== undefined && after[0] <= pastSlot ? after : [pastSlot + 1, '']
}

/** Slot and account of the last row. Throws ApiError for a text that is no cursor of the list. */
function accountOf(cursor: string): [slot: number, pair: string] {
  const [slot = '', pair = ''] = decodeCursor(ACCOUNTS, cursor, 2)
  if (!isAddress(pair)) throw notOfThisList()
  return [cursorNumber(slot), pair]
}

/**
 * Pools with a trade, the largest volume of 24 hours first; ties by trades, then by account. Each page has the busiest
 * of those that the pages before did not show. After SHOWN_MAX pools it has those that come next by their first swaps,
 * in the same order among themselves.
 */
export async function readTokenPairs(
  db: Queryable,
  mints: readonly string[],
  { protocol, limit, cursor }: PairsRequest,
): Promise<PairPage<PairRow>> {
  const list: CursorList = ['token-pairs', ...mints.toSorted()]
  const { shown, after } = cursor === undefined ? { shown: [] } : readPoolsCursor(list, cursor)
  const [newest] = await readNewest(db)
  if (newest === undefined || newest.newest_ms === null) return { rows: [], next: null }
  const { fromMs, quarterMs, fourMs, endMs } = windowEdges(newest.newest_ms, DAY_MINUTES)
  const excluded = await idsOf(db, mints, shown)
  const window = [fromMs, quarterMs, fourMs, excluded]
  // One row beyond the page shows that there are more.
  const parameters = [mints, protocol ?? null, limit + 1, ...window]
  if (after === undefined && shown.length + limit <= SHOWN_MAX) {
    const found = await listTokenPairs(db, [...parameters, endMs])
    const rows = found.slice(0, limit)
    const next = { shown: [...shown, ...rows.map(poolHash)] }
    return { rows, next: found.length > limit ? poolsCursor(list, next) : null }
  }
  const { slot, pair, mint } = after ?? FIRST_OF_ALL
  const found = await listTokenPairsBySlot(db, [...parameters, slot, pair, mint, endMs])
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const next = last && poolsCursor(list, { shown, after: positionOf(last) })
  return { rows: ranked(page), next: next ?? null }
}

/** Ids of the pools of the mints with these hashes. */
async function idsOf(
  db: Queryable,
  mints: readonly string[],
  hashes: readonly number[],
): Promise<number[]> {
  if (hashes.length === 0) return []
  const counts = new Map<number, number>()
  for (const each of hashes) counts.set(each, (counts.get(each) ?? 0) + 1)
  const pools = (await listTokenPools(db, [mints])).sort(byName)
  return pools.flatMap((pool) => {
    const each = poolHash(pool)
    const left = counts.get(each) ?? 0
    counts.set(each, left - 1)
    return left > 0 ? [pool.id] : []
  })
}

const positionOf = (row: PairRow & { first_slot: number }): FirstPosition => ({
  slot: row.first_slot,
  pair: row.pair_address,
  mint: row.token_address,
})

const byName = (a: PoolRow, b: PoolRow): number =>
  compare(a.pair_address, b.pair_address) || compare(a.token_address, b.token_address)

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
