/**
 * Values of several subjects by day as a table of coloured cells: green above 0, red with a minus below, stronger with the
 * amount. Each leads to its parts. A line below the table shows the cell under the pointer or the focus; arrow keys
 * move the focus.
 */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Figure, toneOf } from '../format/number.ts'

export type HeatRow = {
  key: string
  /** Names the row where there is no markup. */
  name: string
  heading: ComponentChildren
  /** Follows the heading. */
  total: ComponentChildren
  /** One for each day. */
  values: readonly number[]
  /** The page that shows the parts of a day's value. */
  hrefOf: (day: string) => string
}

type HeatmapProps = {
  /** For screen readers. */
  label: string
  /** Titles of the first two columns. */
  titles: readonly [heading: string, total: string]
  /** UTC dates, oldest first. */
  days: readonly string[]
  rows: readonly HeatRow[]
  as: (value: number) => Figure
}

/** A table of which one cell at a time is in the order of the Tab key. */
const GRID = { role: 'grid' } as const
/** Days up to which each column is titled; of more, each seventh. */
const TITLED_DAYS = 31
const WEEK_DAYS = 7
const STEPS: Readonly<Record<string, readonly [rows: number, days: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

export function Heatmap({ label, titles, days, rows, as }: HeatmapProps) {
  const table = useRef<HTMLTableElement>(null)
  const shown = useSignal('')
  useEffect(() => {
    // The newest days first, where the table is wider than its place.
    const holder = table.current?.parentElement
    if (holder) holder.scrollLeft = holder.scrollWidth
  }, [days.length])
  const most = Math.max(...rows.flatMap(({ values }) => values.map(Math.abs)), 0)
  const cellAt = (row: number, day: number): HTMLElement | null =>
    table.current?.querySelector(`[data-cell="${row} ${day}"]`) ?? null
  const show = ({ target }: Event): void => {
    const cell = target instanceof Element ? target.closest('[data-cell]') : null
    if (cell !== null) shown.value = cell.getAttribute('title') ?? ''
  }
  const focus = (event: Event): void => {
    const { target } = event
    if (!(target instanceof HTMLElement) || target.dataset.cell === undefined) return
    // One cell is in the order of the Tab key: the last one that had the focus.
    for (const other of table.current?.querySelectorAll<HTMLElement>('[data-cell][tabindex="0"]') ??
      [])
      other.tabIndex = -1
    target.tabIndex = 0
    show(event)
  }
  const move = (event: KeyboardEvent): void => {
    const { target, key } = event
    const step = STEPS[key]
    if (step === undefined || !(target instanceof HTMLElement)) return
    const [row = Number.NaN, day = Number.NaN] = (target.dataset.cell ?? '').split(' ').map(Number)
    const next = cellAt(row + step[0], day + step[1])
    if (Number.isNaN(row)) return
    event.preventDefault()
    next?.focus()
  }
  return (
    <>
      <div class="scroll">
        <table
          ref={table}
          class={days.length > TITLED_DAYS ? 'heatmap narrow' : 'heatmap'}
          {...GRID}
          aria-label={label}
          onPointerOver={show}
          onFocusIn={focus}
          onKeyDown={move}
        >
          <Head {...{ titles, days }} />
          <tbody>
            {rows.map((row, at) => (
              <tr key={row.key} data-heat={row.key}>
                <th scope="row">{row.heading}</th>
                {row.total}
                {row.values.map((value, day) => (
                  <Cell
                    key={days[day]}
                    {...{ row, value, most, as }}
                    name={`${at} ${day}`}
                    day={days[day] ?? ''}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Readout of={shown} />
    </>
  )
}

function Head({ titles, days }: Pick<HeatmapProps, 'titles' | 'days'>) {
  return (
    <thead>
      <tr>
        <th scope="col">{titles[0]}</th>
        <th scope="col" class="num">
          {titles[1]}
        </th>
        {days.map((day, at) => (
          <th key={day} scope="col" class="heat-day" title={day}>
            <DayTitle day={day} shown={shownOf(day, at, days.length)} />
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** The part of a date that its column shows: the day of the month, month and day where there is room, or nothing. */
function shownOf(day: string, at: number, count: number): string {
  if (count <= TITLED_DAYS) return day.slice(-2)
  return (count - 1 - at) % WEEK_DAYS === 0 ? day.slice(-5) : ''
}

function DayTitle({ day, shown }: { day: string; shown: string }) {
  return (
    <>
      <span class="unseen">{day}</span>
      <span aria-hidden="true">{shown}</span>
    </>
  )
}

type CellProps = {
  row: HeatRow
  value: number
  most: number
  as: (value: number) => Figure
  name: string
  day: string
}

function Cell({ row, value, most, as, name, day }: CellProps) {
  const { text, exact } = as(value)
  // The square root: small days stay visible next to one that is far larger.
  const heat = most === 0 ? 0 : Math.sqrt(Math.abs(value) / most)
  return (
    <td
      class={`heat ${toneOf(value, as)}`}
      style={{ '--heat': `${Math.round(heat * 100)}%` }}
      data-figure={day}
    >
      <a
        href={row.hrefOf(day)}
        title={`${row.name}, ${day}: ${exact}`}
        tabIndex={name === '0 0' ? 0 : -1}
        data-cell={name}
      >
        <span class="num unseen" title={exact}>
          {text}
        </span>
      </a>
    </td>
  )
}

function Readout({ of }: { of: Signal<string> }) {
  return <p class="legend quiet">{of.value || 'Point at a day, or move with the arrow keys.'}</p>
}
