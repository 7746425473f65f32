/**
 * Candles with volume and marks, drawn by Lightweight Charts. It sets styles through the object model only and loads
 * nothing, as the policy of the pages demands; its notice is in the footer of every page.
 */
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type SeriesDataItemTypeMap,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useRef } from 'preact/hooks'
import { shortText } from '../../domain/text/short-text.ts'
import { colorOf, useScheme } from './colors.ts'

export type Bar = {
  /** Unix ms of the beginning of the bucket. */
  ms: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}
export type Mark = {
  /** Unix ms of the bucket. */
  ms: number
  isBuy: boolean
  /** One or two letters. */
  text: string
  /** Transaction that a click opens. */
  signature: string
}

type CandleChartProps = {
  /** Oldest first; as long as one does not change, it is the same object. */
  bars: readonly Bar[]
  /** Multiplies prices: from SOL to another unit. */
  factor: number
  marks: readonly Mark[]
  /** For screen readers. */
  label: string
  onMark: (signature: string) => void
}

type Drawn = {
  chart: IChartApi
  candles: ISeriesApi<'Candlestick'>
  volume: ISeriesApi<'Histogram'>
  marks: ISeriesMarkersPluginApi<Time>
}

type Shown = Pick<CandleChartProps, 'bars' | 'factor'>
const NOTHING: Shown = { bars: [], factor: 1 }

const VOLUME_SHARE = 0.8
const SECOND_MS = 1_000
const HEIGHT_PX = 420
/** More at first would be lines, not candles. */
const SHOWN_BARS = 300
/** Few candles stay candles. */
const BAR_PX_MAX = 28

/** Smaller than any price. */
const PRICE_STEP = 1e-15

/** The scale may reach below zero, where no price is, and its zero is a rounding error. */
function axisText(price: number): string {
  if (Math.abs(price) < PRICE_STEP) return '0'
  return price < 0 ? '' : shortText(price)
}

const timeOf = (ms: number): UTCTimestamp => (ms / SECOND_MS) as UTCTimestamp

export function CandleChart({ bars, factor, marks, label, onMark }: CandleChartProps) {
  const holder = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawn>(undefined)
  const shown = useRef({ candles: NOTHING, volume: NOTHING })
  const scheme = useScheme()
  useEffect(() => {
    if (holder.current === null) return
    const made = draw(holder.current)
    made.chart.subscribeClick(({ hoveredObjectId }) => {
      if (typeof hoveredObjectId === 'string') onMark(hoveredObjectId)
    })
    drawn.current = made
    shown.current = { candles: NOTHING, volume: NOTHING }
    return () => made.chart.remove()
  }, [scheme])
  useEffect(() => {
    if (drawn.current === undefined) return
    const { chart, candles, volume } = drawn.current
    const next = { bars, factor }
    const isFirst = shown.current.candles.bars.length === 0
    showBars(candles, candleOf, next, shown.current.candles)
    shown.current.candles = next
    if (isFirst) showNewest(chart, bars.length)
    // A frame later: thousands of both at once are more than a frame of work.
    const frame = requestAnimationFrame(() => {
      showBars(volume, columnOf, next, shown.current.volume)
      shown.current.volume = next
    })
    return () => cancelAnimationFrame(frame)
  }, [bars, factor, scheme])
  useEffect(() => {
    drawn.current?.marks.setMarkers(marks.map(markerOf))
  }, [marks, scheme])
  return <div ref={holder} class="candles" role="img" aria-label={label} />
}

function draw(holder: HTMLElement): Drawn {
  const chart = createChart(holder, {
    height: HEIGHT_PX,
    autoSize: true,
    layout: {
      attributionLogo: false,
      background: { color: colorOf('--card') },
      textColor: colorOf('--quiet'),
    },
    grid: { vertLines: { color: colorOf('--line') }, horzLines: { color: colorOf('--line') } },
    rightPriceScale: { borderColor: colorOf('--line') },
    timeScale: {
      borderColor: colorOf('--line'),
      timeVisible: true,
      secondsVisible: false,
      maxBarSpacing: BAR_PX_MAX,
    },
    localization: { priceFormatter: axisText },
  })
  const up = colorOf('--up')
  const down = colorOf('--down')
  const colors = { upColor: up, downColor: down, wickUpColor: up, wickDownColor: down }
  const candles = chart.addSeries(CandlestickSeries, {
    ...colors,
    borderVisible: false,
    priceFormat: { type: 'custom', formatter: axisText, minMove: PRICE_STEP },
  })
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    color: colorOf('--line'),
    priceFormat: { type: 'custom', formatter: shortText, minMove: 1e-9 },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: VOLUME_SHARE, bottom: 0 } })
  candles
    .priceScale()
    .applyOptions({ scaleMargins: { top: 0.06, bottom: 1 - VOLUME_SHARE + 0.04 } })
  return { chart, candles, volume, marks: createSeriesMarkers(candles, []) }
}

/** Changes the last bars only where the rest is what is shown; else draws all of them. */
function showBars<Kind extends 'Candlestick' | 'Histogram'>(
  series: ISeriesApi<Kind>,
  pointOf: (bar: Bar, factor: number) => SeriesDataItemTypeMap[Kind],
  { bars, factor }: Shown,
  before: Shown,
): void {
  const unchanged = before.bars.slice(0, -1)
  const isContinued =
    unchanged.length > 0 &&
    factor === before.factor &&
    unchanged.every((bar, at) => bar === bars[at]) &&
    bars.length > unchanged.length
  if (isContinued) {
    for (const bar of bars.slice(unchanged.length)) series.update(pointOf(bar, factor))
  } else series.setData(bars.map((bar) => pointOf(bar, factor)))
}

/** Older bars are reached by scrolling. */
function showNewest(chart: IChartApi, count: number): void {
  if (count <= SHOWN_BARS) chart.timeScale().fitContent()
  else chart.timeScale().setVisibleLogicalRange({ from: count - SHOWN_BARS, to: count })
}

const candleOf = ({ ms, open, high, low, close }: Bar, factor: number) => ({
  time: timeOf(ms),
  open: open * factor,
  high: high * factor,
  low: low * factor,
  close: close * factor,
})
const columnOf = ({ ms, volume: value }: Bar) => ({ time: timeOf(ms), value })

function markerOf({ ms, isBuy, text, signature }: Mark): SeriesMarker<Time> {
  return {
    time: timeOf(ms),
    position: isBuy ? 'belowBar' : 'aboveBar',
    shape: isBuy ? 'arrowUp' : 'arrowDown',
    color: colorOf(isBuy ? '--up' : '--down'),
    text,
    id: signature,
  }
}
