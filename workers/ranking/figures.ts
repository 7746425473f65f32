/** What a token did in each window, from its track: pure. Windows end with `endMinute`, included. */
import {
  TREND_WINDOWS,
  type TrendingParts,
  venueBit,
  WINDOW_MINUTES,
} from '../../streams/ranking.ts'
import type { DexId } from '../../streams/venue.ts'
import { trendingParts, trendingScore } from './score.ts'
import {
  type BuyerBucket,
  bucketsOf,
  firstAt,
  type Lamports,
  less,
  type PoolTrack,
  plus,
  type TokenTrack,
} from './track.ts'
import { estimated } from './traders.ts'

/** Minutes of the windows, by TREND_WINDOWS: ascending. */
export const WIDTHS: readonly number[] = TREND_WINDOWS.map((window) => WINDOW_MINUTES[window])

/** A token is rugged when its price fell to this share in the window, or below. */
const RUGGED_SHARE = 0.1
/** Trades that a mover has at least. */
const MOVER_TRADES_MIN = 2

/** Wallets that are compared one with another. */
const FEW = 24

/** A pool's candle of a window; prices null without a priced trade. */
type PoolWindow = {
  pair: string
  dex: DexId
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume: Lamports
  trades: number
}

/** `dex` 0: all venues. Prices of the pool with the largest volume among those counted. */
export type Mover = {
  mint: string
  dex: DexId | 0
  venues: number
  changePct: number
  open: number
  close: number
  high: number
  low: number
  volume: Lamports
  trades: number
  /** Its entry in a page, once that was written: most tokens stand in the next page as they are. */
  written?: string
}

export type WindowFigures = {
  volume: Lamports
  /** Percent; null without a priced trade. */
  changePct: number | null
  isRugged: boolean
  parts: TrendingParts
  score: number
  movers: Mover[]
}

/** By WIDTHS; undefined where the token did not trade. */
export type TokenFigures = readonly (WindowFigures | undefined)[]

export function figuresOf(track: TokenTrack, endMinute: number): TokenFigures {
  const pools: PoolWindow[][] = WIDTHS.map(() => [])
  const doubled: Lamports[] = WIDTHS.map(() => 0)
  for (const pool of track.pools.values()) foldPool(pool, endMinute, pools, doubled)
  return WIDTHS.map((width, index) => {
    const counted = pools[index]!
    if (counted.length === 0) return undefined
    return windowFigures(track, endMinute, width, counted, doubled[index]!)
  })
}

/** Adds a pool to the windows in which it traded, and to the volumes of windows of twice the width. */
function foldPool(
  { pair, dex, minutes }: PoolTrack,
  endMinute: number,
  pools: PoolWindow[][],
  doubled: Lamports[],
): void {
  const run: PoolWindow = {
    pair,
    dex,
    open: null,
    high: null,
    low: null,
    close: null,
    volume: 0,
    trades: 0,
  }
  let [single, double] = [0, 0]
  const settle = (minute: number): void => {
    for (; single < WIDTHS.length && minute <= endMinute - WIDTHS[single]!; single++) {
      if (run.trades > 0) pools[single]!.push({ ...run })
    }
    for (; double < WIDTHS.length && minute <= endMinute - 2 * WIDTHS[double]!; double++) {
      doubled[double] = plus(doubled[double]!, run.volume)
    }
  }
  for (let index = minutes.length - 1; index >= 0 && double < WIDTHS.length; index--) {
    const each = minutes[index]!
    if (each.minute > endMinute) continue
    settle(each.minute)
    run.volume = plus(run.volume, each.volume)
    run.trades += each.trades
    if (each.open === null) continue
    run.open = each.open
    run.close ??= each.close
    run.high = Math.max(run.high ?? each.high!, each.high!)
    run.low = Math.min(run.low ?? each.low!, each.low!)
  }
  settle(Number.NEGATIVE_INFINITY)
}

