/**
 * Metrics of a token in each trailing window, from its time series. Pure.
 *
 * All windows end with `endMinute`, included. As it advances, minutes enter and leave windows at their edges, and only the
 * windows at whose edges the token traded need new metrics. A set of windows is a bit mask of their indexes in WIDTHS.
 */
import { lamportsToSol } from '../../../domain/amount.ts'
import {
  EVERY_VENUE,
  isRugged,
  TREND_WINDOWS,
  type TrendingParts,
  venueBit,
} from '../../../domain/ranking.ts'
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { MOVER_TIMEFRAMES, WINDOW_MINUTES } from '../../../domain/time/trade-window.ts'
import type { DexId } from '../../../domain/venue.ts'
import { type Lamports, minus, plus } from '../lamports.ts'
import { distinct } from './distinct-traders.ts'
import type { Ohlcv } from './pool-minutes.ts'
import { trendingParts, trendingScore } from './score.ts'
import { buyersOf, type PoolSeries, SERIES_MINUTES, type TokenSeries } from './token-series.ts'

/** Widths of the windows in minutes, in the order of TREND_WINDOWS: ascending. */
export const WIDTHS: readonly number[] = TREND_WINDOWS.map((window) => WINDOW_MINUTES[window])

/** Indexes of the windows of movers, in the order of MOVER_TIMEFRAMES. */
export const MOVER_WIDTH_INDEXES: readonly number[] = MOVER_TIMEFRAMES.map((timeframe) =>
  TREND_WINDOWS.indexOf(timeframe),
)

/** Fewest trades of a mover in a window. */
const MOVER_TRADES_MIN = 2

/** Up to so many minutes, a scan of a pool's series is cheaper than a search for each edge. */
const FEW_MINUTES = 128

/** After how many minutes a minute leaves a window, or the preceding window of the same width: ascending. */
const CROSSING_WIDTHS: readonly number[] = [
  ...new Set(WIDTHS.flatMap((width) => [width, 2 * width])),
].sort((a, b) => a - b)

/** The set of all windows. */
export const ALL_WINDOW_BITS = 2 ** WIDTHS.length - 1

/** The candle of a pool in a window. */
export type PoolWindow = Ohlcv & { pair: string; dex: DexId }

/** The price change of a token in a window, on a venue or on all. */
export type Move = { dex: DexId | typeof EVERY_VENUE; changePct: number }

export type WindowMetrics = {
  volume: Lamports
  /** Percent; null without a priced trade. */
  changePct: number | null
  isRugged: boolean
  parts: TrendingParts
  score: number
  /** The pools that traded in the window. */
  pools: readonly PoolWindow[]
  /** The venue of these pools; undefined where there are several. */
  venue: DexId | undefined
}

/** In the order of WIDTHS; undefined for a window in which the token did not trade. */
export type TokenMetrics = readonly (WindowMetrics | undefined)[]

/** Computes the metrics of the windows in `windowBits`; those of the others are taken from `before`. */
export function metricsOf(
  token: TokenSeries,
  endMinute: number,
  before: TokenMetrics = [],
  windowBits: number = ALL_WINDOW_BITS,
): TokenMetrics {
  const pools: PoolWindow[][] = WIDTHS.map(() => [])
  const doubled: Lamports[] = WIDTHS.map(() => 0)
  const widthCount = 32 - Math.clz32(windowBits)
  for (const pool of token.pools.values()) addPool(pool, endMinute, widthCount, pools, doubled)
  return WIDTHS.map((width, index) => {
    if ((windowBits & (1 << index)) === 0) return before[index]
    const counted = pools[index]!
    if (counted.length === 0) return undefined
    return windowMetrics(token, endMinute, width, counted, doubled[index]!)
  })
}

/**
 * Adds a pool's candle to each of the first `widthCount` windows in which it traded (`pools`), and its volume to each
 * window of twice the width (`doubled`), in one pass from the newest minute back.
 */
