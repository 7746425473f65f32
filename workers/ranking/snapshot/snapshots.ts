/**
 * Rankings of tokens, and the pages that are served of them: pure. A refresh inserts the tokens whose figures changed,
 * and of each order only the served part is maintained.
 */
import {
  EVERY_VENUE,
  MOVERS_STORED,
  TREND_WINDOWS,
  TRENDING_STORED,
} from '../../../domain/ranking.ts'
import { WINDOW_MINUTES } from '../../../domain/time/trade-window.ts'
import { VENUES } from '../../../domain/venue.ts'
import {
  MOVER_WIDTH_INDEXES,
  type Move,
  movesOf,
  type TokenMetrics,
  type WindowMetrics,
} from '../series/window-metrics.ts'
import { TopList } from './top-list.ts'

/** A token as the rankings have it: changed by `Rankings.put` alone. */
export type Ranked = {
  readonly tokenId: number
  readonly mint: string
  sector: string | null
  figures: TokenMetrics
}

/** `tokens`: in order. `sector` '': any. */
export type TrendingPage = {
  minutes: number
  hasRugged: boolean
  sector: string
  total: number
  tokens: readonly Ranked[]
}
/** `dex`: a venue or all. */
export type MoverPage = {
  minutes: number
  dex: number
  isGainer: boolean
  tokens: readonly Ranked[]
}

/** `changeIds`: words of changed tokens that are in these. */
export type Pages = {
  newestMs: number
  trending: TrendingPage[]
  movers: MoverPage[]
  changeIds: number[]
}

type TokenOrder = TopList<Ranked>

export class Rankings {
  private readonly trends = TREND_WINDOWS.map((_, widthIndex) => new Trends(widthIndex))
  private readonly movers = MOVER_WIDTH_INDEXES.map((widthIndex) => new Movers(widthIndex))
  private readonly all = [...this.trends, ...this.movers]

  /** Replaces the figures of a token; none: it is gone. With another sector all its figures change. */
  put(token: Ranked, sector: string | null, figures: TokenMetrics): void {
    const before = token.figures
    for (const ranking of this.all) {
      const window = before[ranking.widthIndex]
      if (window !== undefined && window !== figures[ranking.widthIndex])
        ranking.remove(token, window)
    }
    token.sector = sector
    token.figures = figures
    for (const ranking of this.all) {
      const window = figures[ranking.widthIndex]
      if (window !== undefined && window !== before[ranking.widthIndex]) ranking.add(token, window)
    }
  }

  /** As of now; `tokens`: all that were put in and are not gone. */
  pages(tokens: () => Iterable<Ranked>): { trending: TrendingPage[]; movers: MoverPage[] } {
    for (const trends of this.trends) fillShort(trends, tokens)
    for (const movers of this.movers) fillShort(movers, tokens)
    return {
      trending: this.trends.flatMap((trends) => trends.pages()),
      movers: this.movers.flatMap((movers) => movers.pages()),
    }
  }
}

/** Orders that are short of tokens have all of them come again. */
function fillShort(
  ranking: {
    readonly widthIndex: number
    orders(): Iterable<TokenOrder>
    fill(short: ReadonlySet<TokenOrder>, token: Ranked, window: WindowMetrics): void
  },
  tokens: () => Iterable<Ranked>,
): void {
  const short = new Set([...ranking.orders()].filter(({ isShort }) => isShort))
  if (short.size === 0) return
  for (const order of short) order.clear()
  for (const token of tokens()) {
    const window = token.figures[ranking.widthIndex]
    if (window !== undefined) ranking.fill(short, token, window)
  }
}

/** The greatest score first. */
const trendKey = ({ score }: WindowMetrics): number => -score

/** Tokens of a window and a sector: how many, and the first of them. */
type TrendOrder = { total: number; readonly order: TokenOrder }
/** Without those that are rugged, and with them. */
type SectorTrends = { readonly others: TrendOrder; readonly withRugged: TrendOrder }

const ANY_SECTOR = ''

/** All orders of the trends of a window. */
class Trends {
  readonly widthIndex: number
  private readonly all = sectorTrends()
  /** Rankings of the sectors that have tokens. */
  private readonly sectors = new Map([[ANY_SECTOR, this.all]])

  constructor(widthIndex: number) {
    this.widthIndex = widthIndex
  }

  *orders(): Iterable<TokenOrder> {
    for (const { others, withRugged } of this.sectors.values()) {
      yield others.order
      yield withRugged.order
    }
  }

