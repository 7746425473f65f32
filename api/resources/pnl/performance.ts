/**
 * Performance of a wallet over a range of days: streaks, best and worst day, two drawdowns. Pure, exact.
 *
 * A day is the sum of its hours in lamports. Days without a trade, and days that realized nothing, neither break nor
 * extend a streak. Of equal drawdowns the one with the first peak is reported.
 *
 *   running sum   0 -> peak ------.
 *                                  `-- trough: peak - trough is the drawdown
 */
import { divideSigned, lamportsToSol } from '../../../domain/amount.ts'
import type { DayWorth } from '../../../domain/wallet/portfolio-value.ts'

/** A UTC day with a trade. Lamports. */
export type DayFlow = {
  dayMs: number
  /** By the requested mode. */
  realized: bigint
  /** Proceeds of all sells less what all buys cost. */
  flow: bigint
}

type Streak = { kind: 'win' | 'loss' | 'none'; length: number }
type Streaks = { current: Streak; longestWin: number; longestLoss: number }

/** `days` oldest first, as in all functions here. */
export function streaksOf(days: readonly DayFlow[]): Streaks {
  let current: Streak = { kind: 'none', length: 0 }
  const longest = { win: 0, loss: 0 }
  for (const { realized } of days) {
    if (realized === 0n) continue
    const kind = realized > 0n ? 'win' : 'loss'
    current = { kind, length: current.kind === kind ? current.length + 1 : 1 }
    longest[kind] = Math.max(longest[kind], current.length)
  }
  return { current, longestWin: longest.win, longestLoss: longest.loss }
}

/** The days that realized most and least, of equals the earlier; undefined without any day. */
export function extremesOf(days: readonly DayFlow[]): { best?: DayFlow; worst?: DayFlow } {
  const [first] = days
  if (first === undefined) return {}
  let best = first
  let worst = first
  for (const day of days) {
    if (day.realized > best.realized) best = day
    if (day.realized < worst.realized) worst = day
  }
  return { best, worst }
}

/** `percent` of the peak that fell; null where that peak is not above 0. */
type Drawdown = { lamports: bigint; percent: number | null }

/**
 * The largest fall of the running sum of realized below its running peak; both start at 0 before the
 * first day. Without a fall its peak is the last.
 */
export function realizedDrawdown(days: readonly DayFlow[]): Drawdown {
  let sum = 0n
  let peak = 0n
  let fall = 0n
  let fallenPeak = 0n
  for (const { realized } of days) {
    sum += realized
    if (sum > peak) peak = sum
    if (peak - sum > fall) {
      fall = peak - sum
      fallenPeak = peak
    }
  }
  const reference = fall === 0n ? peak : fallenPeak
  return { lamports: fall, percent: reference > 0n ? divideSigned(fall * 100n, reference) : null }
}

/** Lamports that the day realized, 0 without a trade, and SOL of equity at its end. */
type DayEquity = { dayMs: number; isActive: boolean; realized: bigint; equitySol: number }

/**
 * Close-based equity of each day: net cash flow since the first trade plus the value at the day's end. `values` are the
 * days of the range from the first trade on. `flows` are all days of the wallet with a trade, those before the range too.
 */
export function equityByDay(
  values: readonly DayWorth[],
  flows: readonly DayFlow[],
): readonly DayEquity[] {
  let flow = 0n
  let next = 0
  return values.map(({ dayMs, valueSol }) => {
    for (; next < flows.length && flows[next]!.dayMs <= dayMs; next++) flow += flows[next]!.flow
    const last = flows[next - 1]
    const isActive = last?.dayMs === dayMs
    const realized = isActive ? last.realized : 0n
    return { dayMs, isActive, realized, equitySol: lamportsToSol(flow) + valueSol }
  })
}

/** The largest fall, in SOL, of equity; its peak starts at the first day. */
export function equityDrawdown(equities: readonly DayEquity[]): number {
  let peak = Number.NEGATIVE_INFINITY
  let fall = 0
  for (const { equitySol } of equities) {
    peak = Math.max(peak, equitySol)
    fall = Math.max(fall, peak - equitySol)
  }
  return fall
}
