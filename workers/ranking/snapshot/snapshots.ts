/**
 * The ranked lists of tokens: trending tokens of each window and sector, and movers of each window, venue and
 * direction. Pure. A refresh inserts only the tokens whose metrics changed, and each list maintains only its served
 * part.
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

/** A token and its metrics; `Rankings.put` is its only writer. */
export type RankedToken = {
  readonly tokenId: number
  readonly mint: string
  sector: string | null
  figures: TokenMetrics
}

/** Trending tokens of a window, in order; `sector` '': of any sector. */
export type TrendingList = {
  minutes: number
  hasRugged: boolean
  sector: string
  total: number
  tokens: readonly RankedToken[]
}
/** Gainers or losers of a window in order, on the venue `dex` or on all (EVERY_VENUE). */
export type MoverList = {
  minutes: number
  dex: number
  isGainer: boolean
  tokens: readonly RankedToken[]
}

/** `changeIds`: rows of `token_change` that the snapshot includes. */
export type RankingSnapshot = {
  newestMs: number
  trending: TrendingList[]
  movers: MoverList[]
  changeIds: number[]
}

type TokenTopList = TopList<RankedToken>

export class Rankings {
  private readonly trendingLists = TREND_WINDOWS.map(
    (_, widthIndex) => new TrendingLists(widthIndex),
  )
  private readonly movers = MOVER_WIDTH_INDEXES.map((widthIndex) => new MoverLists(widthIndex))
  private readonly all = [...this.trendingLists, ...this.movers]

  /**
   * Replaces the metrics of a token; an empty array removes it. A new sector requires new metrics of all windows.
   */
  put(token: RankedToken, sector: string | null, figures: TokenMetrics): void {
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

  /** The current lists. `tokens`: every token that was put and not removed. */
  lists(tokens: () => Iterable<RankedToken>): { trending: TrendingList[]; movers: MoverList[] } {
    for (const trendingLists of this.trendingLists) refillShort(trendingLists, tokens)
    for (const movers of this.movers) refillShort(movers, tokens)
    return {
      trending: this.trendingLists.flatMap((trendingLists) => trendingLists.lists()),
      movers: this.movers.flatMap((movers) => movers.lists()),
    }
  }
}

/** Refills lists that became short from all tokens. */
function refillShort(
  ranking: {
    readonly widthIndex: number
    topLists(): Iterable<TokenTopList>
    fill(short: ReadonlySet<TokenTopList>, token: RankedToken, window: WindowMetrics): void
  },
  tokens: () => Iterable<RankedToken>,
): void {
  const short = new Set([...ranking.topLists()].filter(({ isShort }) => isShort))
  if (short.size === 0) return
  for (const list of short) list.clear()
  for (const token of tokens()) {
    const window = token.figures[ranking.widthIndex]
    if (window !== undefined) ranking.fill(short, token, window)
  }
}

/** Sort key: the highest score first. */
const trendKey = ({ score }: WindowMetrics): number => -score

/** Tokens of a window and a sector: their number, and the first of them. */
type CountedList = { total: number; readonly list: TokenTopList }
/** The list without rugged tokens, and the one with them. */
type SectorLists = { readonly withoutRugged: CountedList; readonly withRugged: CountedList }

const ANY_SECTOR = ''

/** The trending lists of one window, by sector. */
class TrendingLists {
  readonly widthIndex: number
  private readonly all = emptySectorLists()
  /** The lists of the sectors that have tokens. */
  private readonly sectors = new Map([[ANY_SECTOR, this.all]])

  constructor(widthIndex: number) {
    this.widthIndex = widthIndex
  }

  *topLists(): Iterable<TokenTopList> {
    for (const { withoutRugged, withRugged } of this.sectors.values()) {
      yield withoutRugged.list
      yield withRugged.list
    }
  }

  add(token: RankedToken, window: WindowMetrics): void {
    for (const own of this.listsOf(token, window)) {
      own.total += 1
      own.list.add(trendKey(window), token)
    }
  }

  remove(token: RankedToken, window: WindowMetrics): void {
    for (const own of this.listsOf(token, window)) {
      own.total -= 1
      own.list.remove(trendKey(window), token)
    }
  }

