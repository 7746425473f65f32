/**
 * Rankings of tokens: their windows, how many ranks are served, and the stored figures of a token. Pure.
 *
 * Workers compute rankings and the API serves them, so their common definitions are here. SOL figures are lamports
 * divided once.
 */
import { WINDOW_NAMES, type WindowName } from './time/trade-window.ts'
import { type DexId, VENUES } from './venue.ts'

/**
 * Version of the formulas of stored rankings, stored with each snapshot: readers serve snapshots of their own version
 * only, and the ranking actor replaces any other in its first refresh. Raise it when the same swaps give another stored
 * figure or another order: by a change of the score, of a part of it, of isRugged, of the pool or the trades that make a
 * mover, or of the figures of a window and their order (TREND_FIGURES, MOVER_FIGURES). A window that is added or removed
 * needs no other version: stored figures name their windows.
 */
export const FORMULA_VERSION = 1

/** Trending tokens are ranked in every window. */
export const TREND_WINDOWS = WINDOW_NAMES
export type TrendWindow = WindowName

/** Tokens of a trending page: the greatest offset and the greatest limit. */
export const TRENDING_STORED = 400
/** Tokens of one side of the movers. */
export const MOVERS_STORED = 500

/** A token is rugged when its price fell to a tenth in the window, or below. */
const RUGGED_FALL = 10
/**
 * A price is a quotient of int64 legs times a power of ten, so that the double is up to 1.5 ulps off, and two prices of
 * which one is exactly a tenth of the other may miss that by four. Twice as many count as none.
 */
const RUGGED_SLACK = 8 * Number.EPSILON

/** Whether a fall from `open` to `close` is one of 90 % or more, whatever the digits of the two. */
export function isRugged(open: number, close: number): boolean {
  return RUGGED_FALL * close <= open * (1 + RUGGED_SLACK)
}

/** Components of a score; the last two may be unknown. */
export type TrendingParts = readonly [
  volVelocity: number,
  uniqueBuyers: number,
  volAcceleration: number,
  buyerAcceleration: number,
  devSellPenalty: number,
  holderGrowth: number | null,
  top10Penalty: number | null,
]

/** Stored figures of a window of a trending token: score, volume in SOL, the parts. */
export const TREND_FIGURES = 9
/** Figures of a mover: venues, change in percent, open, close, high, low, volume in SOL, trades. */
export const MOVER_FIGURES = 8

/** Instead of a venue's `dex`: movers on all of them together. */
export const EVERY_VENUE = 0

/** Names of the venues of a mover, bit `dex`, in venue order. */
export function venueNames(venues: number): string[] {
  return VENUES.filter(({ dex }) => (venues & venueBit(dex)) !== 0).map(({ name }) => name)
}

export const venueBit = (dex: DexId): number => 1 << dex
