/** How a wallet did in a range of days as the interface shows it: lamports become SOL here. */
import { lamportsToSol } from '../../../domain/amount.ts'
import { dateOf } from '../../../domain/time/utc-day.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { DayWorth } from '../../../domain/wallet/portfolio-value.ts'
import type { DateRange } from '../../routing/reading/date-range.ts'
import {
  type DayFlow,
  equityByDay,
  equityDrawdown,
  extremesOf,
  realizedDrawdown,
  streaksOf,
} from './performance.ts'
import type { PerformanceAnswer } from './schema.ts'

/** `days`: all of the wallet's with a trade. `values`: those of the range from the first of them on. */
export function presentPerformance(
  { wallet, mode, range }: { wallet: string; mode: PnlMode; range: DateRange },
  days: readonly DayFlow[],
  values: readonly DayWorth[],
): PerformanceAnswer {
  const within = days.filter(({ dayMs }) => dayMs >= range.fromMs && dayMs <= range.toMs)
  const { current, longestWin, longestLoss } = streaksOf(within)
  const { best, worst } = extremesOf(within)
  const fall = realizedDrawdown(within)
  const equities = equityByDay(values, days)
  return {
    wallet,
    pnl_mode: mode,
    from: range.from,
    to: range.to,
    best_day: resultOf(best),
    worst_day: resultOf(worst),
    current_streak: current,
    longest_win_streak: longestWin,
    longest_loss_streak: longestLoss,
    max_drawdown_realized_sol: lamportsToSol(fall.lamports),
    max_drawdown_realized_pct: fall.percent,
    max_drawdown_value_sol: equityDrawdown(equities),
    max_drawdown_value_basis: 'close_based_equity_curve',
    active_days: within.length,
    realized_sol: lamportsToSol(within.reduce((sum, { realized }) => sum + realized, 0n)),
    days: equities.map(({ dayMs, isActive, realized, equitySol }) => ({
      day: dateOf(dayMs),
      is_active: isActive,
      realized_sol: lamportsToSol(realized),
      equity_sol: equitySol,
    })),
  }
}

function resultOf(day: DayFlow | undefined): PerformanceAnswer['best_day'] {
  return day === undefined
    ? null
    : { day: dateOf(day.dayMs), realized_sol: lamportsToSol(day.realized) }
}
