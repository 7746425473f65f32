/**
 * The series of a token: volumes of its pools and its buyers, minute by minute over two days (a window of a day and the
 * one before it). Pure.
 *
 * Invariant: a series equals the tables. The part that may have changed is taken out from a minute on and read again.
 */
import { DAY_MINUTES, HOUR_MINUTES } from '../../../domain/time/time-bucket.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Lamports } from '../lamports.ts'
import type { BuyerBuckets, BuyerRun } from './buyer-buckets.ts'
import type { PoolMinutes } from './pool-minutes.ts'

/** Minutes that a track reaches back: twice the longest window, and the hour that its edge cuts. */
export const TRACK_MINUTES = 2 * DAY_MINUTES + HOUR_MINUTES

export type PoolTrack = {
  readonly poolId: number
  readonly pair: string
  dex: DexId
  readonly minutes: PoolMinutes
}

/** A minute, then the net change of holders in it, then the next: in no order. */
export type HolderChanges = ArrayLike<number>
/** Sales of the creator in a minute. */
export type CreatorSale = { minute: number; lamports: Lamports }

/** By the ledger; changes of the last day. */
export type Holding = { now: number; top10Share: number; changes: HolderChanges }

export type TokenTrack = {
  readonly tokenId: number
  readonly mint: string
  sector: string | null
  creatorId: number | null
  firstMs: number
  readonly pools: Map<number, PoolTrack>
  readonly buyerMinutes: BuyerBuckets
  readonly buyerHours: BuyerBuckets
  creatorSales: CreatorSale[]
  holding: Holding | undefined
}

/** Takes out all that happened from a minute on: it is read again. Hours go from the one that holds it. */
export function cutFrom(track: TokenTrack, minute: number): void {
  for (const { minutes } of track.pools.values()) minutes.cutFrom(minute)
  track.buyerMinutes.cutFrom(minute)
  track.buyerHours.cutFrom(Math.floor(minute / HOUR_MINUTES))
  if (track.creatorSales.length > 0) {
    track.creatorSales = track.creatorSales.filter((sale) => sale.minute < minute)
  }
}

/** Drops what no window reaches; whether anything of the last day is left. */
export function forget(track: TokenTrack, endMinute: number): boolean {
  const from = endMinute - TRACK_MINUTES
  let newest = 0
  for (const [poolId, { minutes }] of track.pools) {
    minutes.dropBefore(from)
    if (minutes.count === 0) track.pools.delete(poolId)
    else newest = Math.max(newest, minutes.minuteAt(minutes.count - 1))
  }
  track.buyerMinutes.dropBefore(from)
  track.buyerHours.dropBefore(Math.floor(from / HOUR_MINUTES))
  if (track.creatorSales.length > 0) {
    track.creatorSales = track.creatorSales.filter((sale) => sale.minute >= from)
  }
  return newest > endMinute - DAY_MINUTES
}

/** Buyers of minutes `from` to before `to`: whole hours are read as hours, as in SQL. */
export function buyersOf(track: TokenTrack, from: number, to: number): BuyerRun[] {
  const { buyerMinutes, buyerHours } = track
  const hourFrom = Math.ceil(from / HOUR_MINUTES)
  const hourTo = Math.max(hourFrom, Math.floor(to / HOUR_MINUTES))
  if (hourFrom === hourTo) return [buyerMinutes.runOf(from, to)]
  return [
    buyerMinutes.runOf(from, hourFrom * 60),
    buyerHours.runOf(hourFrom, hourTo),
    buyerMinutes.runOf(hourTo * 60, to),
  ]
}
