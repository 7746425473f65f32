/**
 * Metrics of a token in each window, from its time series. Pure. Windows end with `endMinute`, included. Sets of
 * windows are bit masks of their indexes in WIDTHS.
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
import { type Lamports, less, plus } from '../lamports.ts'
import { distinct } from './distinct-traders.ts'
import type { Traded } from './pool-minutes.ts'
import { trendingParts, trendingScore } from './score.ts'
import { buyersOf, type PoolTrack, type TokenTrack, TRACK_MINUTES } from './token-series.ts'

/** Minutes of the windows, by TREND_WINDOWS: ascending. */
export const WIDTHS: readonly number[] = TREND_WINDOWS.map((window) => WINDOW_MINUTES[window])

/** Indexes of the windows of movers, in the order of MOVER_TIMEFRAMES. */
export const MOVER_WIDTH_INDEXES: readonly number[] = MOVER_TIMEFRAMES.map((timeframe) =>
  TREND_WINDOWS.indexOf(timeframe),
)

/** Trades that a mover has at least. */
const MOVER_TRADES_MIN = 2

/** Minutes of a pool that are all looked at; of more, those are that count. */
const FEW_MINUTES = 128

/** Those of the windows and of all that lies before them with them: ascending. */
const LEFT_WIDTHS: readonly number[] = [
  ...new Set(WIDTHS.flatMap((width) => [width, 2 * width])),
].sort((a, b) => a - b)

/** All windows. */
export const ALL_WIDTH_BITS = 2 ** WIDTHS.length - 1

/** A pool's candle of a window. */
export type PoolWindow = Traded & { pair: string; dex: DexId }

/** A token that moved, on a venue or on all. */
export type Move = { dex: DexId | typeof EVERY_VENUE; changePct: number }

export type WindowFigures = {
  volume: Lamports
  /** Percent; null without a priced trade. */
  changePct: number | null
  isRugged: boolean
  parts: TrendingParts
  score: number
  /** Those that traded. */
  pools: readonly PoolWindow[]
  /** The one venue of all these pools; absent: there are several. */
  venue: DexId | undefined
}

/** By WIDTHS; undefined where the token did not trade. */
export type TokenFigures = readonly (WindowFigures | undefined)[]

/** Windows at other places than `widthBits` are as they were before. */
export function figuresOf(
  track: TokenTrack,
  endMinute: number,
  before: TokenFigures = [],
  widthBits: number = ALL_WIDTH_BITS,
): TokenFigures {
  const pools: PoolWindow[][] = WIDTHS.map(() => [])
  const doubled: Lamports[] = WIDTHS.map(() => 0)
  const widthCount = 32 - Math.clz32(widthBits)
  for (const pool of track.pools.values()) foldPool(pool, endMinute, widthCount, pools, doubled)
  return WIDTHS.map((width, index) => {
    if ((widthBits & (1 << index)) === 0) return before[index]
    const counted = pools[index]!
    if (counted.length === 0) return undefined
    return windowFigures(track, endMinute, width, counted, doubled[index]!)
  })
}

/**
 * Adds a pool to those of the first `widthCount` windows in which it traded, and to the volumes of windows of
 * twice the width.
 */
