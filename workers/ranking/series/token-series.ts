/**
 * The time series of a token, from which all of its windows are computed: its pools and its buyers minute by minute, sales
 * of its creator, and its holders, over two days (the window of a day and the one before it). Pure.
 *
 * Invariant: a series equals the tables. It is never updated in place: where a minute may have changed, the series is
 * truncated from that minute on and read again.
 */
import { DAY_MINUTES, HOUR_MINUTES } from '../../../domain/time/time-bucket.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Lamports } from '../lamports.ts'
import type { BuyerBuckets, BuyerSlice } from './buyer-buckets.ts'
import type { PoolMinutes } from './pool-minutes.ts'

/** Length of a series in minutes: twice the longest window, and the hour in which its edge lies. */
export const SERIES_MINUTES = 2 * DAY_MINUTES + HOUR_MINUTES

export type PoolSeries = {
  readonly poolId: number
  readonly pair: string
  dex: DexId
  readonly minutes: PoolMinutes
}

/** Pairs of a minute and the net change of holders in it, flattened, in no order. */
export type HolderChanges = ArrayLike<number>
/** Sales of the creator in one minute, with their proceeds. */
type CreatorSale = { minute: number; lamports: Lamports }

/** Holders by the ledger: their number now, the share of the ten largest, and net changes of the last day. */
export type HolderStats = { now: number; top10Share: number; changes: HolderChanges }

export type TokenSeries = {
  readonly tokenId: number
  readonly mint: string
  sector: string | null
  creatorId: number | null
  firstMs: number
  readonly pools: Map<number, PoolSeries>
  readonly buyerMinutes: BuyerBuckets
  readonly buyerHours: BuyerBuckets
  creatorSales: CreatorSale[]
  holderStats: HolderStats | undefined
}

/** Removes the minutes from `minute` on, and the hours from the one that includes it on, so that they are read again. */
export function truncateFrom(token: TokenSeries, minute: number): void {
  for (const { minutes } of token.pools.values()) minutes.truncateFrom(minute)
  token.buyerMinutes.truncateFrom(minute)
  token.buyerHours.truncateFrom(Math.floor(minute / HOUR_MINUTES))
  if (token.creatorSales.length > 0) {
    token.creatorSales = token.creatorSales.filter((sale) => sale.minute < minute)
  }
}

/** Removes minutes that no window reaches any longer; returns whether the token traded in the last day. */
export function dropExpired(token: TokenSeries, endMinute: number): boolean {
  const from = endMinute - SERIES_MINUTES
  let newest = 0
  for (const [poolId, { minutes }] of token.pools) {
    minutes.dropBefore(from)
    if (minutes.count === 0) token.pools.delete(poolId)
    else newest = Math.max(newest, minutes.minuteAt(minutes.count - 1))
  }
  token.buyerMinutes.dropBefore(from)
  token.buyerHours.dropBefore(Math.floor(from / HOUR_MINUTES))
  if (token.creatorSales.length > 0) {
    token.creatorSales = token.creatorSales.filter((sale) => sale.minute >= from)
  }
  return newest > endMinute - DAY_MINUTES
}

/** Buyers of minutes `from` to before `to`; whole hours are taken from the hourly buckets, as token_traders.sql does. */
export function buyersOf(token: TokenSeries, from: number, to: number): BuyerSlice[] {
  const { buyerMinutes, buyerHours } = token
  const hourFrom = Math.ceil(from / HOUR_MINUTES)
  const hourTo = Math.max(hourFrom, Math.floor(to / HOUR_MINUTES))
  if (hourFrom === hourTo) return [buyerMinutes.sliceOf(from, to)]
  return [
    buyerMinutes.sliceOf(from, hourFrom * 60),
    buyerHours.sliceOf(hourFrom, hourTo),
    buyerMinutes.sliceOf(hourTo * 60, to),
  ]
}
