/**
 * Rankings of tokens: their windows, how far they are served, and what a page of one holds. Pure.
 *
 * Workers make the pages and the API shows them, so what they agree on stands here. SOL figures of a page
 * are lamports divided once.
 */
import { type DexId, VENUES } from './venue.ts'

export const TREND_WINDOWS = ['1m', '5m', '15m', '1h', '4h', '6h', '24h'] as const
export type TrendWindow = (typeof TREND_WINDOWS)[number]

export const MOVER_TIMEFRAMES = ['5m', '15m', '1h', '4h', '24h'] as const
export type MoverTimeframe = (typeof MOVER_TIMEFRAMES)[number]

export const WINDOW_MINUTES: Readonly<Record<TrendWindow, number>> = {
  '1m': 1,
  '5m': 5,
  '15m': 15,
  '1h': 60,
  '4h': 240,
  '6h': 360,
  '24h': 1_440,
}

/** Tokens of a trending page: the greatest offset and the greatest limit. */
export const TRENDING_KEPT = 400
/** Tokens of one side of the movers. */
export const MOVERS_KEPT = 500

/** What a score is made of, in the order of TRENDING_PARTS; the last two may be unknown. */
export type TrendingParts = readonly [
  volVelocity: number,
  uniqueBuyers: number,
  volAcceleration: number,
  buyerAcceleration: number,
  devSellPenalty: number,
  holderGrowth: number | null,
  top10Penalty: number | null,
]

/** A token of a trending page; `changes` by TREND_WINDOWS, in percent, null without a priced trade. */
export type TrendingEntry = readonly [
  tokenId: number,
  mint: string,
  score: number,
  volumeSol: number,
  changes: readonly (number | null)[],
  parts: TrendingParts,
]

/** A token of a page of movers; `venues`: those of its counted pools, bit `dex`. */
export type MoverEntry = readonly [
  mint: string,
  venues: number,
  changePct: number,
  open: number,
  close: number,
  high: number,
  low: number,
  volumeSol: number,
  tradeCount: number,
]

/** Names of the venues of a MoverEntry, in venue order. */
export function venueNames(venues: number): string[] {
  return VENUES.filter(({ dex }) => (venues & venueBit(dex)) !== 0).map(({ name }) => name)
}

export const venueBit = (dex: DexId): number => 1 << dex

/** How entries of pages end where another follows; nothing within one is written so. */
const TRENDING_ENTRY_END = ']],'
const MOVER_ENTRY_END = '],'

/** Entries `from` to before `to` of a trending page's text. */
export const trendingEntries = (text: string, from: number, to: number): TrendingEntry[] =>
  JSON.parse(sliceOf(text, TRENDING_ENTRY_END, from, to))

/** The first `count` entries of a side's text. */
export const moverEntries = (text: string, count: number): MoverEntry[] =>
  JSON.parse(sliceOf(text, MOVER_ENTRY_END, 0, count))

/** A text of the entries asked for alone: most of a page is never looked at. */
function sliceOf(text: string, entryEnd: string, from: number, to: number): string {
  let start = 1
  let end = 1
  for (let place = 0; place < to; place++) {
    if (place === from) start = end
    const found = text.indexOf(entryEnd, end)
    // The last: whatever is left, the end of the list with it.
    if (found < 0) return place < from ? '[]' : `[${text.slice(start)}`
    end = found + entryEnd.length
  }
  return `[${text.slice(start, end - 1)}]`
}
