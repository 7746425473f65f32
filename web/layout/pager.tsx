/** Links to the pages of a list, which the address names by its offset, as the API does. */
import { addressWith, view } from '../client/location.ts'
import { countFigure } from '../format/number.ts'

/** Rows to pass over. */
const OFFSET = 'offset'

/** Changes that lead back to the first page. */
export const FIRST_PAGE = { [OFFSET]: undefined } as const

/** The offset of the address; the API refuses one that is not a count. */
export function offsetOf(): string | undefined {
  return view.value.query.get(OFFSET) ?? undefined
}

type PagerProps = {
  /** Noun of the rows, in the plural. */
  noun: string
  offset: number
  /** Rows of this page. */
  shown: number
  /** Rows of a full page. */
  limit: number
  /** Rows of all pages; absent: not known. */
  total?: number | undefined
  hasNext: boolean
}

export function Pager({ noun, offset, shown, limit, total, hasNext }: PagerProps) {
  if (offset === 0 && !hasNext) return null
  const pageAt = (at: number): string => addressWith({ [OFFSET]: at <= 0 ? undefined : String(at) })
  const range = shown === 0 ? 'none' : `${textOf(offset + 1)} to ${textOf(offset + shown)}`
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      {offset > 0 && (
        <a class="button" rel="prev" href={pageAt(offset - limit)}>
          Previous
        </a>
      )}
      <span class="quiet num">
        {range}
        {total !== undefined && ` of ${textOf(total)}`}
      </span>
      {hasNext && (
        <a class="button" rel="next" href={pageAt(offset + limit)}>
          Next
        </a>
      )}
    </nav>
  )
}

const textOf = (count: number): string => countFigure(count).exact