  add(token: Ranked, window: WindowMetrics): void {
    for (const own of this.ordersOf(token, window)) {
      own.total += 1
      own.order.add(trendKey(window), token)
    }
  }

  remove(token: Ranked, window: WindowMetrics): void {
    for (const own of this.ordersOf(token, window)) {
      own.total -= 1
      own.order.remove(trendKey(window), token)
    }
  }

  fill(short: ReadonlySet<TokenOrder>, token: Ranked, window: WindowMetrics): void {
    for (const { order } of this.ordersOf(token, window)) {
      if (short.has(order)) order.add(trendKey(window), token)
    }
  }

  pages(): TrendingPage[] {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[this.widthIndex]!]
    const pages: TrendingPage[] = []
    for (const [sector, { others, withRugged }] of this.sectors) {
      for (const { total, order } of [others, withRugged]) {
        if (total === 0 && sector !== ANY_SECTOR) continue
        const hasRugged = order === withRugged.order
        pages.push({ minutes, hasRugged, sector, total, tokens: order.first() })
      }
      if (withRugged.total === 0 && sector !== ANY_SECTOR) this.sectors.delete(sector)
    }
    return pages
  }

  private *ordersOf({ sector }: Ranked, { isRugged }: WindowMetrics): Iterable<TrendOrder> {
    const { others, withRugged } = this.all
    yield withRugged
    if (!isRugged) yield others
    if (sector === null || sector === ANY_SECTOR) return
    const own = this.ofSector(sector)
    yield own.withRugged
    if (!isRugged) yield own.others
  }

  private ofSector(sector: string): SectorTrends {
    let own = this.sectors.get(sector)
    if (own === undefined) {
      own = sectorTrends()
      this.sectors.set(sector, own)
    }
    return own
  }
}

function sectorTrends(): SectorTrends {
  const empty = (): TrendOrder => ({ total: 0, order: new TopList<Ranked>(TRENDING_STORED) })
  return { others: empty(), withRugged: empty() }
}

/** The greatest change of a side first. */
const moverKey = (changePct: number): number => -Math.abs(changePct)

/** By `dex`. */
const MOVER_VENUES: readonly number[] = [EVERY_VENUE, ...VENUES.map(({ dex }) => dex)]

/** Both sides of the movers of a window, on each venue. */
class Movers {
  readonly widthIndex: number
  private readonly sides = MOVER_VENUES.map(() => ({
    gainers: new TopList<Ranked>(MOVERS_STORED),
    losers: new TopList<Ranked>(MOVERS_STORED),
  }))

  constructor(widthIndex: number) {
    this.widthIndex = widthIndex
  }

  *orders(): Iterable<TokenOrder> {
    for (const { gainers, losers } of this.sides) {
      yield gainers
      yield losers
    }
  }

  add(token: Ranked, window: WindowMetrics): void {
    for (const move of this.movesOf(window)) {
      this.orderOf(move).add(moverKey(move.changePct), token)
    }
  }

  remove(token: Ranked, window: WindowMetrics): void {
    for (const move of this.movesOf(window)) {
      this.orderOf(move).remove(moverKey(move.changePct), token)
    }
  }

  fill(short: ReadonlySet<TokenOrder>, token: Ranked, window: WindowMetrics): void {
    for (const move of this.movesOf(window)) {
      const order = this.orderOf(move)
      if (short.has(order)) order.add(moverKey(move.changePct), token)
    }
  }

  pages(): MoverPage[] {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[this.widthIndex]!]
    return this.sides.flatMap(({ gainers, losers }, index) => {
      const dex = MOVER_VENUES[index]!
      return [
        { minutes, dex, isGainer: true, tokens: gainers.first() },
        { minutes, dex, isGainer: false, tokens: losers.first() },
      ]
    })
  }

  /** None where no order wants them, which is so of most. */
  private movesOf(window: WindowMetrics): Move[] {
    const { changePct, venue } = window
    if (changePct === null) return []
    const isWanted = (dex: number) => {
      const { gainers, losers } = this.sides[dex]!
      return !(changePct > 0 ? gainers : losers).isBeyond(moverKey(changePct))
    }
    return venue === undefined || isWanted(EVERY_VENUE) || isWanted(venue) ? movesOf(window) : []
  }

  private orderOf({ dex, changePct }: Move): TokenOrder {
    const { gainers, losers } = this.sides[dex]!
    return changePct > 0 ? gainers : losers
  }
}
