/**
 * Prices of tokens and the SOL/USD rate as of a slot.
 *
 * Law: they are those that token_prices() and sol_usd_quote() return in an installation that was fed the events up to the slot.
 * Rows of pools and candles whose last swap is at or before the slot are stored as they were; the others are recomputed from
 * their swaps: the two last ones of a pool, and the minutes that the slot cuts.
 */
import { LAMPORTS_PER_SOL } from '../../../domain/amount.ts'
import {
  bucketOf,
  DAY_MS,
  FOUR_HOURS_MS,
  MINUTE_MS,
  QUARTER_MS,
} from '../../../domain/time/time-bucket.ts'
import {
  type CutMinute,
  listPastEnds,
  type PastEnd,
  pastPriceOf,
  sumPastMinutes,
} from '../../../history/swaps/past.ts'
import {
  boolArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  plainArray,
} from '../../../sql/binary/arrays.ts'
import { inOnePiece } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'

/** Like a row of token_prices(), as of the slot. */
export type PastPrice = {
  token_id: number
  pool_id: number
  price: number
  price_ms: number
  decimals: number
}
/** Like the row of sol_usd_quote(). */
export type PastRate = {
  rate: number | null
  minute_ms: number | null
  source: 'swaps' | 'fallback' | null
}
type ChangedRow = {
  token_id: number
  pool_id: number
  first_slot: number
  is_begun: boolean
  has_rival: boolean
}
type RateRow = {
  minute_count: number
  rate: number | null
  minute_ms: number | null
  fallback: number | null
}

/** Bounds of sol_usd_quote(). */
const COUNTED_MINUTES_MIN = 3
const RATE_ROWS_MAX = 20_000
const ROWS_ALL = Number.MAX_SAFE_INTEGER

const listChanged = query<ChangedRow>('as-of/list_changed_pools')
const listCut = query<CutMinute>('as-of/list_cut_minutes')
const listCutDollars = query<CutMinute>('as-of/list_cut_dollars')
const listUnchanged = query<PastPrice>('as-of/list_unchanged_prices')
const listPrices = query<PastPrice>('as-of/list_prices')
const readRate = query<RateRow>('as-of/read_rate')

/**
 * Returns what token_prices(ids) does in an installation fed up to the slot: no row for a token without a price. Throws ApiError
 * where the minutes that the slot cuts have too many swaps.
 */
export async function pastPrices(
  past: AsOfReading,
  tokenIds: readonly number[],
): Promise<PastPrice[]> {
  const [unchanged, changed] = await inOnePiece(past.db, () =>
    Promise.all([unchangedPrices(past, tokenIds), changedPrices(past, tokenIds)]),
  )
  return [...unchanged, ...changed]
}

/** The same of the tokens of which no pool has a swap after the slot. */
export async function unchangedPrices(
  past: AsOfReading,
  tokenIds: readonly number[],
): Promise<PastPrice[]> {
  const latestMs = await past.latestMs()
  if (latestMs === null || tokenIds.length === 0) return []
  return listUnchanged(past.db, [int4Array([...new Set(tokenIds)]), past.slot, latestMs])
}

/** The same of the other tokens. */
export async function changedPrices(
  past: AsOfReading,
  tokenIds: readonly number[],
): Promise<PastPrice[]> {
  if (tokenIds.length === 0) return []
  const { db, slot } = past
  const [changed, latestMs] = await Promise.all([
    listChanged(db, [int4Array([...new Set(tokenIds)]), slot]),
    past.latestMs(),
  ])
  if (changed.length === 0 || latestMs === null) return []
  const ids = int4Array([...new Set(changed.map(({ token_id }) => token_id))])
  const begun = changed.filter(({ is_begun }) => is_begun)
  const endMs = bucketOf(latestMs, MINUTE_MS) + MINUTE_MS
  const fromMs = endMs - DAY_MS
  const stillMs = stillUntil(await past.earliestLaterMs(), endMs)
  const compared = begun.filter(({ has_rival }) => has_rival).map(({ pool_id }) => pool_id)
  const isCut = compared.length > 0 && stillMs < endMs
  const cutFromMs = Math.max(fromMs, stillMs)
  const cut = isCut ? await listCut(db, [int4Array(compared), slot, cutFromMs, endMs]) : []
  expectFoldable(past, tradesOf(cut))
  const [ends, sums] = await inOnePiece(db, () =>
    Promise.all([listPastEnds(db, begun, slot), sumPastMinutes(db, cut, slot)]),
  )
  return listPrices(db, [
    ...[ids, slot],
    ...dayBounds(fromMs, stillMs, endMs),
    ...endColumns(ends),
    int4Array(sums.map((row) => row.pool_id)),
    plainArray(sums.map((row) => row.volume_lamports)),
    int8Array(sums.map((row) => row.trade_count)),
  ])
}

