/** Realized profit of each day of a month. A day opens its trades; month and day are in the address. */
import { useSignal } from '@preact/signals'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { dateOf, dayMsOf } from '../../domain/time/utc-day.ts'
import { choose, view } from '../client/location.ts'
import type { Answer } from '../client/request.ts'
import { useFigures, useNowMs } from '../client/slot/figures.ts'
import { tradeOf } from '../client/trade.ts'
import { solFigure, toneOf } from '../format/number.ts'
import { HistoryNote, Panel, States } from '../layout/panel.tsx'
import { TradeTable } from '../layout/trade-table.tsx'
import { Num } from '../layout/values.tsx'
import { chosenMode } from './choices.ts'
import { MoreButton } from './more.tsx'
import { TRADE_COLUMNS } from './trade-columns.ts'

type Day = Answer<'getWalletPerformance'>['days'][number]

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
const RENEWED_MS = 30_000
const TRADES = 50

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** The month that a date or a month lies in. */
const monthOf = (date: string): string => date.slice(0, 'YYYY-MM'.length)

/** Chosen in the address, else that of the chosen day, else the current one. */
function chosenMonth(nowMs: number): string {
  const { query } = view.value
  const month = query.get('month') ?? monthOf(query.get('day') ?? '')
  return MONTH.test(month) ? month : monthOf(dateOf(nowMs))
}

export function CalendarPanel({ wallet }: { wallet: string }) {
  const mode = chosenMode()
  const month = chosenMonth(useNowMs())
  const [first, last] = endsOf(month)
  const performance = useFigures(
    'getWalletPerformance',
    `calendar ${wallet} ${mode} ${month}`,
    (read) =>
      read('getWalletPerformance', {
        ...{ wallet, pnl_mode: mode, from: dateOf(first), to: dateOf(last) },
      }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="PnL calendar"
      class="days"
      of={performance}
      note={
        <>
          realized SOL of a day, {mode} <HistoryNote of={performance.value} />
        </>
      }
      aside={<Months month={month} />}
    >
      <States of={performance} rows={7}>
        {({ days }) => <Month month={month} days={days} />}
      </States>
    </Panel>
  )
}

/** Unix ms with which the first and the last day of a month begin. */
function endsOf(month: string): [number, number] {
  const first = dayMsOf(`${month}-01`)
  const { year, month: number } = partsOf(first)
  return [first, Date.UTC(year, number + 1, 1) - DAY_MS]
}

function partsOf(ms: number) {
  const date = new Date(ms)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() }
}

function shifted(month: string, by: number): string {
  const { year, month: number } = partsOf(dayMsOf(`${month}-01`))
  return monthOf(dateOf(Date.UTC(year, number + by, 1)))
}

function Months({ month }: { month: string }) {
  return (
    <span class="months">
      <button
        type="button"
        class="button"
        aria-label="Previous month"
        onClick={() => choose('month', shifted(month, -1))}
      >
        ‹
      </button>
      <span>{monthName.format(dayMsOf(`${month}-01`))}</span>
      <button
        type="button"
        class="button"
        aria-label="Next month"
        onClick={() => choose('month', shifted(month, 1))}
      >
        ›
      </button>
    </span>
  )
}

function Month({ month, days }: { month: string; days: readonly Day[] }) {
  const found = new Map(days.map((day) => [day.day, day]))
  return (
    <table class="month">
      <thead>
        <tr>
          {WEEKDAYS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week[0]}>
            {week.map((date) => (
              <Cell
                key={date}
                date={date}
                day={found.get(date)}
                isOther={monthOf(date) !== month}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Dates of the weeks that the month touches, from Monday on. */
function weeksOf(month: string): string[][] {
  const [first, last] = endsOf(month)
  const daysBefore = (new Date(first).getUTCDay() + WEEKDAYS.length - 1) % WEEKDAYS.length
  const weeks: string[][] = []
  for (let monday = first - daysBefore * DAY_MS; monday <= last; monday += 7 * DAY_MS) {
    weeks.push(WEEKDAYS.map((_, at) => dateOf(monday + at * DAY_MS)))
  }
  return weeks
}

type CellProps = { date: string; day: Day | undefined; isOther: boolean }

function Cell({ date, day, isOther }: CellProps) {
  if (isOther) return <td />
  const number = Number(date.slice(-2))
  if (day === undefined || !day.is_active) return <td class="quiet">{number}</td>
  const { realized_sol: realized } = day
  const isShown = view.value.query.get('day') === date
  return (
    <td>
      <button
        type="button"
        class={`day ${toneOf(realized, solFigure)}`}
        data-day={date}
        aria-pressed={isShown}
        title="Show its trades"
        onClick={() => choose('day', isShown ? undefined : date)}
      >
        <span class="unseen">{date}</span>
        <span class="quiet" aria-hidden="true">
          {number}
        </span>
        <span data-figure="realized_sol">
          <Num value={realized} as={solFigure} />
        </span>
      </button>
    </td>
  )
}

/** Opens the trades of a day in the calendar. */
export function DayButton({ day }: { day: string }) {
  return (
    <button
      type="button"
      class="link"
      title="Show its trades"
      onClick={() => {
        choose('month', undefined)
        choose('day', day)
      }}
    >
      {day}
    </button>
  )
}

/** Trades of the chosen day; nothing while there is none. */
export function DayPanel({ wallet }: { wallet: string }) {
  const day = view.value.query.get('day') ?? ''
  if (!DATE.test(day)) return null
  return (
    <Panel
      title={`Trades of ${day}`}
      class="trades-of-day"
      note="UTC, newest first"
      aside={
        <button type="button" class="button" onClick={() => choose('day', undefined)}>
          Close
        </button>
      }
    >
      <DayTrades key={day} wallet={wallet} day={day} />
    </Panel>
  )
}

type DayTradesProps = { wallet: string; day: string; cursor?: string }

/** Later pages follow on request. */
function DayTrades({ wallet, day, cursor }: DayTradesProps) {
  const isMoreShown = useSignal(false)
  const page = useFigures('listTraderSwaps', `day ${wallet} ${day} ${cursor}`, (read) =>
    read('listTraderSwaps', { wallet, from: day, to: day, limit: TRADES, cursor }),
  )
  return (
    <States
      of={page}
      rows={3}
      emptyText={({ data: rows, next_cursor: next }) =>
        rows.length === 0 && next === null ? 'No swap on this day.' : undefined
      }
    >
      {({ data: rows, next_cursor: next }) => (
        <>
          <TradeTable rows={rows.map(tradeOf)} columns={TRADE_COLUMNS} />
          {next !== null &&
            (isMoreShown.value ? (
              <DayTrades wallet={wallet} day={day} cursor={next} />
            ) : (
              <MoreButton text="More trades" isShown={isMoreShown} />
            ))}
        </>
      )}
    </States>
  )
}
