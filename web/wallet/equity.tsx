/** Realized profit of the period, day by day, by itself and with the value of the open positions. */

import { useMemo } from 'preact/hooks'
import { counted } from '../../domain/text/plural.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { dateOf, dayMsOf } from '../../domain/time/utc-day.ts'
import { Plot } from '../charts/deferred-plot.tsx'
import type { PlotSeries } from '../charts/plot.tsx'
import type { Answer } from '../client/request.ts'
import type { Figures } from '../client/slot/figures.ts'
import { changeFigure, countFigure, solFigure } from '../format/number.ts'
import { Panel, States } from '../layout/panel.tsx'
import { Num, Unknown } from '../layout/values.tsx'
import { DayButton } from './calendar.tsx'
import { chosenMode, chosenPeriod, MODE_TEXTS } from './choices.ts'

type Performance = Answer<'getWalletPerformance'>

const SECOND_MS = 1_000
const DAY_SECONDS = DAY_MS / SECOND_MS

export function EquityPanel({ performance }: { performance: Figures<Performance> }) {
  return (
    <Panel
      title="Equity, SOL"
      class="equity"
      of={performance}
      note={`${chosenPeriod()}, realized ${MODE_TEXTS[chosenMode()]}`}
    >
      <States
        of={performance}
        rows={8}
        emptyText={({ days }) =>
          days.length === 0 ? 'No trade of this wallet is indexed.' : undefined
        }
      >
        {(found) => (
          <>
            <Curve of={found} />
            <Facts of={found} />
          </>
        )}
      </States>
    </Panel>
  )
}

function Curve({ of }: { of: Performance }) {
  const { x, series } = useMemo(() => curveOf(of), [of])
  return (
    <>
      <Plot
        x={x}
        series={series}
        isTime
        xLabel="Day"
        xText={(seconds) => dateOf(seconds * SECOND_MS)}
        label={`Equity of ${counted(x.length, 'day')}: realized, and with open positions`}
      />
      <p class="quiet legend">
        Since the beginning of the period. With open positions: cash flow of all swaps plus the
        value of the holdings at the end of the day.
      </p>
    </>
  )
}

/**
 * SOL gained since the beginning of the period: since the end of its first day for a wallet that traded before, else since
 * the day before the first trade, when it had gained nothing.
 */
function curveOf({ from, days }: Performance): { x: number[]; series: PlotSeries[] } {
  const [first] = days
  const isOlder = first?.day === from
  const baseSol = isOlder ? first.equity_sol : 0
  let sum = 0
  const realized = days.map(({ realized_sol: gain }, at) => {
    if (at > 0 || !isOlder) sum += gain
    return sum
  })
  const equity = days.map(({ equity_sol: sol }) => sol - baseSol)
  const x = days.map(({ day }) => dayMsOf(day) / SECOND_MS)
  const start = isOlder ? [] : [0]
  return {
    x: [...start.map(() => (x[0] ?? 0) - DAY_SECONDS), ...x],
    series: [
      { label: 'Realized', color: '--accent', values: [...start, ...realized] },
      { label: 'With open positions', color: '--warn', values: [...start, ...equity] },
    ],
  }
}

function Facts({ of }: { of: Performance }) {
  const { kind, length } = of.current_streak
  return (
    <dl class="facts">
      <Extreme title="Best day" figure="best" of={of.best_day} />
      <Extreme title="Worst day" figure="worst" of={of.worst_day} />
      <div data-figure="active_days">
        <dt>Days with a trade</dt>
        <dd>
          <Num value={of.active_days} as={countFigure} />
        </dd>
      </div>
      <div>
        <dt>Streak now</dt>
        <dd>
          {kind === 'none' ? 'none' : `${length} ${length === 1 ? 'day' : 'days'} of ${kind}`}
        </dd>
      </div>
      <div data-figure="max_drawdown_realized_sol">
        <dt>Largest fall of realized</dt>
        <dd>
          <Num value={of.max_drawdown_realized_sol} as={solFigure} />{' '}
          {of.max_drawdown_realized_pct !== null && (
            <span class="quiet">{changeFigure(-of.max_drawdown_realized_pct).text}</span>
          )}
        </dd>
      </div>
      <div data-figure="max_drawdown_value_sol">
        <dt>Largest fall with open positions</dt>
        <dd>
          <Num value={of.max_drawdown_value_sol} as={solFigure} />
        </dd>
      </div>
    </dl>
  )
}

type ExtremeProps = { title: string; figure: string; of: Performance['best_day'] }

function Extreme({ title, figure, of }: ExtremeProps) {
  return (
    <div data-figure={figure}>
      <dt>{title}</dt>
      <dd>
        {of === null ? (
          <Unknown />
        ) : (
          <>
            <Num value={of.realized_sol} as={solFigure} isToned /> <DayButton day={of.day} />
          </>
        )}
      </dd>
    </div>
  )
}
