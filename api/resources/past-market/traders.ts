/**
 * Traders of tokens as of a slot, in the minutes of the day that ends with it: stored buckets before the first minute with a swap after
 * the slot, and from there on the trades of the swaps up to it.
 */
import { bucketOf, DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { listPastTrades, type PastTrade } from '../../../history/swaps/past-trades.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { tradesOf } from './prices.ts'

/** `fromMs`: the minute from which on stored buckets of the tokens are not those of the slot. */
export type PastTraders = {
  readonly fromMs: number
  readonly tokenIds: readonly number[]
  readonly trades: readonly PastTrade[]
}
type LaterRow = { token_id: number; bucket_ms: number }
type MinuteRow = { pool_id: number; bucket_ms: number; first_slot: number; trade_count: number }

const NONE: PastTraders = { fromMs: 0, tokenIds: [], trades: [] }

const listLater = query<LaterRow>('as-of/list_later_minutes')
const listMinutes = query<MinuteRow>('as-of/list_token_minutes')

/** Throws ApiError where the ranking has not applied all swaps up to the slot, and where too many are to be read. */
export async function readPastTraders(
  past: AsOfReading,
  tokenIds: readonly number[],
): Promise<PastTraders> {
  const { db, slot } = past
  await past.expectRanking()
  const latestMs = await past.latestMs()
  const earliestMs = latestMs === null ? null : await past.earliestLaterMs()
  if (latestMs === null || earliestMs === null) return NONE
  const lastMs = bucketOf(latestMs, MINUTE_MS)
  const dayMs = lastMs + MINUTE_MS - DAY_MS
  const bounds = [Math.max(dayMs, bucketOf(earliestMs, MINUTE_MS)), lastMs]
  const later = await listLater(db, [int4Array(tokenIds), slot, ...bounds])
  if (later.length === 0) return NONE
  const fromMs = Math.min(...later.map(({ bucket_ms }) => bucket_ms))
  const changed = later.map(({ token_id }) => token_id)
  const minutes = await listMinutes(db, [int4Array(changed), slot, fromMs, lastMs])
  expectFoldable(past, tradesOf(minutes))
  return { fromMs, tokenIds: changed, trades: await listPastTrades(db, minutes, slot) }
}
