/**
 * Rankings of tokens, and the pages that are served of them: pure. A roll puts in the tokens whose figures
 * are others, and of each order only what is served is kept in order.
 */
import { lamportsToSol } from '../../streams/amount.ts'
import {
  MOVER_TIMEFRAMES,
  MOVERS_KEPT,
  TREND_WINDOWS,
  TRENDING_KEPT,
  type TrendingEntry,
  WINDOW_MINUTES,
} from '../../streams/ranking.ts'
import { VENUES } from '../../streams/venue.ts'
import { type Move, moverEntry, movesOf, type TokenFigures, type WindowFigures } from './figures.ts'
import { Order } from './order.ts'

/** A token as the rankings have it: changed by `Rankings.put` alone. */
export type Ranked = {
  readonly tokenId: number
  readonly mint: string
  sector: string | null
  figures: TokenFigures
}

/** `entries` is JSON. `sector` '': any. */
export type TrendingPage = {
  minutes: number
  hasRugged: boolean
  sector: string
  total: number
  entries: string
}
export type MoverPage = { minutes: number; dex: number; gainers: string; losers: string }

export class Rankings {
  private readonly trends = TREND_WINDOWS.map((_, place) => new Trends(place))
  private readonly movers = MOVER_TIMEFRAMES.map(
    (timeframe) => new Movers(TREND_WINDOWS.indexOf(timeframe)),
  )
  private readonly all = [...this.trends, ...this.movers]

