/** Pages of rankings from the figures of all tokens: pure. Of each order only what is served is sorted. */
import { lamportsToSol } from '../../streams/amount.ts'
import {
  MOVER_TIMEFRAMES,
  MOVERS_KEPT,
  type MoverEntry,
  TREND_WINDOWS,
  TRENDING_KEPT,
  type TrendingEntry,
  WINDOW_MINUTES,
} from '../../streams/ranking.ts'
import { VENUES } from '../../streams/venue.ts'
import type { Mover, TokenFigures, WindowFigures } from './figures.ts'

export type Ranked = {
  readonly tokenId: number
  readonly mint: string
  readonly sector: string | null
  readonly figures: TokenFigures
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

/** The first so many of an order, however they come: twice as many are held before they are put in order. */
export class Top<Each> {
  /** The last of the first, as of the last time that they were put in order. */
  bound: Each | undefined
  private readonly held: Each[] = []
  private readonly limit: number
  private readonly compare: (a: Each, b: Each) => number

  constructor(limit: number, compare: (a: Each, b: Each) => number) {
    this.limit = limit
    this.compare = compare
  }

  offer(each: Each): void {
    const { bound, held, limit, compare } = this
    if (bound !== undefined && compare(bound, each) <= 0) return
    held.push(each)
    if (held.length === 2 * limit) this.first()
  }

  /** In order. */
  first(): readonly Each[] {
    const { held, limit, compare } = this
    held.sort(compare)
    if (held.length >= limit) {
      held.length = limit
      this.bound = held[limit - 1]
    }
    return held
  }
}

type Trend = { token: Ranked; window: WindowFigures }

/** Score descending, then mint. */
const byScore = (a: Trend, b: Trend): number =>
  b.window.score - a.window.score || (a.token.mint < b.token.mint ? -1 : 1)

/** Tokens of a window and a sector: how many, and the first of them. */
class Trends {
  total = 0
  readonly top = new Top(TRENDING_KEPT, byScore)

  add(token: Ranked, window: WindowFigures): void {
    this.total += 1
    // Most stand behind the last that is kept: of these nothing is made.
    const { bound } = this.top
    if (bound !== undefined && window.score < bound.window.score) return
    this.top.offer({ token, window })
  }
}

/** Of all sectors, and of each. */
class BySector {
  readonly all = new Trends()
  readonly sectors = new Map<string, Trends>()

  add(token: Ranked, window: WindowFigures): void {
    this.all.add(token, window)
    const { sector } = token
    if (sector === null || sector === '') return
    let own = this.sectors.get(sector)
    if (own === undefined) {
      own = new Trends()
      this.sectors.set(sector, own)
    }
    own.add(token, window)
  }
}

export function trendingPages(tokens: Iterable<Ranked>): TrendingPage[] {
  const windows = TREND_WINDOWS.map(() => ({ others: new BySector(), withRugged: new BySector() }))
  for (const token of tokens) {
    const { figures } = token
    for (let index = 0; index < figures.length; index++) {
      const window = figures[index]
      if (window === undefined) continue
      const { others, withRugged } = windows[index]!
      withRugged.add(token, window)
      if (!window.isRugged) others.add(token, window)
    }
  }
  return windows.flatMap(({ others, withRugged }, index) => {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[index]!]
    return [...pagesOf(others, minutes, false), ...pagesOf(withRugged, minutes, true)]
  })
}

function pagesOf({ all, sectors }: BySector, minutes: number, hasRugged: boolean): TrendingPage[] {
  return [['', all] as const, ...sectors].map(([sector, { total, top }]) => ({
    minutes,
    hasRugged,
    sector,
    total,
    entries: JSON.stringify(top.first().map(trendingEntry)),
  }))
}

function trendingEntry({ token, window }: Trend): TrendingEntry {
  const changes = token.figures.map((each) => each?.changePct ?? null)
  const volume = lamportsToSol(window.volume)
  return [token.tokenId, token.mint, window.score, volume, changes, window.parts]
}

const byGain = (a: Mover, b: Mover): number =>
  b.changePct - a.changePct || (a.mint < b.mint ? -1 : 1)
const byLoss = (a: Mover, b: Mover): number =>
  a.changePct - b.changePct || (a.mint < b.mint ? -1 : 1)

export function moverPages(tokens: Iterable<Ranked>): MoverPage[] {
  const venues = [0, ...VENUES.map(({ dex }) => dex)]
  const sides = MOVER_TIMEFRAMES.map(() =>
    venues.map(() => ({
      gainers: new Top(MOVERS_KEPT, byGain),
      losers: new Top(MOVERS_KEPT, byLoss),
    })),
  )
  const places = MOVER_TIMEFRAMES.map((timeframe) => TREND_WINDOWS.indexOf(timeframe))
  for (const { figures } of tokens) {
    for (const [index, place] of places.entries()) {
      for (const mover of figures[place]?.movers ?? []) {
        const { gainers, losers } = sides[index]![mover.dex]!
        ;(mover.changePct > 0 ? gainers : losers).offer(mover)
      }
    }
  }
  return sides.flatMap((byVenue, index) =>
    byVenue.map(({ gainers, losers }, dex) => ({
      minutes: WINDOW_MINUTES[MOVER_TIMEFRAMES[index]!],
      dex,
      gainers: `[${gainers.first().map(writtenMover).join()}]`,
      losers: `[${losers.first().map(writtenMover).join()}]`,
    })),
  )
}

/** Written once, and kept with the figures, which are replaced and never changed. */
function writtenMover(mover: Mover): string {
  mover.written ??= JSON.stringify(moverEntry(mover))
  return mover.written
}

function moverEntry(mover: Mover): MoverEntry {
  const { mint, venues, changePct, open, close, high, low, volume, trades } = mover
  return [mint, venues, changePct, open, close, high, low, lamportsToSol(volume), trades]
}
