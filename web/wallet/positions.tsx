/** Positions of a wallet by page, each opening the lots that its figures are made of. All choices are in the address. */

import { useEffect, useRef } from 'preact/hooks'
import type { Position, WalletTags } from '../../clients/typescript/generated.ts'
import { nounOf } from '../../domain/text/plural.ts'
import { shortened, shortText } from '../../domain/text/short-text.ts'
import { choiceOf, choose, view } from '../client/location.ts'
import type { Answer } from '../client/request.ts'
import { useFigures, useIsPinned } from '../client/slot/figures.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { countFigure, type Figure, plainText, solFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Choice } from '../layout/choice.tsx'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Address, Num, tokenPath, When } from '../layout/values.tsx'
import { chosenMode } from './choices.ts'
import { Lots } from './lots.tsx'

type Found = Answer<'getWalletPositions'>

const ROWS = 20
const RENEWED_MS = 15_000
const STATUSES = ['open', 'closed', 'all'] as const
const SORTS = ['value', 'realized', 'unrealized'] as const
const LEAST = ['any', '0.1', '1', '10'] as const
const USUAL = { status: 'open', sort: 'value', least: 'any' } as const
const COLUMNS = 8

type Tags = WalletTags['tags'] | undefined

/** `tags`: of now, undefined until they are read; a page of an earlier slot shows none. */
export function PositionsPanel({ wallet, tags }: { wallet: string; tags: Tags }) {
  const isPinned = useIsPinned()
  const mode = chosenMode()
  const status = choiceOf('status', STATUSES, USUAL.status)
  const sort = choiceOf('sort', SORTS, USUAL.sort)
  const least = choiceOf('least', LEAST, USUAL.least)
  const mint = view.value.query.get('mint') ?? undefined
  useEffect(() => {
    // A link from another page leads to the lots of one position.
    if (mint !== undefined) document.querySelector('.positions')?.scrollIntoView()
  }, [mint])
  const list = `${wallet} ${mode} ${status} ${sort} ${least} ${mint}`
  const page = usePage(list)
  const positions = useFigures(
    'getWalletPositions',
    `positions ${list} ${page}`,
    (read) =>
      read('getWalletPositions', {
        wallet,
        pnl_mode: mode,
        status,
        sort,
        mint,
        min_value_sol: least === USUAL.least ? undefined : least,
        limit: ROWS,
        offset: (page - 1) * ROWS,
      }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Positions"
      class="positions"
      of={positions}
      note={`SOL, ${mode}, by ${sort}`}
      aside={<Choices {...{ status, sort, least }} />}
    >
      {mint !== undefined && <ChosenMint mint={mint} />}
      <States
        of={positions}
        rows={8}
        emptyText={({ total }) =>
          Number(total) === 0 ? 'No position of this kind is indexed.' : undefined
        }
      >
        {(found) => (
          <>
            <Table wallet={wallet} rows={found.positions} tags={isPinned ? undefined : tags} />
            <Pages page={page} of={found} />
          </>
        )}
      </States>
    </Panel>
  )
}

/** Shows the lots of one position, open or closed. */
export function showLots(mint: string): void {
  choose('status', 'all')
  choose('least', undefined)
  choose('mint', mint)
  choose('lots', mint)
  document.querySelector('.positions')?.scrollIntoView()
}

function ChosenMint({ mint }: { mint: string }) {
  return (
    <p class="quiet">
      Of <span title={mint}>{symbols.value.get(mint) ?? shortened(mint)}</span> alone{' '}
      <button type="button" class="button" onClick={() => choose('mint', undefined)}>
        Show all
      </button>
    </p>
  )
}

/** The page in the address, from 1; the first again when the list becomes another. */
function usePage(list: string): number {
  const shown = useRef(list)
  useEffect(() => {
    if (shown.current !== list) choose('page', undefined)
    shown.current = list
  }, [list])
  const page = Number(view.value.query.get('page') ?? 1)
  return Number.isInteger(page) && page > 0 ? page : 1
}

type ChoicesProps = {
  status: (typeof STATUSES)[number]
  sort: (typeof SORTS)[number]
  least: (typeof LEAST)[number]
}

function Choices({ status, sort, least }: ChoicesProps) {
  return (
    <div class="choices">
      <Choice name="status" label="Status" values={STATUSES} chosen={status} usual={USUAL.status} />
      <Choice name="sort" label="Order" values={SORTS} chosen={sort} usual={USUAL.sort} />
      <Choice
        name="least"
        label="Least value"
        values={LEAST}
        chosen={least}
        usual={USUAL.least}
        textOf={(value) => (value === 'any' ? 'any value' : `≥ ${value} SOL`)}
      />
    </div>
  )
}

function Pages({ page, of: { total, positions } }: { page: number; of: Found }) {
  const before = (page - 1) * ROWS
  if (page === 1 && Number(total) <= ROWS) return null
  const show = (next: number) => choose('page', next === 1 ? undefined : String(next))
  return (
    <nav class="pages" aria-label="Pages of positions">
      <button type="button" class="button" disabled={page === 1} onClick={() => show(page - 1)}>
        Previous
      </button>
      <span class="quiet">
        {positions.length === 0 ? 'none' : `${before + 1} to ${before + positions.length}`} of{' '}
        <Num value={total} as={countFigure} />
      </span>
      <button
        type="button"
        class="button"
        disabled={before + ROWS >= Number(total)}
        onClick={() => show(page + 1)}
      >
        Next
      </button>
    </nav>
  )
}

function Table({ wallet, rows, tags }: { wallet: string; rows: readonly Position[]; tags: Tags }) {
  useSymbols(rows.map(({ mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <ColumnHeads
          of={[
            'Token',
            { number: 'Value' },
            { number: 'Cost left' },
            { number: 'Realized' },
            { number: 'Unrealized' },
            { number: 'Bought, sold' },
            { number: 'Last trade' },
            'Lots',
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.mint}
              wallet={wallet}
              row={row}
              tags={(tags ?? []).filter(({ mint }) => mint === row.mint)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps = { wallet: string; row: Position; tags: WalletTags['tags'] }

function Row({ wallet, row, tags }: RowProps) {
  const { mint } = row
  const isOpen = view.value.query.get('lots') === mint
  const symbol = symbols.value.get(mint)
  return (
    <>
      <tr data-mint={mint}>
        <td>
          <Address
            of={mint}
            kind="mint"
            href={`${tokenPath(mint)}?wallet=${wallet}`}
            label={symbol ? <b class="symbol">{symbol}</b> : undefined}
          />
          <Marks of={row} tags={tags} />
        </td>
        <td class="num" data-figure="current_value_sol">
          <Num value={row.current_value_sol} as={solFigure} />
        </td>
        <td class="num" data-figure="cost_basis_sol">
          <Num value={row.cost_basis_sol} as={solFigure} />
        </td>
        <td class="num" data-figure="realized_sol">
          <Num value={row.realized_sol} as={solFigure} isToned />
        </td>
        <td class="num" data-figure="unrealized_sol">
          <Num value={row.unrealized_sol} as={solFigure} isToned />
        </td>
        <td class="num">
          <span data-figure="total_buys_sol">
            <Num value={row.total_buys_sol} as={solFigure} />
          </span>
          ,{' '}
          <span data-figure="total_sells_sol">
            <Num value={row.total_sells_sol} as={solFigure} />
          </span>
        </td>
        <td class="num">
          <When ms={row.last_trade_ts} />
        </td>
        <td>
          <button
            type="button"
            class="button"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'close' : 'open'}: lots of ${symbol ?? mint}`}
            onClick={() => choose('lots', isOpen ? undefined : mint)}
          >
            {isOpen ? 'close' : 'open'}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={COLUMNS}>
            <Lots wallet={wallet} mint={mint} />
          </td>
        </tr>
      )}
    </>
  )
}

function Marks({ of, tags }: { of: Position; tags: WalletTags['tags'] }) {
  const { uncovered_sell_qty: quantity, uncovered_sell_sol: proceeds } = of
  return (
    <>
      {quantity > 0 && (
        <span
          class="flag"
          title={`Sold ${plainText(quantity)} ${nounOf(quantity, 'token')} for ${plainText(proceeds)} SOL that no indexed buy brought: they have no cost, and count in raw only`}
        >
          uncovered sells, <Num value={quantity} as={uncoveredFigure} /> {nounOf(quantity, 'token')}
        </span>
      )}
      {of.is_arbitrageur && <span class="flag">arbitrage</span>}
      {tags.map(({ tag }) => (
        <span key={tag} class="quiet tag" title="Tag of now">
          {spaced(tag)}
        </span>
      ))}
    </>
  )
}

const uncoveredFigure = (value: number): Figure => ({
  text: shortText(value),
  exact: `${plainText(value)} ${nounOf(value, 'token')} sold that no indexed buy brought`,
})
