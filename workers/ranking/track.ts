/**
 * A token as the board remembers it: what its pools did and who bought, minute by minute over two days
 * (a window of a day and the one before it). Pure.
 *
 * Law: a track is what the tables say. What may have changed of it is taken out from a minute on and put
 * in again as it is read.
 */
import type { DexId } from '../../streams/venue.ts'

/** Minutes that a track reaches back: twice the longest window, and the hour that its edge cuts. */
export const TRACK_MINUTES = 2 * 1_440 + 60

/** Exact: a number while it is safe. */
export type Lamports = number | bigint

export type PoolMinute = {
  minute: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume: Lamports
  trades: number
}

/** `minutes`: with a trade, ascending. */
export type PoolTrack = { poolId: number; pair: string; dex: DexId; minutes: PoolMinute[] }

/** Buyers of a minute or an hour: mixed wallets, all of them or those below a bound. */
export type BuyerBucket = { at: number; wallets: readonly number[]; below: number | null }

/** Net change of holders in a minute, or what the creator sold in it. */
export type HolderChange = { minute: number; net: number }
export type CreatorSale = { minute: number; lamports: Lamports }

/** By the ledger; changes of the last day, in no order. */
export type Holding = { now: number; top10Share: number; changes: readonly HolderChange[] }

export type TokenTrack = {
  readonly tokenId: number
  readonly mint: string
  sector: string | null
  creatorId: number | null
  firstMs: number
  readonly pools: Map<number, PoolTrack>
  buyerMinutes: BuyerBucket[]
  buyerHours: BuyerBucket[]
  creatorSales: CreatorSale[]
  holding: Holding | undefined
}

export function plus(a: Lamports, b: Lamports): Lamports {
  if (typeof a === 'number' && typeof b === 'number') {
    const near = a + b
    if (Number.isSafeInteger(near)) return near
  }
  return BigInt(a) + BigInt(b)
}

/** `a` is the sum of `b` and others. */
export function less(a: Lamports, b: Lamports): Lamports {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const exact = BigInt(a) - BigInt(b)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

/** Takes out all that happened from a minute on: it is read again. Hours go from the one that holds it. */
export function cutFrom(track: TokenTrack, minute: number): void {
  for (const pool of track.pools.values()) {
    pool.minutes.length = firstAt(pool.minutes, (each) => each.minute, minute)
  }
  track.buyerMinutes.length = firstAt(track.buyerMinutes, atOf, minute)
  track.buyerHours.length = firstAt(track.buyerHours, atOf, Math.floor(minute / 60))
  track.creatorSales = track.creatorSales.filter((sale) => sale.minute < minute)
}

/** Lets go of what no window reaches; whether anything of the last day is left. */
export function forget(track: TokenTrack, endMinute: number): boolean {
  const from = endMinute - TRACK_MINUTES
  let newest = 0
  for (const [poolId, pool] of track.pools) {
    dropFirst(
      pool.minutes,
      firstAt(pool.minutes, (each) => each.minute, from),
    )
    newest = Math.max(newest, pool.minutes.at(-1)?.minute ?? 0)
    if (pool.minutes.length === 0) track.pools.delete(poolId)
  }
  dropFirst(track.buyerMinutes, firstAt(track.buyerMinutes, atOf, from))
  dropFirst(track.buyerHours, firstAt(track.buyerHours, atOf, Math.floor(from / 60)))
  if (track.creatorSales.length > 0) {
    track.creatorSales = track.creatorSales.filter((sale) => sale.minute >= from)
  }
  return newest > endMinute - 1_440
}

/** Nothing is made where nothing goes, which is so of most tokens. */
function dropFirst(list: unknown[], count: number): void {
  if (count > 0) list.splice(0, count)
}

const atOf = ({ at }: BuyerBucket): number => at

/** The first place of an ascending list whose key is `key` or more. */
export function firstAt<Each>(
  list: readonly Each[],
  keyOf: (each: Each) => number,
  key: number,
): number {
  let from = 0
  let to = list.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (keyOf(list[middle]!) < key) from = middle + 1
    else to = middle
  }
  return from
}

/** Distinct buyers of minutes `from` to before `to`: whole hours are read as hours, as in SQL. */
export function bucketsOf(track: TokenTrack, from: number, to: number): BuyerBucket[] {
  const hourFrom = Math.ceil(from / 60)
  const hourTo = Math.max(hourFrom, Math.floor(to / 60))
  const minutes = (first: number, end: number) =>
    track.buyerMinutes.slice(
      firstAt(track.buyerMinutes, atOf, first),
      firstAt(track.buyerMinutes, atOf, end),
    )
  if (hourFrom === hourTo) return minutes(from, to)
  const hours = track.buyerHours.slice(
    firstAt(track.buyerHours, atOf, hourFrom),
    firstAt(track.buyerHours, atOf, hourTo),
  )
  return [...minutes(from, hourFrom * 60), ...hours, ...minutes(hourTo * 60, to)]
}
