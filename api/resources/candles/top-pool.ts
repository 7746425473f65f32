/**
 * Finds since when a pool is its token's top pool, by quarters of an hour. Pure.
 *
 * At the end of each quarter the top pool is the one with the largest volume in the 96 quarters up to there
 * (ties: more trades, then lower address), and where none traded in them, the one that traded last. The
 * answer is the first quarter of the run of quarters, up to the newest, in which it is the same pool.
 */
import { DAY_MS, QUARTER_MS, WEEK_MS } from '../../../domain/time/time-bucket.ts'

/** A trailing day. */
export const WINDOW_QUARTERS = DAY_MS / QUARTER_MS
/** How far back is looked: seven days. */
export const LOOK_BACK_QUARTERS = WEEK_MS / QUARTER_MS

/** A pool of the token; its quarters count from the first one of the window that is looked at first. */
export type Rival = {
  pair_address: string
  /** In which it traded, ascending, and what it traded then; null: in none. */
  quarters: readonly number[] | null
  volumes: readonly number[] | null
  trades: readonly number[] | null
  /** The newest quarter with a trade before those, by the same count: negative; null: none. */
  older_quarter: number | null
}

type Running = {
  pair: string
  volume: number
  trades: number
  lastQuarter: number
  ofQuarter: Map<number, { volume: number; trades: number }>
}

/**
 * The first quarter, by the count of the rivals; undefined: it was top in all that are looked at. `last`: the
 * newest quarter.
 */
export function topSince(rivals: readonly Rival[], top: string, last: number): number | undefined {
  const running = rivals.map(runningOf)
  const first = WINDOW_QUARTERS - 1
  // The quarter after the newest one in which another pool, or none, was top.
  let since = first
  for (let quarter = 0; quarter <= last; quarter++) {
    for (const rival of running) slide(rival, quarter)
    if (quarter >= first && leaderOf(running) !== top) since = quarter + 1
  }
  if (since === first) return undefined
  // Beyond the newest: by quarters it is not the top pool yet, by minutes it is.
  return Math.min(since, last)
}

function runningOf({ pair_address: pair, older_quarter, ...rival }: Rival): Running {
  const { quarters, volumes, trades } = rival
  const ofQuarter = new Map(
    (quarters ?? []).map((quarter, index) => [
      quarter,
      { volume: volumes?.[index] ?? 0, trades: trades?.[index] ?? 0 },
    ]),
  )
  const lastQuarter = older_quarter ?? Number.NEGATIVE_INFINITY
  return { pair, volume: 0, trades: 0, lastQuarter, ofQuarter }
}

function slide(rival: Running, quarter: number): void {
  const gone = rival.ofQuarter.get(quarter - WINDOW_QUARTERS)
  const come = rival.ofQuarter.get(quarter)
  rival.volume += (come?.volume ?? 0) - (gone?.volume ?? 0)
  rival.trades += (come?.trades ?? 0) - (gone?.trades ?? 0)
  if (come !== undefined) rival.lastQuarter = quarter
}

function leaderOf(running: readonly Running[]): string | undefined {
  const hasTrades = running.some(({ trades }) => trades > 0)
  let leader: Running | undefined
  for (const each of running) {
    const isRival = hasTrades ? each.trades > 0 : Number.isFinite(each.lastQuarter)
    if (isRival && (leader === undefined || isAhead(each, leader, hasTrades))) leader = each
  }
  return leader?.pair
}

function isAhead(a: Running, b: Running, hasTrades: boolean): boolean {
  const lead = hasTrades
    ? a.volume - b.volume || a.trades - b.trades
    : a.lastQuarter - b.lastQuarter
  return lead > 0 || (lead === 0 && a.pair < b.pair)
}
