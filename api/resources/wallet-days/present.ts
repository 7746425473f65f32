/** A wallet's days as answers show them: SOL divided once from exact sums. Pure. */
import { lamportsToSol, solToUsd } from '../../../domain/amount.ts'
import { dateOf } from '../../../domain/time/utc-day.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { DateRange } from '../../routing/reading/date-range.ts'
import type { DayValue } from '../chart/day-values.ts'
import type { WalletHistory } from './read.ts'
import type { CalendarAnswer, HistoryAnswer } from './schema.ts'
import type { DayRow } from './sums.ts'

type DaysRequest = { wallet: string; mode: PnlMode; range: DateRange }
type Sums = { realized: bigint; cost: bigint }

/** YYYY-MM of YYYY-MM-DD. */
const MONTH_LENGTH = 7

/** `values`: days of the range from the first trade on. */
export function presentHistory(
  { wallet, mode, range }: DaysRequest,
  history: WalletHistory,
  { days: values, solUsd }: { days: readonly DayValue[]; solUsd: number | null },
): HistoryAnswer {
  const byDay = new Map(history.days.map((row) => [row.day_ms, row]))
  const endsOf = sumsByDay(history)
  return {
    wallet,
    pnl_mode: mode,
    from: range.from,
    to: range.to,
    days: values.map(({ dayMs, valueSol, isClosed }) => {
      const { realized, cost } = endsOf(dayMs)
      const costSol = lamportsToSol(cost)
      const row = byDay.get(dayMs)
      return {
        day: dateOf(dayMs),
        is_active: row !== undefined,
        realized_sol: lamportsToSol(row?.realized ?? 0),
        realized_total_sol: lamportsToSol(realized),
        cost_basis_sol: costSol,
        unrealized_sol: valueSol - costSol,
        value_sol: valueSol,
        value_usd: solToUsd(valueSol, solUsd),
        provisional: !isClosed,
      }
    }),
  }
}

/** Sums up to the end of a day; to be called with ascending days. */
function sumsByDay({ days, uncosted }: WalletHistory): (dayMs: number) => Sums {
  const sums = { realized: 0n, cost: 0n }
  let next = 0
  return (dayMs) => {
    for (; next < days.length && days[next]!.day_ms <= dayMs; next++) {
      const { day_ms, realized, profit, flow } = days[next]!
      sums.realized += BigInt(realized)
      sums.cost += BigInt(profit) - BigInt(flow) + (uncosted.get(day_ms) ?? 0n)
    }
    return { ...sums }
  }
}

export function presentCalendar(
  { wallet, mode, range }: DaysRequest,
  rows: readonly DayRow[],
): CalendarAnswer {
  const months = Map.groupBy(rows, ({ day_ms }) => dateOf(day_ms).slice(0, MONTH_LENGTH))
  return {
    wallet,
    pnl_mode: mode,
    from: range.from,
    to: range.to,
    months: Array.from(months, ([month, days]) => ({
      month,
      realized_sol: lamportsToSol(realizedOf(days)),
      trade_count: days.reduce((count, day) => count + tradesOf(day), 0),
      active_days: days.length,
      win_days: days.filter(({ realized }) => BigInt(realized) > 0n).length,
      loss_days: days.filter(({ realized }) => BigInt(realized) < 0n).length,
      days: days.map(presentDay),
    })),
  }
}

const realizedOf = (days: readonly DayRow[]): bigint =>
  days.reduce((sum, { realized }) => sum + BigInt(realized), 0n)

const tradesOf = ({ buy_count, sell_count }: DayRow): number =>
  Number(buy_count) + Number(sell_count)

function presentDay(row: DayRow): CalendarAnswer['months'][number]['days'][number] {
  return {
    day: dateOf(row.day_ms),
    realized_sol: lamportsToSol(row.realized),
    volume_sol: lamportsToSol(row.volume_lamports),
    buy_count: row.buy_count,
    sell_count: row.sell_count,
    covered_sell_count: row.covered_sell_count,
    win_count: row.win_count,
    token_count: row.token_count,
  }
}
