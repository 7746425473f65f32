/** A price over a window as a line without axes. It is part of the document: no chart library is needed for it. */

type SparklineProps = {
  /** Prices, oldest first; two at least. */
  values: readonly number[]
  /** For screen readers. */
  label: string
}

const SIZE = { width: 104, height: 28 }
/** Room for the width of the line. */
const MARGIN = 2

export function Sparkline({ values, label }: SparklineProps) {
  const isUp = (values.at(-1) ?? 0) >= (values[0] ?? 0)
  return (
    <svg
      class={`sparkline ${isUp ? 'up' : 'down'}`}
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      role="img"
      aria-label={label}
    >
      <polyline points={pointsOf(values)} />
    </svg>
  )
}

function pointsOf(values: readonly number[]): string {
  const least = Math.min(...values)
  // A price that did not change is a line in the middle.
  const range = Math.max(...values) - least
  const step = (SIZE.width - 2 * MARGIN) / (values.length - 1)
  const high = SIZE.height - 2 * MARGIN
  return values
    .map((value, at) => {
      const share = range === 0 ? 0.5 : (value - least) / range
      return `${(MARGIN + at * step).toFixed(1)},${(MARGIN + high * (1 - share)).toFixed(1)}`
    })
    .join(' ')
}
