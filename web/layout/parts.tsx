/**
 * Parts of a figure: the button that opens them and the panel that shows them. One figure is open at a time;
 * which one, and how many of its parts are shown, is in the address.
 */
import type { ComponentChildren } from 'preact'
import { choose, view } from '../client/location.ts'
import { Panel } from './panel.tsx'

const PARAMETER = 'parts'
const ROWS_PARAMETER = 'part_rows'
const PANEL_ID = 'parts'
const FIRST_ROWS = 20
/** The most that one request returns. */
const PAGE_ROWS = 200

/** Name of the open figure. */
export const openParts = (): string | undefined => view.value.query.get(PARAMETER) ?? undefined

function open(name: string | undefined): void {
  choose(PARAMETER, name, { [ROWS_PARAMETER]: undefined })
}

type PartsButtonProps = {
  name: string
  /** The figure in words, for screen readers. */
  label: string
  children: ComponentChildren
}

/** A figure that opens its parts, and closes them again. */
export function PartsButton({ name, label, children }: PartsButtonProps) {
  const isOpen = openParts() === name
  return (
    <button
      type="button"
      class="figure"
      data-parts={name}
      aria-expanded={isOpen}
      onClick={() => open(isOpen ? undefined : name)}
    >
      {children}
      <span class="unseen">
        {' '}
        {isOpen ? 'close' : 'open'}: parts of {label}
      </span>
    </button>
  )
}

type PartsPanelProps = { title: ComponentChildren; note?: string; children: ComponentChildren }

export function PartsPanel({ title, note, children }: PartsPanelProps) {
  return (
    <div id={PANEL_ID}>
      <Panel
        title={title}
        class="parts"
        note={note}
        aside={
          <button type="button" class="button" onClick={() => open(undefined)}>
            Close
          </button>
        }
      >
        {children}
      </Panel>
    </div>
  )
}

/** Parts to show: a few, then as many pages as the address names. */
export function partRows(): number {
  const pages = Number(view.value.query.get(ROWS_PARAMETER) ?? 0) / PAGE_ROWS
  return Number.isInteger(pages) && pages > 0 ? pages * PAGE_ROWS : FIRST_ROWS
}

/** Rows of as many pages as `rows` takes, with the last page read. */
export async function readPages<Page, Row>(
  rows: number,
  read: (page: { limit: number; offset: number }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): Promise<{ page: Page; rows: readonly Row[] }> {
  const limit = Math.min(rows, PAGE_ROWS)
  let page = await read({ limit, offset: 0 })
  const found = [...rowsOf(page)]
  for (let offset = limit; offset < rows && found.length === offset; offset += limit) {
    page = await read({ limit, offset })
    found.push(...rowsOf(page))
  }
  return { page, rows: found }
}

/** Shows more parts, where there are more. */
export function MoreParts({ shown, total }: { shown: number; total: number }) {
  if (shown >= total) return null
  const next = (Math.floor(shown / PAGE_ROWS) + 1) * PAGE_ROWS
  return (
    <p>
      <button type="button" class="button" onClick={() => choose(ROWS_PARAMETER, String(next))}>
        More parts
      </button>{' '}
      <span class="quiet">
        {shown} of {total} are shown
      </span>
    </p>
  )
}

/** Names the sum below the parts. */
export const sumTitle = (shown: number, total: number): string =>
  shown < total ? `Sum of ${shown} of ${total}` : 'Sum'

/** Shown where the sum of all parts is not the figure: one of them is of now, so they were read at two moments. */
export function Differs({ isSame, areOfSlot = false }: { isSame: boolean; areOfSlot?: boolean }) {
  if (isSame || areOfSlot) return null
  return (
    <p class="stale">The figure above was read at another moment: it follows within a minute.</p>
  )
}