  fill(short: ReadonlySet<TokenTopList>, token: RankedToken, window: WindowMetrics): void {
    for (const { list } of this.listsOf(token, window)) {
      if (short.has(list)) list.add(trendKey(window), token)
    }
  }

  lists(): TrendingList[] {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[this.widthIndex]!]
    const pages: TrendingList[] = []
    for (const [sector, { withoutRugged, withRugged }] of this.sectors) {
      for (const { total, list } of [withoutRugged, withRugged]) {
        if (total === 0 && sector !== ANY_SECTOR) continue
        const hasRugged = list === withRugged.list
        pages.push({ minutes, hasRugged, sector, total, tokens: list.first() })
      }
      if (withRugged.total === 0 && sector !== ANY_SECTOR) this.sectors.delete(sector)
    }
    return pages
  }

  private *listsOf({ sector }: RankedToken, { isRugged }: WindowMetrics): Iterable<CountedList> {
    const { withoutRugged, withRugged } = this.all
    yield withRugged
    if (!isRugged) yield withoutRugged
    if (sector === null || sector === ANY_SECTOR) return
    const own = this.ofSector(sector)
    yield own.withRugged
    if (!isRugged) yield own.withoutRugged
  }

  private ofSector(sector: string): SectorLists {
    let own = this.sectors.get(sector)
    if (own === undefined) {
      own = emptySectorLists()
      this.sectors.set(sector, own)
    }
    return own
  }
}

function emptySectorLists(): SectorLists {
  const empty = (): CountedList => ({ total: 0, list: new TopList<RankedToken>(TRENDING_STORED) })
  return { withoutRugged: empty(), withRugged: empty() }
}

/** Sort key: the largest change first, up or down. */
const moverKey = (changePct: number): number => -Math.abs(changePct)

/** EVERY_VENUE and the ids of the venues: the index equals the id. */
const MOVER_VENUES: readonly number[] = [EVERY_VENUE, ...VENUES.map(({ dex }) => dex)]

/** Gainers and losers of one window, on each venue and on all. */
class MoverLists {
  readonly widthIndex: number
  private readonly sides = MOVER_VENUES.map(() => ({
    gainers: new TopList<RankedToken>(MOVERS_STORED),
    losers: new TopList<RankedToken>(MOVERS_STORED),
  }))

  constructor(widthIndex: number) {
    this.widthIndex = widthIndex
  }

  *topLists(): Iterable<TokenTopList> {
    for (const { gainers, losers } of this.sides) {
      yield gainers
      yield losers
    }
  }

  add(token: RankedToken, window: WindowMetrics): void {
    for (const move of this.movesOf(window)) {
      this.listOf(move).add(moverKey(move.changePct), token)
    }
  }

  remove(token: RankedToken, window: WindowMetrics): void {
    for (const move of this.movesOf(window)) {
      this.listOf(move).remove(moverKey(move.changePct), token)
    }
  }

  fill(short: ReadonlySet<TokenTopList>, token: RankedToken, window: WindowMetrics): void {
    for (const move of this.movesOf(window)) {
      const list = this.listOf(move)
      if (short.has(list)) list.add(moverKey(move.changePct), token)
    }
  }

  lists(): MoverList[] {
    const minutes = WINDOW_MINUTES[TREND_WINDOWS[this.widthIndex]!]
    return this.sides.flatMap(({ gainers, losers }, index) => {
      const dex = MOVER_VENUES[index]!
      return [
        { minutes, dex, isGainer: true, tokens: gainers.first() },
        { minutes, dex, isGainer: false, tokens: losers.first() },
      ]
    })
  }

  /** Price changes of a token; empty where no list can include them, as for most tokens. */
  private movesOf(window: WindowMetrics): Move[] {
    const { changePct, venue } = window
    if (changePct === null) return []
    const isWanted = (dex: number) => {
      const { gainers, losers } = this.sides[dex]!
      return !(changePct > 0 ? gainers : losers).isBeyond(moverKey(changePct))
    }
    return venue === undefined || isWanted(EVERY_VENUE) || isWanted(venue) ? movesOf(window) : []
  }

  private listOf({ dex, changePct }: Move): TokenTopList {
    const { gainers, losers } = this.sides[dex]!
    return changePct > 0 ? gainers : losers
  }
}