  /** What a token did in the windows; none: it is gone. With another sector all its figures are others. */
  put(token: Ranked, sector: string | null, figures: TokenFigures): void {
    const before = token.figures
    for (const ranking of this.all) {
      const window = before[ranking.place]
      if (window !== undefined && window !== figures[ranking.place]) ranking.remove(token, window)
    }
    token.sector = sector
    token.figures = figures
    for (const ranking of this.all) {
      const window = figures[ranking.place]
      if (window !== undefined && window !== before[ranking.place]) ranking.add(token, window)
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
function fillShort<Each extends { token: Ranked }>(
  ranking: {
    readonly place: number
    orders(): Iterable<Order<Each>>
    fill(short: ReadonlySet<Order<Each>>, token: Ranked, window: WindowFigures): void
  },
  tokens: () => Iterable<Ranked>,
): void {
  const short = new Set([...ranking.orders()].filter(({ isShort }) => isShort))
  if (short.size === 0) return
  for (const order of short) order.clear()
  for (const token of tokens()) {
    const window = token.figures[ranking.place]
    if (window !== undefined) ranking.fill(short, token, window)
  }
}

/** `written`: its entry, for as long as the token's figures of all windows are these. */
type Trend = {
  readonly token: Ranked
  readonly window: WindowFigures
  written?: { figures: TokenFigures; entry: string }
}

/** The greatest score first. */
const trendKey = ({ score }: WindowFigures): number => -score

/** Tokens of a window and a sector: how many, and the first of them. */
type TrendOrder = { total: number; readonly order: Order<Trend> }
/** Without those that are rugged, and with them. */
type SectorTrends = { readonly others: TrendOrder; readonly withRugged: TrendOrder }

const ANY_SECTOR = ''

/** All orders of the trends of a window. */
class Trends {
  readonly place: number
  private readonly all = sectorTrends()
  /** Of those who have tokens. */
  private readonly sectors = new Map([[ANY_SECTOR, this.all]])

  constructor(place: number) {
    this.place = place
  }

  *orders(): Iterable<Order<Trend>> {
    for (const { others, withRugged } of this.sectors.values()) {
      yield others.order
      yield withRugged.order
    }
  }

  add(token: Ranked, window: WindowFigures): void {
    const trend = { token, window }
    for (const own of this.ordersOf(token, window)) {
      own.total += 1
      own.order.add(trendKey(window), trend)
    }
  }

  remove(token: Ranked, window: WindowFigures): void {
    const trend = { token, window }
    for (const own of this.ordersOf(token, window)) {
      own.total -= 1
      own.order.remove(trendKey(window), trend)
    }
  }

  fill(short: ReadonlySet<Order<Trend>>, token: Ranked, window: WindowFigures): void {
    const trend = { token, window }
    for (const { order } of this.ordersOf(token, window)) {
      if (short.has(order)) order.add(trendKey(window), trend)
    }
  }

  pages(): TrendingPage[] {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[this.place]!]
    const pages: TrendingPage[] = []
    for (const [sector, { others, withRugged }] of this.sectors) {
      for (const { total, order } of [others, withRugged]) {
        if (total === 0 && sector !== ANY_SECTOR) continue
        const entries = `[${order.first().map(writtenTrend).join()}]`
        const hasRugged = order === withRugged.order
        pages.push({ minutes, hasRugged, sector, total, entries })
      }
      if (withRugged.total === 0 && sector !== ANY_SECTOR) this.sectors.delete(sector)
    }
    return pages
  }

  private *ordersOf({ sector }: Ranked, { isRugged }: WindowFigures): Iterable<TrendOrder> {
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
  const empty = (): TrendOrder => ({ total: 0, order: new Order<Trend>(TRENDING_KEPT) })
  return { others: empty(), withRugged: empty() }
}

function writtenTrend(trend: Trend): string {
  const { token, window, written } = trend
  if (written?.figures === token.figures) return written.entry
  const changes = token.figures.map((each) => each?.changePct ?? null)
  const volume = lamportsToSol(window.volume)
  const { score, parts } = window
  const entry: TrendingEntry = [token.tokenId, token.mint, score, volume, changes, parts]
  trend.written = { figures: token.figures, entry: JSON.stringify(entry) }
  return trend.written.entry
}

type Mover = { readonly token: Ranked; readonly move: Move; written?: string }

/** The greatest change of a side first. */
const moverKey = (changePct: number): number => -Math.abs(changePct)

/** By `dex`; 0: on all venues. */
const MOVER_VENUES: readonly number[] = [0, ...VENUES.map(({ dex }) => dex)]

/** Both sides of the movers of a window, on each venue. */
class Movers {
  readonly place: number
  private readonly sides = MOVER_VENUES.map(() => ({
    gainers: new Order<Mover>(MOVERS_KEPT),
    losers: new Order<Mover>(MOVERS_KEPT),
  }))

  constructor(place: number) {
    this.place = place
  }

  *orders(): Iterable<Order<Mover>> {
    for (const { gainers, losers } of this.sides) {
      yield gainers
      yield losers
    }
  }

  add(token: Ranked, window: WindowFigures): void {
    for (const move of this.movesOf(window)) {
      this.orderOf(move).add(moverKey(move.changePct), { token, move })
    }
  }

  remove(token: Ranked, window: WindowFigures): void {
    for (const move of this.movesOf(window)) {
      this.orderOf(move).remove(moverKey(move.changePct), { token, move })
    }
  }

  fill(short: ReadonlySet<Order<Mover>>, token: Ranked, window: WindowFigures): void {
    for (const move of this.movesOf(window)) {
      const order = this.orderOf(move)
      if (short.has(order)) order.add(moverKey(move.changePct), { token, move })
    }
  }

  pages(): MoverPage[] {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[this.place]!]
    return this.sides.map(({ gainers, losers }, index) => ({
      minutes,
      dex: MOVER_VENUES[index]!,
      gainers: `[${gainers.first().map(writtenMover).join()}]`,
      losers: `[${losers.first().map(writtenMover).join()}]`,
    }))
  }

  /** None where no order wants them, which is so of most. */
  private movesOf(window: WindowFigures): Move[] {
    const { changePct, venue } = window
    if (changePct === null) return []
    const isWanted = (dex: number) => {
      const { gainers, losers } = this.sides[dex]!
      return !(changePct > 0 ? gainers : losers).isBeyond(moverKey(changePct))
    }
    return venue === undefined || isWanted(0) || isWanted(venue) ? movesOf(window) : []
  }

  private orderOf({ dex, changePct }: Move): Order<Mover> {
    const { gainers, losers } = this.sides[dex]!
    return changePct > 0 ? gainers : losers
  }
}

function writtenMover(mover: Mover): string {
  mover.written ??= JSON.stringify(moverEntry(mover.token.mint, mover.move))
  return mover.written
}
