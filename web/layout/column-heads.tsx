/** The heads of a table's columns: names of texts, and of numbers, which are aligned to the right. */
export type ColumnHead = string | { number: string }

type SortHeadProps = {
  title: string
  isNumber: boolean
  /** Absent: the rows are in the order of another column. */
  order: 'ascending' | 'descending' | undefined
  onSort: () => void
}

/** The head of a column that sorts the rows. */
export function SortHead({ title, isNumber, order, onSort }: SortHeadProps) {
  return (
    <th scope="col" class={isNumber ? 'num' : ''} aria-sort={order}>
      <button type="button" class="sort" onClick={onSort}>
        {title}
        <span aria-hidden="true">{order && (order === 'descending' ? ' ▾' : ' ▴')}</span>
      </button>
    </th>
  )
}

export function ColumnHeads({ of }: { of: readonly ColumnHead[] }) {
  return (
    <thead>
      <tr>
        {of.map((head) =>
          typeof head === 'string' ? (
            <th key={head} scope="col">
              {head}
            </th>
          ) : (
            <th key={head.number} scope="col" class="num">
              {head.number}
            </th>
          ),
        )}
      </tr>
    </thead>
  )
}
