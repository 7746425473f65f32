/** The heads of a table's columns: names of texts, and of numbers, which are aligned to the right. */
export type ColumnHead = string | { number: string }

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