function addPool(
  { pair, dex, minutes }: PoolSeries,
  endMinute: number,
  widthCount: number,
  pools: PoolWindow[][],
  doubled: Lamports[],
): void {
  let [single, double, trades] = [0, 0, 0]
  let volume: Lamports = 0
  let [open, high, low, close] = [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 0]
  for (let index = minutes.count - 1; double < widthCount; index--) {
    const minute = index < 0 ? Number.NEGATIVE_INFINITY : minutes.minuteAt(index)
    if (minute > endMinute) continue
    for (; single < widthCount && minute <= endMinute - WIDTHS[single]!; single++) {
      if (trades === 0) continue
      pools[single]!.push(
        Number.isNaN(open)
          ? { pair, dex, open: null, high: null, low: null, close: null, volume, trades }
          : { pair, dex, open, high, low, close, volume, trades },
      )
    }
    for (; double < widthCount && minute <= endMinute - 2 * WIDTHS[double]!; double++) {
      doubled[double] = plus(doubled[double]!, volume)
    }
    if (index < 0) return
    volume = plus(volume, minutes.volumeAt(index))
    trades += minutes.tradesAt(index)
    const opened = minutes.openAt(index)
    if (Number.isNaN(opened)) continue
    if (Number.isNaN(open)) close = minutes.closeAt(index)
    open = opened
    high = Math.max(high, minutes.highAt(index))
    low = Math.min(low, minutes.lowAt(index))
  }
}

function windowMetrics(
  token: TokenSeries,
  endMinute: number,
  minutes: number,
  pools: readonly PoolWindow[],
  doubledVolume: Lamports,
): WindowMetrics {
  const [from, to] = [endMinute - minutes + 1, endMinute + 1]
  const volume = volumeOf(pools)
  const top = topOf(pools)
  const parts = trendingParts({
    minutes,
    volumeLamports: volume,
    volumeBefore: minus(doubledVolume, volume),
    buyers: distinct(buyersOf(token, from, to)),
    buyersBefore: distinct(buyersOf(token, from - minutes, from)),
    isNew: token.firstMs >= from * MINUTE_MS,
    creatorSoldLamports: creatorSold(token, from, to),
    holders: holdersOf(token, from),
  })
  const changePct = top === undefined ? null : changeOf(top)
  return {
    volume,
    changePct,
    isRugged: top !== undefined && isRugged(top.open!, top.close!),
    parts,
    score: trendingScore(parts),
    pools,
    venue: venueOf(pools),
  }
}

function venueOf([first, ...others]: readonly PoolWindow[]): DexId | undefined {
  return others.every(({ dex }) => dex === first!.dex) ? first!.dex : undefined
}

const changeOf = ({ open, close }: PoolWindow): number => ((close! - open!) / open!) * 100

/** The pool with the largest volume among those with a priced trade; ties: more trades, then the lower pair. */
function topOf(pools: readonly PoolWindow[]): PoolWindow | undefined {
  let top: PoolWindow | undefined
  for (const pool of pools) {
    if (pool.open !== null && (top === undefined || isAbove(pool, top))) top = pool
  }
  return top
}

function isAbove(a: PoolWindow, b: PoolWindow): boolean {
  if (a.volume !== b.volume) return a.volume > b.volume
  if (a.trades !== b.trades) return a.trades > b.trades
  return a.pair < b.pair
}

/** Price changes of the token on all venues together and on each, where it is a mover. */
export function movesOf({ pools, venue }: WindowMetrics): Move[] {
  if (venue !== undefined) {
    const move = moveOf(EVERY_VENUE, pools)
    return move === undefined ? [] : [move, { ...move, dex: venue }]
  }
  const venues = new Set(pools.map(({ dex }) => dex))
  const own = [...venues].map((dex) => moveOf(dex, poolsOn(pools, dex)))
  return [moveOf(EVERY_VENUE, pools), ...own].filter((move) => move !== undefined)
}

const poolsOn = (pools: readonly PoolWindow[], wanted: number): readonly PoolWindow[] =>
  pools.filter(({ dex }) => dex === wanted)

function moveOf(dex: Move['dex'], pools: readonly PoolWindow[]): Move | undefined {
  const top = moverTop(pools)
  return top === undefined ? undefined : { dex, changePct: changeOf(top) }
}

/** The pool whose prices a mover shows; undefined where the token is no mover. */
function moverTop(pools: readonly PoolWindow[]): PoolWindow | undefined {
  const top = topOf(pools)
  if (top === undefined || tradesOf(pools) < MOVER_TRADES_MIN) return undefined
  return changeOf(top) === 0 ? undefined : top
}

/** Stored figures of a mover on a venue or on all, in the order of MOVER_FIGURES; undefined where it is no mover. */
export function moverFigures(
  { pools, venue }: WindowMetrics,
  dex: number,
): readonly number[] | undefined {
  const own = dex === EVERY_VENUE || dex === venue ? pools : poolsOn(pools, dex)
  const top = moverTop(own)
  if (top === undefined) return undefined
  const { open, close, high, low } = top
  const venues = own.reduce((bits, each) => bits | venueBit(each.dex), 0)
  const volumeSol = lamportsToSol(volumeOf(own))
  return [venues, changeOf(top), open!, close!, high!, low!, volumeSol, tradesOf(own)]
}

