/**
 * Loads the time series of tokens from the tables: candles of their pools by the minute, buyers by the minute and by the
 * hour, sales of their creators.
 *
 * Law: the result of one read is bounded in bytes, however much tokens trade. Tokens are read in pages by estimated size,
 * and a token larger than a page in spans of some hours.
 */

import { exactOf } from '../../../domain/amount.ts'
import {
  bucketOf,
  FOUR_HOURS_MS,
  HOUR_MINUTES,
  MINUTE_MS,
} from '../../../domain/time/time-bucket.ts'
import type { DexId } from '../../../domain/venue.ts'
import { listCreatorSales, type SaleRow } from '../../../history/swaps/tokens.ts'
import { int4Array, plainArray } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { mixedWallet } from '../traders.ts'
import type { BuyerBuckets } from './buyer-buckets.ts'
import { PoolMinutes } from './pool-minutes.ts'
import { type TokenSeries, truncateFrom } from './token-series.ts'

/** Estimated memory of the rows of a page. */
const PAGE_BYTES = 16 * 1024 * 1024
/** Memory of the rows that a pool's minute yields (its candle, its buyers), and of a wallet in minutes and hours. */
const MINUTE_BYTES = 700
const WALLET_BYTES = 16
/** A token whose first swap is so recent is small, and needs no estimate. */
const YOUNG_MINUTES = 60
/** Unix ms later than every stored time. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

type MinuteRow = {
  token_id: number
  pool_id: number
  pair_address: string
  dex: number
  minute: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume_lamports: string
  trade_count: number
}
type BuyerRow = { token_id: number; at: number; buyers: number[]; buyers_below: number | null }
type BuyerMinuteRow = BuyerRow & { creator_may_have_sold: boolean }
type EstimateRow = { token_id: number; minute_count: number; buyer_count: number }

const estimateMinutes = query<EstimateRow>('ranking/estimate_minutes')
const listMinutes = query<MinuteRow>('ranking/list_minutes')
const listBuyerMinutes = query<BuyerMinuteRow>('ranking/list_buyer_minutes')
const listBuyerHours = query<BuyerRow>('ranking/list_buyer_hours')

/**
 * The minutes of a read: `from` is the first; `end` the newest, the end of windows; `before` the end of windows at the
 * read before this one.
 */
export type Reach = { readonly from: number; readonly before: number; readonly end: number }

/** Minutes of tokens that one read returns: `from` to before `to`, or all from `from` on. */
type Page = { readonly tokens: readonly TokenSeries[]; readonly from: number; readonly to?: number }

/** Replaces the series of tokens from a minute on by what the tables hold. */
export async function readFrom(
  db: Queryable,
  tokens: readonly TokenSeries[],
  reach: Reach,
  pageBytes: number = PAGE_BYTES,
): Promise<void> {
  if (tokens.length === 0) return
  const costs = await costsOf(db, tokens, reach)
  for (const page of pagesOf(tokens, costs, reach, pageBytes)) await readPage(db, page)
}

/** Estimated bytes of the rows of each token. */
async function costsOf(
  db: Queryable,
  tokens: readonly TokenSeries[],
  reach: Reach,
): Promise<number[]> {
  const youngFromMs = (reach.end - YOUNG_MINUTES) * MINUTE_MS
  const isKnown = ({ buyerHours, firstMs }: TokenSeries) =>
    buyerHours.count > 0 || firstMs >= youngFromMs
  const costs = tokens.map((token) => (isKnown(token) ? costOfKnown(token, reach) : Number.NaN))
  const unknown = tokens.filter((_, index) => Number.isNaN(costs[index]))
  if (unknown.length === 0) return costs
  const fromMs = bucketOf(reach.from * MINUTE_MS, FOUR_HOURS_MS)
  const rows = await estimateMinutes(db, [int4Array(unknown.map((each) => each.tokenId)), fromMs])
  const found = new Map(
    rows.map(({ token_id, minute_count, buyer_count }) => [
      token_id,
      MINUTE_BYTES * minute_count + WALLET_BYTES * buyer_count,
    ]),
  )
  return costs.map((cost, index) =>
    Number.isNaN(cost) ? (found.get(tokens[index]!.tokenId) ?? 0) : cost,
  )
}

