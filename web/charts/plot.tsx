/** A plot with axes, drawn by uPlot: as wide as its holder, in the colours of the scheme, times in UTC. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { shortText } from '../../domain/text/short-text.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { colorOf, useScheme } from './colors.ts'

export type PlotSeries = {
  /** In the legend. */
  label: string
  color: `--${string}`
  /** One value for each of `x`; null: no value. */
  values: readonly (number | null)[]
  /** Absent: a line. */
  shape?: 'bars' | 'points'
}

type PlotProps = {
  /** Ascending. Unix seconds where `isTime`. */
  x: readonly number[]
  series: readonly PlotSeries[]
  isTime?: boolean
  /** Ends of the axis; absent: those of the values. */
  xRange?: [number, number]
  /** Seconds between two labels, ascending; absent: whole days. */
  xSteps?: readonly number[]
  /** Whether the axis of y begins at 0; absent: with the least value. */
  isFromZero?: boolean
  /** Name of x in the legend. */
  xLabel: string
  /** Texts of axis and legend. */
  xText: (value: number) => string
  yText?: (value: number) => string
  /** Whether the area between the first two series is filled. */
  isBand?: boolean
  /** For screen readers. */
  label: string
  heightPx?: number
}

const HEIGHT_PX = 260
/** Lines of few points show each. */
const POINTS_MAX = 40
/** Room above the largest value. */
const HEADROOM = 1.1
const AXIS_PX = 60
const LABEL_PX = 84
const SECOND_MS = 1_000
/** Seconds between two labels of a time: whole days, as uPlot steps months and years. */
const DAYS = [1, 2, 3, 7, 30, 60, 90, 180, 365, 730].map((days) => (days * DAY_MS) / SECOND_MS)

export function Plot(props: PlotProps) {
  const { x, series, isTime = false, xRange, xLabel, xText, yText = shortText } = props
  const { xSteps = DAYS, isFromZero = false, isBand = false, label, heightPx = HEIGHT_PX } = props
  const holder = useRef<HTMLDivElement>(null)
  const scheme = useScheme()
  useEffect(() => {
    const { current } = holder
    if (current === null) return
    const axis = {
      stroke: colorOf('--quiet'),
      grid: { stroke: colorOf('--line'), width: 1 },
      ticks: { stroke: colorOf('--line'), width: 1 },
    }
    const plot = new uPlot(
      {
        width: current.clientWidth,
        height: heightPx,
        // Room for half of the last label.
        padding: [null, LABEL_PX / 2, null, null],
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * SECOND_MS), 'Etc/UTC'),
        scales: {
          x: { time: isTime, ...(xRange && { range: xRange }) },
          y: isFromZero ? { range: (_, _least, most) => [0, (most || 1) * HEADROOM] } : {},
        },
        cursor: { drag: { x: false, y: false } },
        ...(isBand && { bands: [{ series: [1, 2], fill: colorOf('--mark') }] }),
        axes: [
          {
            ...axis,
            space: LABEL_PX,
            values: (_, values) => values.map(xText),
            ...(isTime && { incrs: [...xSteps] }),
          },
          { ...axis, size: AXIS_PX, values: (_, values) => values.map(yText) },
        ],
        series: [
          { label: xLabel, value: (_, value) => textOf(value, xText) },
          ...series.map((each) => seriesOf(each, yText)),
        ],
      },
      [[...x], ...series.map(({ values }) => [...values])],
      current,
    )
    const watch = new ResizeObserver(() => {
      plot.setSize({ width: current.clientWidth, height: heightPx })
    })
    watch.observe(current)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [x, series, scheme])
  return <div ref={holder} class="plot" role="img" aria-label={label} />
}

function seriesOf(
  { label, color, values, shape }: PlotSeries,
  yText: (value: number) => string,
): uPlot.Series {
  const stroke = colorOf(color)
  const common = {
    label,
    stroke,
    width: 1.5,
    value: (_: uPlot, value: number | null) => textOf(value, yText),
  }
  const { bars } = uPlot.paths
  if (shape === 'bars' && bars !== undefined) {
    return { ...common, fill: stroke, points: { show: false }, paths: bars({ size: [0.85, 60] }) }
  }
  if (shape === 'points') {
    return { ...common, paths: () => null, points: { show: true, size: 6, fill: stroke } }
  }
  return { ...common, points: { show: values.length <= POINTS_MAX } }
}

const textOf = (value: number | null, as: (value: number) => string): string =>
  value === null || value === undefined ? '' : as(value)
