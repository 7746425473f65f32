/** Day values as the chart shows them: the past as a series, today by itself. */
import { dateOf } from '../../../domain/time/utc-day.ts'
import { presentGaps, type TimedGap } from '../coverage/present.ts'
import type { DayValue, DayValues } from './day-values.ts'
import type { ChartPoint, ChartWanted, WalletChart } from './schema.ts'

export function presentChart(
  { w: wallet, window }: ChartWanted,
  { days, solUsd, firstMs = Number.POSITIVE_INFINITY }: DayValues,
  gaps: readonly TimedGap[] | undefined,
  { todayMs, nowMs }: { todayMs: number; nowMs: number },
): WalletChart {
  const point = ({ dayMs, valueSol, isClosed }: DayValue): ChartPoint => ({
    day: dateOf(dayMs),
    value_sol: valueSol,
    value_usd: solUsd === null ? null : valueSol * solUsd,
    provisional: !isClosed,
  })
  const today = days.find(({ dayMs }) => dayMs === todayMs)
  return {
    wallet,
    window,
    series: days.filter((day) => day !== today).map(point),
    today: point(today ?? { dayMs: todayMs, valueSol: 0, isClosed: false }),
    computed_at: nowMs,
    // A balance is the sum of all trades before it, those before the window among them.
    ...presentGaps(gaps, firstMs),
  }
}
