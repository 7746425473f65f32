/** Charts of the last hour, each with its last, lowest and highest value as text. */
import { useMemo } from 'preact/hooks'
import { shortText } from '../../../domain/text/short-text.ts'
import { Plot } from '../../charts/plot.tsx'
import { useLoaded } from '../../client/loaded.ts'
import { type Figure, plainText } from '../../format/number.ts'
import { durationText, exactTimeText } from '../../format/time.ts'
import { Panel, States } from '../../layout/panel.tsx'
import { Num } from '../../layout/values.tsx'
import type { Samples } from '../answers.ts'
import { requestAnswer } from '../parts/request.ts'
import { CHARTS, type Chart, extentOf } from './chart-list.ts'

const SAMPLES_PATH = '/admin/v1/samples'

const SAMPLES_MIN = 2
const SECOND_MS = 1_000
const RENEWED_MS = 5_000
const HEIGHT_PX = 190
/** Seconds between two labels. */
const STEPS = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1_800]

export function ChartsPage() {
  const loaded = useLoaded(
    'samples',
    (signal) => requestAnswer<Record<'data', Samples>>(SAMPLES_PATH, { signal }),
    { everyMs: RENEWED_MS },
  )
  return (
    <States
      of={loaded}
      emptyText={({ data }) =>
        data.at.length < SAMPLES_MIN
          ? `A chart needs two samples; one is taken every ${durationText(data.every_ms)}.`
          : undefined
      }
    >
      {({ data }) => (
        <div class="charts">
          {CHARTS.map((chart) => (
            <ChartPanel key={chart.title} chart={chart} of={data} />
          ))}
        </div>
      )}
    </States>
  )
}

function ChartPanel({ chart, of }: { chart: Chart; of: Samples }) {
  const { title, unit, series: shown, emptyText } = chart
  const { x, series } = useMemo(
    () => ({
      x: of.at.map((time) => new Date(time).getTime() / SECOND_MS),
      series: shown.map(({ name, label, color }) => ({ label, color, values: of.series[name] })),
    }),
    [of],
  )
  const isEmpty = series.every(({ values }) => extentOf(values) === undefined)
  return (
    <Panel title={`${title}, ${unit}`}>
      {isEmpty ? (
        <p class="empty">{emptyText}</p>
      ) : (
        <>
          <Plot
            {...{ x, series, xSteps: STEPS, heightPx: HEIGHT_PX }}
            isTime
            isFromZero
            xLabel="Time"
            xText={(seconds) => exactTimeText(seconds * SECOND_MS).slice(11, 19)}
            label={`${title}, ${unit}, in the last hour: the table below has its values`}
          />
          <Readings chart={chart} of={of} />
        </>
      )}
    </Panel>
  )
}

function Readings({ chart: { title, series }, of }: { chart: Chart; of: Samples }) {
  return (
    <table class="readings">
      <caption class="unseen">{title} in the last hour</caption>
      <thead>
        <tr>
          <th scope="col">Series</th>
          {['Last', 'Lowest', 'Highest'].map((name) => (
            <th key={name} scope="col" class="num">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.map(({ name, label, color }) => {
          const { last = null, lowest = null, highest = null } = extentOf(of.series[name]) ?? {}
          return (
            <tr key={name} data-series={name}>
              <th scope="row">
                <span class="swatch" style={{ color: `var(${color})` }} />
                {label}
              </th>
              <Reading name="last" value={last} />
              <Reading name="lowest" value={lowest} />
              <Reading name="highest" value={highest} />
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const readingFigure = (value: number): Figure => ({
  text: shortText(value),
  exact: plainText(value),
})

function Reading({ name, value }: { name: string; value: number | null }) {
  return (
    <td class="num" data-figure={name}>
      <Num value={value} as={readingFigure} />
    </td>
  )
}
