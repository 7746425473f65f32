/** How closed positions did: a histogram of their returns, and each return by the time for which it was held. */

import { useMemo } from 'preact/hooks'
import { counted, nounOf } from '../../../domain/text/plural.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { Plot } from '../../charts/deferred-plot.tsx'
import type { PlotSeries } from '../../charts/plot.tsx'
import type { Answer } from '../../client/request.ts'
import { useFigures } from '../../client/slot/figures.ts'
import { changeFigure, countFigure } from '../../format/number.ts'
import { durationText } from '../../format/time.ts'
import { Panel, States } from '../../layout/panel.tsx'
import { chosenMode } from '../choices.ts'
import { BAR_NAMES, countsOf, type Return, returnOf } from './returns.ts'

type Positions = Answer<'getWalletPositions'>

/** The most that one request returns. */
const POSITIONS_MAX = 200
const RENEWED_MS = 60_000
const SECOND_MS = 1_000
/** Decimal logarithm of the seconds that the axis shows at least: a day. */
const DAY_LOG = Math.log10(DAY_MS / SECOND_MS)

export function ReturnsPanel({ wallet }: { wallet: string }) {
  const mode = chosenMode()
  const closed = useFigures(
    'getWalletPositions',
    `closed ${wallet} ${mode}`,
    (read) =>
      read('getWalletPositions', {
        ...{ wallet, pnl_mode: mode, status: 'closed', sort: 'realized', limit: POSITIONS_MAX },
      }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Returns of closed positions"
      class="returns"
      of={closed}
      note={`realized by paid, ${mode}`}
    >
      <States of={closed} rows={8} emptyText={emptyTextOf}>
        {(found) => <Plots of={found} />}
      </States>
    </Panel>
  )
}

const returnsOf = ({ positions }: Positions): Return[] =>
  positions.flatMap((position) => returnOf(position) ?? [])

function emptyTextOf(found: Positions): string | undefined {
  if (found.positions.length === 0) return 'No position is closed.'
  return returnsOf(found).length === 0
    ? 'No closed position has a cost for all that it sold.'
    : undefined
}

function Plots({ of }: { of: Positions }) {
  const { returns, bars, points } = useMemo(() => {
    const found = returnsOf(of)
    return { returns: found, bars: barsOf(found), points: pointsOf(found) }
  }, [of])
  return (
    <>
      <div class="two">
        <Plot
          {...bars}
          xLabel="Return, %"
          xText={(at) => BAR_NAMES[at] ?? ''}
          yText={(count) => (Number.isInteger(count) ? String(count) : '')}
          label={`Histogram of ${counted(returns.length, 'return')} in percent`}
        />
        <Plot
          {...points}
          xLabel="Held"
          xRange={[0, Math.ceil(Math.max(DAY_LOG, points.x.at(-1) ?? 0))]}
          xText={(log) => durationText(10 ** log * SECOND_MS)}
          yText={(percent) => changeFigure(percent).text}
          label={`Returns of ${counted(points.x.length, 'position')} by the time held`}
        />
      </div>
      <p class="quiet legend">
        {returns.length} of {countFigure(of.total).text} closed {nounOf(of.total, 'position')}
        {Number(of.total) > POSITIONS_MAX && ` (read: the ${POSITIONS_MAX} that realized most)`}{' '}
        have a return: all that they sold has an indexed buy. Left: positions by return in percent.
        Right: return by the longest time that a sold lot was held.
      </p>
    </>
  )
}

type Plotted = { x: number[]; series: PlotSeries[] }

/** A bar a range, with room at both ends. */
function barsOf(returns: readonly Return[]): Plotted {
  const counts = countsOf(returns)
  return {
    x: [-1, ...counts.keys(), counts.length],
    series: [
      { label: 'Positions', color: '--accent', values: [null, ...counts, null], shape: 'bars' },
    ],
  }
}

/** By the decimal logarithm of the seconds held. */
function pointsOf(returns: readonly Return[]): Plotted {
  const known = returns
    .flatMap(({ percent, heldSeconds: held }) =>
      held === null ? [] : { percent, log: Math.log10(Math.max(1, held)) },
    )
    .sort((a, b) => a.log - b.log)
  return {
    x: known.map(({ log }) => log),
    series: [
      {
        label: 'Return',
        color: '--accent',
        values: known.map(({ percent }) => percent),
        shape: 'points',
      },
    ],
  }
}