const volumeOf = (pools: readonly PoolWindow[]): Lamports =>
  pools.reduce((sum: Lamports, { volume }) => plus(sum, volume), 0)

const tradesOf = (pools: readonly PoolWindow[]): number =>
  pools.reduce((sum, { trades }) => sum + trades, 0)

function creatorSold({ creatorSales }: TokenSeries, from: number, to: number): Lamports {
  let sum: Lamports = 0
  for (const { minute, lamports } of creatorSales) {
    if (minute >= from && minute < to) sum = plus(sum, lamports)
  }
  return sum
}

/** Holders now, and at the beginning of the window: those of now minus the net change since. */
function holdersOf({ holderStats }: TokenSeries, from: number) {
  if (holderStats === undefined) return undefined
  const { now, top10Share, changes } = holderStats
  let atStart = now
  for (let at = 0; at < changes.length; at += 2) {
    if (changes[at]! >= from) atStart -= changes[at + 1]!
  }
  return { now, atStart, top10Share }
}

/** Minutes that enter or leave a window, or the window before it; `windowBitsAt[minute - from]`: which windows. */
type Edges = { minutes: readonly number[]; from: number; windowBitsAt: Uint8Array }

/** The edges that are crossed when windows advance from `endMinute` to `nextMinute`. */
export function edgesBetween(endMinute: number, nextMinute: number): Edges {
  const from = endMinute - SERIES_MINUTES
  const windowBitsAt = new Uint8Array(nextMinute - from + 1)
  for (let step = 1; step <= nextMinute - endMinute; step++) {
    // Swaps ahead of the wall clock are in the series before a window reaches them.
    windowBitsAt[endMinute + step - from] = ALL_WINDOW_BITS
    for (const [index, width] of WIDTHS.entries()) {
      windowBitsAt[endMinute - width + step - from]! |= 1 << index
      windowBitsAt[endMinute - 2 * width + step - from]! |= 1 << index
    }
  }
  const minutes = [...windowBitsAt.keys()]
    .filter((at) => windowBitsAt[at] !== 0)
    .map((at) => from + at)
  return { minutes, from, windowBitsAt }
}

/**
 * Windows whose metrics may change as these edges are crossed: the token traded in a minute at the edge. Where its buyers
 * are estimated, all windows, because an estimate from hourly sketches differs from one from sketches of minutes.
 */
export function changedWindowBits(
  token: TokenSeries,
  { minutes: edges, from, windowBitsAt }: Edges,
): number {
  const { buyerHours, holderStats } = token
  if (!buyerHours.areExact) return ALL_WINDOW_BITS
  let windowBits = 0
  const at = (minute: number): number => windowBitsAt[minute - from] ?? 0
  for (const { minutes } of token.pools.values()) {
    const { count } = minutes
    if (count <= FEW_MINUTES) {
      for (let index = 0; index < count; index++) windowBits |= at(minutes.minuteAt(index))
      continue
    }
    for (const edge of edges) {
      const index = minutes.lowerBound(edge)
      if (index < count && minutes.minuteAt(index) === edge) windowBits |= at(edge)
    }
  }
  const changes = holderStats?.changes ?? []
  for (let change = 0; change < changes.length; change += 2) windowBits |= at(changes[change]!)
  return windowBits
}

/**
 * The end of windows at which an edge next changes the token's metrics, if it does not trade before. The next minute
 * where that is costly to determine, and where no window is left.
 */
export function nextChange(
  { buyerHours, holderStats, pools }: TokenSeries,
  endMinute: number,
): number {
  let next = Number.POSITIVE_INFINITY
  if (!buyerHours.areExact) return endMinute + 1
  for (const { minutes } of pools.values()) {
    const { count } = minutes
    if (count > FEW_MINUTES) return endMinute + 1
    for (let index = 0; index < count; index++) {
      next = Math.min(next, nextCrossing(minutes.minuteAt(index), endMinute))
    }
  }
  const changes = holderStats?.changes ?? []
  for (let change = 0; change < changes.length; change += 2) {
    next = Math.min(next, nextCrossing(changes[change]!, endMinute))
  }
  return next === Number.POSITIVE_INFINITY ? endMinute + 1 : next
}

/** The end of windows at which this minute next enters or leaves a window, or the window before one. */
function nextCrossing(minute: number, endMinute: number): number {
  if (minute > endMinute) return minute
  for (const width of CROSSING_WIDTHS) if (minute + width > endMinute) return minute + width
  return Number.POSITIVE_INFINITY
}
