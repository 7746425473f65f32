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

/** The first so many of an order, however they come. */
export class Top<Each> {
  readonly first: Each[] = []
  private readonly limit: number
  private readonly compare: (a: Each, b: Each) => number

  constructor(limit: number, compare: (a: Each, b: Each) => number) {
    this.limit = limit
    this.compare = compare
  }

  offer(each: Each): void {
    const { first, limit, compare } = this
    const last = first[first.length - 1]
    if (first.length === limit && compare(last!, each) <= 0) return
    let from = 0
    let to = first.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (compare(first[middle]!, each) <= 0) from = middle + 1
      else to = middle
    }
    first.splice(from, 0, each)
    if (first.length > limit) first.pop()
  }
}

type Trend = { token: Ranked; window: WindowFigures }

/** Score descending, then mint. */
const byScore = (a: Trend, b: Trend): number =>
  b.window.score - a.window.score || (a.token.mint < b.token.mint ? -1 : 1)

type Group = { total: number; top: Top<Trend> }
const newGroup = (): Group => ({ total: 0, top: new Top(TRENDING_KEPT, byScore) })

export function trendingPages(tokens: Iterable<Ranked>): TrendingPage[] {
  // By window, by whether the rugged are in, by sector.
  const groups = TREND_WINDOWS.map(() => [new Map<string, Group>(), new Map<string, Group>()])
  for (const both of groups) for (const each of both) each.set('', newGroup())
  for (const token of tokens) {
    for (const [index, window] of token.figures.entries()) {
      if (window === undefined) continue
      const [others, all] = groups[index] as [Map<string, Group>, Map<string, Group>]
      for (const each of window.isRugged ? [all] : [others, all]) addTo(each, { token, window })
    }
  }
  return groups.flatMap((both, index) =>
    both.flatMap((each, rugged) =>
      Array.from(each, ([sector, { total, top }]) => ({
        minutes: WINDOW_MINUTES[TREND_WINDOWS[index]!],
        hasRugged: rugged === 1,
        sector,
        total,
        entries: JSON.stringify(top.first.map(trendingEntry)),
      })),
    ),
  )
}

function addTo(groups: Map<string, Group>, trend: Trend): void {
  const { sector } = trend.token
  for (const name of sector === null || sector === '' ? [''] : ['', sector]) {
    const group = groups.get(name) ?? newGroup()
    groups.set(name, group)
    group.total += 1
    group.top.offer(trend)
  }
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
      gainers: `[${gainers.first.map(writtenMover).join()}]`,
      losers: `[${losers.first.map(writtenMover).join()}]`,
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