/**
 * Returns what sol_usd_quote() does in an installation fed up to the slot. Throws ApiError where the minutes that the slot cuts
 * have too many swaps.
 */
export async function pastRate(past: AsOfReading): Promise<PastRate> {
  const { db, slot } = past
  const latestMs = await past.latestMs()
  const earliestMs = latestMs === null ? null : await past.earliestLaterMs()
  const endMs = latestMs ?? -1
  const stillMs = stillUntil(earliestMs, endMs + 1)
  const cut = stillMs <= endMs ? await listCutDollars(db, [slot, stillMs, endMs]) : []
  expectFoldable(past, tradesOf(cut))
  const sums = (await sumPastMinutes(db, cut, slot)).filter((row) => row.priced_lamports !== null)
  const read = async (lamportsMin: number, rowsMax: number): Promise<RateRow> => {
    const [row] = await readRate(db, [
      ...[slot, endMs, stillMs, lamportsMin, rowsMax],
      int8Array(sums.map((each) => each.bucket_ms)),
      int2Array(sums.map((each) => each.quote_decimals)),
      plainArray(sums.map((each) => each.priced_lamports)),
      plainArray(sums.map((each) => each.priced_units)),
    ])
    return row!
  }
  const large = await read(LAMPORTS_PER_SOL, RATE_ROWS_MAX)
  const found = large.minute_count < COUNTED_MINUTES_MIN ? await read(0, ROWS_ALL) : large
  const { rate, minute_ms, fallback } = found
  if (rate !== null) return { rate, minute_ms, source: 'swaps' }
  return { rate: fallback, minute_ms, source: fallback === null ? null : 'fallback' }
}

/** The minute from which on swaps after the slot may be, at most `endMs`; minutes before are stored as they were. */
function stillUntil(earliestMs: number | null, endMs: number): number {
  return earliestMs === null ? endMs : Math.min(endMs, bucketOf(earliestMs, MINUTE_MS))
}

/** $3 to $8 of as-of/list_prices. */
function dayBounds(fromMs: number, stillMs: number, endMs: number): number[] {
  const quarterMs = bucketOf(fromMs + QUARTER_MS - 1, QUARTER_MS)
  const quartersEndMs = Math.max(quarterMs, bucketOf(stillMs, QUARTER_MS))
  const fourMs = bucketOf(fromMs + FOUR_HOURS_MS - 1, FOUR_HOURS_MS)
  const foursEndMs = Math.max(fourMs, bucketOf(stillMs, FOUR_HOURS_MS))
  return [fromMs, quarterMs, fourMs, foursEndMs, quartersEndMs, endMs]
}

/** $9 to $18 of as-of/list_prices. */
function endColumns(ends: readonly PastEnd[]): unknown[] {
  return [
    int4Array(ends.map((end) => end.pool_id)),
    float8Array(ends.map(pastPriceOf)),
    plainArray(ends.map((end) => end.price_ms)),
    int2Array(ends.map((end) => end.quote_decimals)),
    int8Array(ends.map((end) => end.slot)),
    int8Array(ends.map((end) => end.block_tx_index)),
    int4Array(ends.map((end) => end.ix_index)),
    int2Array(ends.map((end) => end.dex)),
    boolArray(ends.map((end) => end.is_buy)),
    plainArray(ends.map((end) => end.signature)),
  ]
}

/** Swaps of minutes. */
export const tradesOf = (minutes: readonly Pick<CutMinute, 'trade_count'>[]): number =>
  minutes.reduce((sum, { trade_count }) => sum + trade_count, 0)