/** Estimate for a token that was read before, or is young: its known minutes, and all that passed since for each pool. */
function costOfKnown({ pools, buyerMinutes }: TokenSeries, { from, before, end }: Reach): number {
  if (pools.size === 0) return MINUTE_BYTES * YOUNG_MINUTES
  let minutes = pools.size * Math.max(0, end - Math.max(from, before) + 1)
  for (const pool of pools.values()) minutes += pool.minutes.count - pool.minutes.lowerBound(from)
  return MINUTE_BYTES * minutes + WALLET_BYTES * buyerMinutes.walletsFrom(from)
}

function* pagesOf(
  tokens: readonly TokenSeries[],
  costs: readonly number[],
  reach: Reach,
  pageBytes: number,
): Iterable<Page> {
  let page: TokenSeries[] = []
  let bytes = 0
  for (const [index, token] of tokens.entries()) {
    const cost = costs[index]!
    if (page.length > 0 && bytes + cost > pageBytes) {
      yield* hourPagesOf(page, reach, bytes / pageBytes)
      page = []
      bytes = 0
    }
    page.push(token)
    bytes += cost
  }
  yield* hourPagesOf(page, reach, bytes / pageBytes)
}

/** Splits a page into about `count`, each of whole hours, because buyers of an hour are read with its minutes. */
function* hourPagesOf(tokens: readonly TokenSeries[], { from, end }: Reach, count: number) {
  const fromHour = Math.floor(from / HOUR_MINUTES)
  const hours = Math.floor(end / HOUR_MINUTES) - fromHour + 1
  const each = Math.max(1, count <= 1 ? hours : Math.floor(hours / count))
  let first = from
  for (let hour = fromHour + each; hour < fromHour + hours; hour += each) {
    yield { tokens, from: first, to: hour * HOUR_MINUTES }
    first = hour * HOUR_MINUTES
  }
  yield { tokens, from: first }
}

async function readPage(db: Queryable, { tokens, from, to }: Page): Promise<void> {
  const byId = new Map(tokens.map((token) => [token.tokenId, token]))
  const ids = int4Array([...byId.keys()])
  const creators = tokens.map(({ creatorId }) =>
    creatorId === null ? null : mixedWallet(creatorId),
  )
  const hourMs = bucketOf(from, HOUR_MINUTES) * MINUTE_MS
  const [fromMs, toMs] = [from * MINUTE_MS, to === undefined ? NEVER_MS : to * MINUTE_MS]
  const [minutes, buyers, hours] = await Promise.all([
    listMinutes(db, [ids, fromMs, toMs]),
    listBuyerMinutes(db, [ids, plainArray(creators), fromMs, toMs]),
    listBuyerHours(db, [ids, hourMs, toMs]),
  ])
  const suspects = buyers.filter((row) => row.creator_may_have_sold)
  const sales = await readSales(db, suspects, byId)
  for (const token of tokens) truncateFrom(token, from)
  for (const row of minutes) addMinute(byId.get(row.token_id)!, row)
  for (const row of buyers) addBuyers(byId.get(row.token_id)!.buyerMinutes, row)
  for (const row of hours) addBuyers(byId.get(row.token_id)!.buyerHours, row)
  for (const row of sales) {
    const sale = { minute: row.minute, lamports: exactOf(row.lamports) }
    byId.get(row.token_id)!.creatorSales.push(sale)
  }
}

async function readSales(
  db: Queryable,
  suspects: readonly BuyerMinuteRow[],
  byId: ReadonlyMap<number, TokenSeries>,
): Promise<SaleRow[]> {
  if (suspects.length === 0) return []
  const wanted = suspects.map((row) => ({
    tokenId: row.token_id,
    walletId: byId.get(row.token_id)!.creatorId!,
    minuteMs: row.at * MINUTE_MS,
  }))
  return listCreatorSales(db, wanted)
}

function addMinute(token: TokenSeries, row: MinuteRow): void {
  let pool = token.pools.get(row.pool_id)
  const dex = row.dex as DexId
  if (pool === undefined) {
    pool = { poolId: row.pool_id, pair: row.pair_address, dex, minutes: new PoolMinutes() }
    token.pools.set(row.pool_id, pool)
  }
  pool.dex = dex
  pool.minutes.push({
    minute: row.minute,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    volume: exactOf(row.volume_lamports),
    trades: row.trade_count,
  })
}

function addBuyers(buckets: BuyerBuckets, row: BuyerRow): void {
  buckets.push(row.at, row.buyers, row.buyers_below)
}
