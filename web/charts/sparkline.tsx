/** A price over a window as a line without axes, drawn by uPlot. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { changeFigure, toneOf } from '../format/number.ts'
import { colorOf, useScheme } from './colors.ts'

type SparklineProps = {
  /** Prices, oldest first. */
  values: readonly number[]
  /** For screen readers. */
  label: string
}

const SIZE = { width: 104, height: 28 }

export function Sparkline({ values, label }: SparklineProps) {
  const holder = useRef<HTMLSpanElement>(null)
  const scheme = useScheme()
  useEffect(() => {
    if (holder.current === null || values.length < 2) return
    const [first = 0] = values
    const change = first === 0 ? 0 : ((values.at(-1) ?? 0) / first - 1) * 100
    const tone = toneOf(change, changeFigure) || 'quiet'
    const hidden = { show: false }
    const plot = new uPlot(
      {
        ...SIZE,
        pxAlign: false,
        padding: [2, 2, 2, 2],
        cursor: hidden,
        legend: hidden,
        select: { show: false, left: 0, top: 0, width: 0, height: 0 },
        scales: { x: { time: false } },
        axes: [hidden, hidden],
        series: [{}, { stroke: colorOf(`--${tone}`), width: 1.5, points: hidden }],
      },
      [values.map((_, at) => at), [...values]],
      holder.current,
    )
    return () => plot.destroy()
  }, [values, scheme])
  return <span ref={holder} class="sparkline" role="img" aria-label={label} />
}
