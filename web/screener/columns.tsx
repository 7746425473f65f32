/** Columns of the screener, and the choice among them in the address. */

import type { ComponentChildren } from 'preact'
import type { Int64 } from '../../domain/amount.ts'
import { counted } from '../../domain/text/plural.ts'
import { MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { venueTitle } from '../../domain/venue.ts'
import { choose, view } from '../client/location.ts'
import type { Answer } from '../client/request.ts'
import { countFigure, type Figure, solFigure, usdFigure } from '../format/number.ts'
import { durationText } from '../format/time.ts'
import { Change, Num, Unknown } from '../layout/values.tsx'

export type Screened = Answer<'screenTokens'>['results'][number]

export type Column = {
  /** Field of the API. */
  name: keyof Screened
  title: string
  /** Whether the API sorts by it. */
  isSorted: boolean
  isText?: boolean
  show: (row: Screened) => ComponentChildren
}

const PARAMETER = 'columns'

const ageFigure = (minutes: Int64): Figure => ({
  text: minutes < 1 ? 'under 1 min' : durationText(Number(minutes) * MINUTE_MS),
  exact: `${counted(minutes, 'minute')} from its first indexed swap to the newest of all`,
})
const textOf = (text: string | null) => (text === null ? <Unknown /> : text)
const countOf = (value: Int64) => <Num value={value} as={countFigure} />
const usdOf = (value: number | null) => <Num value={value} as={usdFigure} />
const solOf = (value: number | null) => <Num value={value} as={solFigure} />

/** In the order in which they are shown. */
const COLUMNS: readonly Column[] = [
  { name: 'name', title: 'Name', isSorted: false, isText: true, show: ({ name }) => textOf(name) },
  {
    name: 'price_usd',
    title: 'Price, USD',
    isSorted: true,
    show: ({ price_usd: value }) => usdOf(value),
  },
  {
    name: 'price_sol',
    title: 'Price, SOL',
    isSorted: false,
    show: ({ price_sol: value }) => solOf(value),
  },
  {
    name: 'change_pct',
    title: 'Change',
    isSorted: true,
    show: ({ change_pct: value }) => <Change value={value} />,
  },
  {
    name: 'volume_usd',
    title: 'Volume, USD',
    isSorted: true,
    show: ({ volume_usd: value }) => usdOf(value),
  },
  {
    name: 'volume_sol',
    title: 'Volume, SOL',
    isSorted: false,
    show: ({ volume_sol: value }) => solOf(value),
  },
  {
    name: 'liquidity_usd',
    title: 'Liquidity, USD',
    isSorted: true,
    show: ({ liquidity_usd: value }) => usdOf(value),
  },
  {
    name: 'liquidity_sol',
    title: 'Liquidity, SOL',
    isSorted: false,
    show: ({ liquidity_sol: value }) => solOf(value),
  },
  { name: 'trades', title: 'Trades', isSorted: true, show: ({ trades }) => countOf(trades) },
  { name: 'buys', title: 'Buys', isSorted: false, show: ({ buys }) => countOf(buys) },
  { name: 'sells', title: 'Sells', isSorted: false, show: ({ sells }) => countOf(sells) },
  { name: 'buyers', title: 'Buyers', isSorted: true, show: ({ buyers }) => countOf(buyers) },
  { name: 'sellers', title: 'Sellers', isSorted: false, show: ({ sellers }) => countOf(sellers) },
  { name: 'holders', title: 'Holders', isSorted: true, show: ({ holders }) => countOf(holders) },
  {
    name: 'age_minutes',
    title: 'Age',
    isSorted: true,
    show: ({ age_minutes: minutes }) => <Num value={minutes} as={ageFigure} />,
  },
  {
    name: 'sector',
    title: 'Sector',
    isSorted: false,
    isText: true,
    show: ({ sector }) => textOf(sector),
  },
  {
    name: 'protocols',
    title: 'Venues',
    isSorted: false,
    isText: true,
    show: ({ protocols }) => protocols.map(venueTitle).join(', '),
  },
]

const USUAL: readonly string[] = [
  'price_usd',
  'change_pct',
  'volume_usd',
  'liquidity_usd',
  'trades',
  'buyers',
  'holders',
  'age_minutes',
]

export const SORTED = COLUMNS.filter(({ isSorted }) => isSorted)

/** The columns of the address; names that are none are passed over. */
export function columnsOf(): readonly Column[] {
  const names = view.value.query.get(PARAMETER)?.split(',') ?? USUAL
  return COLUMNS.filter(({ name }) => names.includes(name))
}

export function ColumnChooser() {
  const chosen = columnsOf().map(({ name }): string => name)
  const toggle = (name: string): void => {
    const isOn = (each: string): boolean => chosen.includes(each) !== (each === name)
    const names = COLUMNS.map((column): string => column.name).filter(isOn)
    choose(PARAMETER, names.join() === USUAL.join() ? undefined : names.join())
  }
  return (
    <details class="columns">
      <summary>Columns</summary>
      <fieldset>
        <legend class="unseen">Columns</legend>
        {COLUMNS.map(({ name, title }) => (
          <label key={name}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  )
}
