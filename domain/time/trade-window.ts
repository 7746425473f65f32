/**
 * The table of trailing windows of trades, and how old a screen of all tokens in one may be. Pure.
 *
 * A window of n minutes is the n whole minute buckets that end with the newest indexed swap's, or with
 * the wall clock's where that is earlier (newest_swap_ms() in sql/functions/swap_times.sql). A new window is a row of
 * WINDOW_TABLE: rankings compute it, and the readers that its row names serve it.
 */
import { DAY_MINUTES, HOUR_MINUTES } from './time-bucket.ts'

/** Readers that serve some of the windows. Trending tokens and the screener serve all of them. */
type Reader = 'movers' | 'stats' | 'market'
type WindowRow = {
  readonly name: string
  readonly minutes: number
  readonly servedBy: readonly Reader[]
}

/** Ascending: rankings rely on it. */
const WINDOW_TABLE = [
  { name: '1m', minutes: 1, servedBy: [] },
  { name: '5m', minutes: 5, servedBy: ['movers', 'stats'] },
  { name: '15m', minutes: 15, servedBy: ['movers'] },
  { name: '1h', minutes: HOUR_MINUTES, servedBy: ['movers', 'stats', 'market'] },
  { name: '4h', minutes: 4 * HOUR_MINUTES, servedBy: ['movers'] },
  { name: '6h', minutes: 6 * HOUR_MINUTES, servedBy: ['stats'] },
  { name: '24h', minutes: DAY_MINUTES, servedBy: ['movers', 'stats', 'market'] },
] as const satisfies readonly WindowRow[]

type Row = (typeof WINDOW_TABLE)[number]
export type WindowName = Row['name']
type ServedBy<R extends Reader, Each = Row> = Each extends Row
  ? R extends Each['servedBy'][number]
    ? Each['name']
    : never
  : never
export type MoverTimeframe = ServedBy<'movers'>
export type StatsWindow = ServedBy<'stats'>
export type MarketWindow = ServedBy<'market'>

export const WINDOW_NAMES: readonly WindowName[] = WINDOW_TABLE.map(({ name }) => name)
/** Widths in minutes. */
export const WINDOW_MINUTES = Object.fromEntries(
  WINDOW_TABLE.map(({ name, minutes }) => [name, minutes]),
) as Readonly<Record<WindowName, number>>

/** Windows of the top movers, of token statistics and of the market's totals. */
export const MOVER_TIMEFRAMES = servedBy('movers') as readonly MoverTimeframe[]
export const STATS_WINDOWS = servedBy('stats') as readonly StatsWindow[]
export const MARKET_WINDOWS = servedBy('market') as readonly MarketWindow[]

function servedBy(reader: Reader): WindowName[] {
  const rows: readonly (WindowRow & { name: WindowName })[] = WINDOW_TABLE
  return rows.filter((row) => row.servedBy.includes(reader)).map(({ name }) => name)
}

/** A value for each window, in the windows' order. */
export function byWindow<W extends string, Value>(
  windows: readonly W[],
  figureOf: (window: W, index: number) => Value,
): Record<W, Value> {
  const entries = windows.map((window, index) => [window, figureOf(window, index)])
  return Object.fromEntries(entries) as Record<W, Value>
}

/** A screen older than this is recomputed for the next request, and served meanwhile. */
export const SCREEN_FRESH_MS = 10_000
/** A screen older than this is not served. */
export const SCREEN_AGE_MAX_MS = 60_000
/** Pools up to which no screen is precomputed: a request computes its figures directly. */
export const DIRECT_POOLS_MAX = 2_000
