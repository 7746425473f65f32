/** The tokens that fit all filters, a page at a time, sorted by the API. */
import type { ComponentChildren } from 'preact'
import type { WindowName } from '../../domain/time/trade-window.ts'
import { choiceOf, chooseAll } from '../client/location.ts'
import type { Answer, Given } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { countFigure } from '../format/number.ts'
import { SortHead } from '../layout/column-heads.tsx'
import { FIRST_PAGE, offsetOf, Pager } from '../layout/pager.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { FigureLink, TokenLink, tokenPartsPath, tokenPath } from '../layout/values.tsx'
import { type Column, ColumnChooser, columnsOf, type Screened, SORTED } from './columns.tsx'
import { filtersOf } from './filters.tsx'
import { useNewestPrices } from './prices.ts'

type Found = Answer<'screenTokens'>

const ROWS = 50
/** Requests of a page at rest count against its key. */
const RENEWED_MS = 5_000
const SORTS = SORTED.map(({ name }): string => name)
const USUAL_SORT = 'volume_usd'
const ORDERS = ['desc', 'asc'] as const
const USUAL_ORDER = 'desc'

type Sorting = { sort: string; order: (typeof ORDERS)[number] }

export function Results({ window }: { window: WindowName }) {
  const sorting = {
    sort: choiceOf('sort', SORTS, USUAL_SORT),
    order: choiceOf('order', ORDERS, USUAL_ORDER),
  }
  const query = { ...filtersOf(), window, ...sorting, limit: ROWS, offset: offsetOf() }
  const found = useFigures(
    'screenTokens',
    `screener ${JSON.stringify(query)}`,
    (read) => read('screenTokens', query as Given<'screenTokens'>),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Tokens"
      class="screened"
      of={found}
      note={found.value && `${countFigure(found.value.total_matches).exact} fit, in ${window}`}
      aside={<ColumnChooser />}
    >
      <States of={found} rows={15}>
        {(value) => <Page {...{ of: value, window, sorting }} />}
      </States>
    </Panel>
  )
}

type PageProps = { of: Found; window: WindowName; sorting: Sorting }

function Page({ of, window, sorting }: PageProps) {
  const offset = Number(of.offset)
  const total = Number(of.total_matches)
  const { results: rows, warnings } = of
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="stale">
          {warning}
        </p>
      ))}
      {rows.length > 0 && <Table {...{ rows, sorting, window }} />}
      {rows.length === 0 && (
        <p class="empty">
          {total === 0
            ? `No token fits these filters in ${window}.`
            : `There are no ${offset + 1} tokens that fit.`}
        </p>
      )}
      <Pager
        noun="tokens"
        offset={offset}
        shown={rows.length}
        limit={ROWS}
        total={total}
        hasNext={offset + rows.length < total && rows.length > 0}
      />
    </>
  )
}

type TableProps = { rows: readonly Screened[]; sorting: Sorting; window: WindowName }

function Table({ rows, sorting, window }: TableProps) {
  const columns = columnsOf()
  const newest = useNewestPrices(rows)
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Token</th>
            {columns.map((column) => (
              <Heading key={column.name} {...{ column, sorting }} />
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.map((row) => (
            <tr key={row.mint} data-mint={row.mint}>
              <td>
                <TokenLink mint={row.mint} symbol={row.symbol} />
              </td>
              {columns.map(({ name, isText = false, show }) => (
                <td key={name} {...(isText ? { class: 'text' } : figureCell(name))}>
                  {isText ? show(row) : <FigureOf {...{ row, name, window }}>{show(row)}</FigureOf>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type FigureOfProps = {
  row: Screened
  name: Column['name']
  window: WindowName
  children: ComponentChildren
}

/** Figures of the token itself; all others are of the window. */
const OWN_FIGURES: Readonly<Record<string, string>> = {
  price_usd: 'price',
  price_sol: 'price',
  liquidity_usd: 'liquidity',
  liquidity_sol: 'liquidity',
}
const WITHOUT_PARTS: ReadonlySet<string> = new Set(['holders', 'age_minutes'])

/** Leads to what the figure is made of, where that is shown on the page of the token. */
function FigureOf({ row, name, window, children }: FigureOfProps) {
  const parts = OWN_FIGURES[name] ?? window
  const href = WITHOUT_PARTS.has(name) ? tokenPath(row.mint) : tokenPartsPath(row.mint, parts)
  return (
    <FigureLink href={href} label={`${parts} of ${row.mint}`}>
      {children}
    </FigureLink>
  )
}

const figureCell = (name: string) => ({ class: 'num', 'data-figure': name })

function Heading({ column, sorting }: { column: Column; sorting: Sorting }) {
  const { name, title, isSorted, isText = false } = column
  if (!isSorted) {
    return (
      <th scope="col" class={isText ? '' : 'num'}>
        {title}
      </th>
    )
  }
  const isChosen = sorting.sort === name
  const isDescending = sorting.order === 'desc'
  const sort = (): void => {
    const order = isChosen && isDescending ? 'asc' : USUAL_ORDER
    chooseAll({
      sort: name === USUAL_SORT ? undefined : name,
      order: order === USUAL_ORDER ? undefined : order,
      ...FIRST_PAGE,
    })
  }
  return (
    <SortHead
      title={title}
      isNumber={!isText}
      order={isChosen ? (isDescending ? 'descending' : 'ascending') : undefined}
      onSort={sort}
    />
  )
}