function foldPool(
  { pair, dex, minutes }: PoolTrack,
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

function windowFigures(
  track: TokenTrack,
  endMinute: number,
  minutes: number,
  pools: readonly PoolWindow[],
  doubledVolume: Lamports,
): WindowFigures {
  const [from, to] = [endMinute - minutes + 1, endMinute + 1]
  const volume = volumeOf(pools)
  const top = topOf(pools)
  const parts = trendingParts({
    minutes,
    volumeLamports: volume,
    volumeBefore: less(doubledVolume, volume),
    buyers: distinct(buyersOf(track, from, to)),
    buyersBefore: distinct(buyersOf(track, from - minutes, from)),
    isNew: track.firstMs >= from * MINUTE_MS,
    creatorSoldLamports: creatorSold(track, from, to),
    holders: holdersOf(track, from),
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

/** The pool of the largest volume among those with a priced trade; ties: more trades, the lower pair. */
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

/** The token on all venues and on each by itself, where it moved. */
export function movesOf({ pools, venue }: WindowFigures): Move[] {
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

/** The pool that a mover's prices are of; undefined of a token that is none. */
function moverTop(pools: readonly PoolWindow[]): PoolWindow | undefined {
  const top = topOf(pools)
  if (top === undefined || tradesOf(pools) < MOVER_TRADES_MIN) return undefined
  return changeOf(top) === 0 ? undefined : top
}

/** Figures of the window on a venue or on all, in the order of MOVER_FIGURES; undefined where it did not move. */
export function moverFigures(
  { pools, venue }: WindowFigures,
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

function creatorSold({ creatorSales }: TokenTrack, from: number, to: number): Lamports {
  let sum: Lamports = 0
  for (const { minute, lamports } of creatorSales) {
    if (minute >= from && minute < to) sum = plus(sum, lamports)
  }
  return sum
}

/** Holders when the window began: those of now less the net change since. */
function holdersOf({ holding }: TokenTrack, from: number) {
  if (holding === undefined) return undefined
  const { now, top10Share, changes } = holding
  let atStart = now
  for (let at = 0; at < changes.length; at += 2) {
    if (changes[at]! >= from) atStart -= changes[at + 1]!
  }
  return { now, atStart, top10Share }
}

/** Minutes that enter or leave a window, or the one before it: `widthBitsAt[minute - from]`, the windows. */
export type Edges = { minutes: readonly number[]; from: number; widthBitsAt: Uint8Array }

/** Those of when `endMinute` moves on. */
export function edgesBetween(endMinute: number, nextMinute: number): Edges {
  const from = endMinute - TRACK_MINUTES
  const widthBitsAt = new Uint8Array(nextMinute - from + 1)
  for (let step = 1; step <= nextMinute - endMinute; step++) {
    // Swaps ahead of the wall clock are held here before windows reach them.
    widthBitsAt[endMinute + step - from] = ALL_WIDTH_BITS
    for (const [index, width] of WIDTHS.entries()) {
      widthBitsAt[endMinute - width + step - from]! |= 1 << index
      widthBitsAt[endMinute - 2 * width + step - from]! |= 1 << index
    }
  }
  const minutes = [...widthBitsAt.keys()]
    .filter((at) => widthBitsAt[at] !== 0)
    .map((at) => from + at)
  return { minutes, from, widthBitsAt }
}

/**
 * Windows whose figures may change with these edges: there is a minute with swaps, or buyers are estimated, whose
 * estimate by hours differs from that by minutes.
 */
export function movedWidthBits(
  track: TokenTrack,
  { minutes: edges, from, widthBitsAt }: Edges,
): number {
  const { buyerHours, holding } = track
  if (!buyerHours.areExact) return ALL_WIDTH_BITS
  let widthBits = 0
  const at = (minute: number): number => widthBitsAt[minute - from] ?? 0
  for (const { minutes } of track.pools.values()) {
    const { count } = minutes
    if (count <= FEW_MINUTES) {
      for (let index = 0; index < count; index++) widthBits |= at(minutes.minuteAt(index))
      continue
    }
    for (const edge of edges) {
      const index = minutes.offsetOf(edge)
      if (index < count && minutes.minuteAt(index) === edge) widthBits |= at(edge)
    }
  }
  const changes = holding?.changes ?? []
  for (let change = 0; change < changes.length; change += 2) widthBits |= at(changes[change]!)
  return widthBits
}

/**
 * The first end of windows at which edges move figures, unless something happens before; at once where that is costly
 * to determine, and where the token has no windows left.
 */
export function nextMove({ buyerHours, holding, pools }: TokenTrack, endMinute: number): number {
  let next = Number.POSITIVE_INFINITY
  if (!buyerHours.areExact) return endMinute + 1
  for (const { minutes } of pools.values()) {
    const { count } = minutes
    if (count > FEW_MINUTES) return endMinute + 1
    for (let index = 0; index < count; index++) {
      next = Math.min(next, nextPassing(minutes.minuteAt(index), endMinute))
    }
  }
  const changes = holding?.changes ?? []
  for (let change = 0; change < changes.length; change += 2) {
    next = Math.min(next, nextPassing(changes[change]!, endMinute))
  }
  return next === Number.POSITIVE_INFINITY ? endMinute + 1 : next
}

/** At which end the minute enters all windows, or leaves another, or another that lies before one. */
function nextPassing(minute: number, endMinute: number): number {
  if (minute > endMinute) return minute
  for (const width of LEFT_WIDTHS) if (minute + width > endMinute) return minute + width
  return Number.POSITIVE_INFINITY
}