function windowFigures(
  track: TokenTrack,
  endMinute: number,
  minutes: number,
  pools: readonly PoolWindow[],
  doubledVolume: Lamports,
): WindowFigures {
  const [from, to] = [endMinute - minutes + 1, endMinute + 1]
  const volume = pools.reduce((sum: Lamports, pool) => plus(sum, pool.volume), 0)
  const top = topOf(pools)
  const parts = trendingParts({
    minutes,
    volumeLamports: volume,
    volumeBefore: less(doubledVolume, volume),
    buyers: distinct(bucketsOf(track, from, to)),
    buyersBefore: distinct(bucketsOf(track, from - minutes, from)),
    isNew: track.firstMs >= from * 60_000,
    creatorSoldLamports: creatorSold(track, from, to),
    holders: holdersOf(track, from),
  })
  const changePct = top === undefined ? null : changeOf(top)
  return {
    volume,
    changePct,
    isRugged: top !== undefined && top.close! <= RUGGED_SHARE * top.open!,
    parts,
    score: trendingScore(parts),
    movers: moversOf(track.mint, pools),
  }
}

const changeOf = ({ open, close }: PoolWindow): number => ((close! - open!) / open!) * 100

/** Of those with a priced trade the one with the largest volume; ties: more trades, the lower pair. */
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
function moversOf(mint: string, pools: readonly PoolWindow[]): Mover[] {
  const movers = moverOf(mint, 0, pools)
  const venues = new Set(pools.map(({ dex }) => dex))
  for (const dex of venues) {
    const own = venues.size === 1 ? pools : pools.filter((pool) => pool.dex === dex)
    movers.push(...moverOf(mint, dex, own))
  }
  return movers
}

function moverOf(mint: string, dex: DexId | 0, pools: readonly PoolWindow[]): Mover[] {
  const trades = pools.reduce((sum, pool) => sum + pool.trades, 0)
  const top = topOf(pools)
  if (trades < MOVER_TRADES_MIN || top === undefined) return []
  const changePct = changeOf(top)
  if (changePct === 0) return []
  return [
    {
      mint,
      dex,
      venues: pools.reduce((bits, pool) => bits | venueBit(pool.dex), 0),
      changePct,
      open: top.open!,
      close: top.close!,
      high: top.high!,
      low: top.low!,
      volume: pools.reduce((sum: Lamports, pool) => plus(sum, pool.volume), 0),
      trades,
    },
  ]
}

/** How many wallets the buckets have together. */
export function distinct(buckets: readonly BuyerBucket[]): number {
  let below: number | undefined
  for (const bucket of buckets) {
    if (bucket.below !== null && (below === undefined || bucket.below < below)) below = bucket.below
  }
  const [only] = buckets
  if (only === undefined) return 0
  if (buckets.length === 1) return estimated(only.wallets.length, below)
  if (buckets.reduce((sum, { wallets: own }) => sum + own.length, 0) <= FEW) {
    return estimated(distinctOfFew(buckets, below), below)
  }
  const wallets = new Set<number>()
  for (const bucket of buckets) {
    for (const wallet of bucket.wallets) {
      if (below === undefined || wallet < below) wallets.add(wallet)
    }
  }
  return estimated(wallets.size, below)
}

/** A set costs more than it spares here. */
function distinctOfFew(buckets: readonly BuyerBucket[], below: number | undefined): number {
  const seen: number[] = []
  for (const bucket of buckets) {
    for (const wallet of bucket.wallets) {
      if ((below === undefined || wallet < below) && !seen.includes(wallet)) seen.push(wallet)
    }
  }
  return seen.length
}

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
  let atStart = holding.now
  for (const { minute, net } of holding.changes) if (minute >= from) atStart -= net
  return { now: holding.now, atStart, top10Share: holding.top10Share }
}

/** Minutes that leave a window, or the one before it, when `endMinute` moves on. */
export function edgesBetween(endMinute: number, nextMinute: number): number[] {
  const edges = new Set<number>()
  for (let step = 1; step <= nextMinute - endMinute; step++) {
    for (const width of WIDTHS) {
      edges.add(endMinute - width + step)
      edges.add(endMinute - 2 * width + step)
    }
  }
  return [...edges]
}

/**
 * Whether figures may change with one of these minutes: something stands there, or buyers are estimated,
 * which by hours comes out otherwise than by minutes.
 */
export function isMoved(track: TokenTrack, edges: readonly number[]): boolean {
  const { buyerHours, holding } = track
  if (buyerHours.some(({ below }) => below !== null)) return true
  for (const { minutes } of track.pools.values()) {
    for (const edge of edges) {
      const at = firstAt(minutes, (each) => each.minute, edge)
      if (minutes[at]?.minute === edge) return true
    }
  }
  return holding?.changes.some(({ minute }) => edges.includes(minute)) ?? false
}
