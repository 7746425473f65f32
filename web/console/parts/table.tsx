/** Tables of the console: each column sorts, and the order stays while the rows change. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { grouped } from '../../../domain/text/plural.ts'
import type { Loaded } from '../../client/loaded.ts'
import { secondText } from '../../format/time.ts'
import { SortHead } from '../../layout/column-heads.tsx'
import { States } from '../../layout/panel.tsx'

type Sorted = string | number | null | undefined

export type Column<Row> = {
  title: string
  /** Value that rows are sorted by; absent: the column has no head. */
  value?: (row: Row) => Sorted
  /** Absent: shows the value. */
  cell?: (row: Row) => ComponentChildren
  class?: 'num' | 'reason' | 'actions'
}

type TableProps<Row> = {
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string | number
  /** Title of a column. */
  sortedBy: string
  isDescending?: boolean
}

/** The rows of an answer, or the state that it is in. `empty`: shown where there is no row. */
export function LoadedTable<Row>({
  of,
  empty,
  ...table
}: TableProps<Row> & { of: Loaded<readonly Row[]>; empty: string }) {
  return <States of={of}>{(rows) => <Table {...{ ...table, rows, empty }} />}</States>
}

export function Table<Row>(props: TableProps<Row> & { rows: readonly Row[]; empty: string }) {
  const { columns, keyOf, rows, empty, sortedBy, isDescending = false } = props
  const order = useSignal({ title: sortedBy, isDescending })
  const sortBy = (title: string): void => {
    const { title: chosen, isDescending: wasDescending } = order.value
    order.value = { title, isDescending: title === chosen && !wasDescending }
  }
  if (rows.length === 0) return <p class="empty">{empty}</p>
  const { title: chosen, isDescending: isReversed } = order.value
  const column = columns.find(({ title }) => title === chosen)
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {columns.map(({ title, value, class: name }) =>
              value === undefined ? (
                <td key={title} />
              ) : (
                <SortHead
                  key={title}
                  title={title}
                  isNumber={name === 'num'}
                  order={title === chosen ? (isReversed ? 'descending' : 'ascending') : undefined}
                  onSort={() => sortBy(title)}
                />
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, column, isReversed).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, value, cell, class: name }) => (
                <td key={title} class={name}>
                  {cell === undefined ? (value?.(row) ?? '-') : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function sorted<Row>(
  rows: readonly Row[],
  column: Column<Row> | undefined,
  isDescending: boolean,
): readonly Row[] {
  const value = column?.value
  if (value === undefined) return rows
  const sign = isDescending ? -1 : 1
  return rows.toSorted((a, b) => sign * compare(value(a), value(b)))
}

/** Compares numbers by size and texts by the alphabet; unknown values come first. */
function compare(a: Sorted, b: Sorted): number {
  if (a === b) return 0
  if (a === null || a === undefined) return -1
  if (b === null || b === undefined) return 1
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))
}

/** A column of whole numbers. */
export const counts = <Row,>(
  title: string,
  value: (row: Row) => number | null,
  cell: (row: Row) => ComponentChildren = (row) => countText(value(row)),
): Column<Row> => ({ title, value, cell, class: 'num' })

/** A column of times, ISO 8601. */
export const times = <Row,>(title: string, value: (row: Row) => string | null): Column<Row> => ({
  title,
  value,
  cell: (row) => utcText(value(row)),
})

/** "-": there is none. */
export const countText = (count: number | null): string => (count === null ? '-' : grouped(count))

/** `2026-03-04 05:06:07` of ISO 8601; "-": it never was. */
export const utcText = (time: string | null): string =>
  time === null ? '-' : secondText(new Date(time).getTime())
