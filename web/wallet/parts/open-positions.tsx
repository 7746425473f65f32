/** Value, unrealized and cost of a wallet now: its open positions with quantity, price and cost, and the sums below. */

import type { Position, Risk } from '../../../clients/typescript/generated.ts'
import { nounOf } from '../../../domain/text/plural.ts'
import { shortText } from '../../../domain/text/short-text.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Answer } from '../../client/request.ts'
import { type Read, useFigures } from '../../client/slot/figures.ts'
import { symbols, useSymbols } from '../../client/symbols.ts'
import { type Figure, lamportsFigure, plainText, solFigure } from '../../format/number.ts'
import { doubleSum, exactSum } from '../../format/sums.ts'
import { ColumnHeads } from '../../layout/column-heads.tsx'
import { States } from '../../layout/panel.tsx'
import { Differs, MoreParts, partRows, readPages, sumTitle } from '../../layout/parts.tsx'
import { FigureLink, lotsPath, Num, TokenLink, tokenPartsPath, When } from '../../layout/values.tsx'

type OpenKind = 'value' | 'unrealized' | 'cost'
type Prices = Answer<'getTokensStats'>['stats']

/** Mints of one request. */
const MINTS_MAX = 200
const RENEWED_MS = 30_000

type OpenPartsProps = {
  wallet: string
  mode: PnlMode
  kind: OpenKind
  risk: Risk
  /** Whether the sums in `risk` are of now. */
  isOfNow: boolean
}

export function OpenParts({ wallet, mode, kind, risk, isOfNow }: OpenPartsProps) {
  const shown = partRows()
  const open = useFigures(
    'getWalletPositions',
    `parts of ${wallet} ${mode} ${kind} ${shown}`,
    async (read) => {
      const sort = kind === 'unrealized' ? 'unrealized' : 'value'
      const query = { wallet, pnl_mode: mode, sort } as const
      const { page, rows } = await readPages(
        shown,
        (part) => read('getWalletPositions', { ...query, ...part }),
        ({ positions }) => positions,
      )
      return { total: Number(page.total), rows, prices: await pricesOf(rows, read) }
    },
    { everyMs: RENEWED_MS },
  )
  return (
    <States
      of={open}
      rows={4}
      emptyText={({ total }) => (total === 0 ? 'No position is open.' : undefined)}
    >
      {({ total, rows, prices }) => (
        <>
          <Table {...{ wallet, rows, total, prices }} />
          <MoreParts shown={rows.length} total={total} />
          <Differs
            isSame={rows.length < total || isSumOf(rows, mode, risk)}
            areOfSlot={!isOfNow && !open.isOfNow}
          />
        </>
      )}
    </States>
  )
}

/** When each price was set; of the first mints only where there are more than one request takes. */
async function pricesOf(rows: readonly Position[], read: Read): Promise<Prices> {
  const mints = rows.slice(0, MINTS_MAX).map(({ mint }) => mint)
  if (mints.length === 0) return {}
  return (await read('getTokensStats', { mints })).stats
}

const worthOf = (rows: readonly Position[]) =>
  doubleSum(rows.map(({ current_value_sol: value }) => value))
const gainOf = (rows: readonly Position[]) =>
  doubleSum(rows.map(({ unrealized_sol: gain }) => gain))
const costOf = (rows: readonly Position[]) =>
  exactSum(rows.map(({ cost_basis_lamports: cost }) => cost))

function isSumOf(rows: readonly Position[], mode: PnlMode, risk: Risk): boolean {
  return (
    (worthOf(rows) ?? 0) === risk.total_open_value_sol &&
    gainOf(rows) === risk.open_unrealized_sol[mode] &&
    costOf(rows) === BigInt(risk.open_cost_lamports[mode])
  )
}

type TableProps = { wallet: string; rows: readonly Position[]; total: number; prices: Prices }

function Table({ wallet, rows, total, prices }: TableProps) {
  useSymbols(rows.map(({ mint }) => mint))
  const gain = gainOf(rows)
  return (
    <div class="scroll">
      <table>
        <ColumnHeads
          of={[
            'Token',
            { number: 'Tokens' },
            { number: 'Price, SOL' },
            { number: 'Value, SOL' },
            { number: 'Cost, SOL' },
            { number: 'Unrealized, SOL' },
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <Row key={row.mint} {...{ wallet, row, setAt: prices[row.mint]?.price_timestamp }} />
          ))}
        </tbody>
        <tfoot>
          <tr data-sum="open">
            <th scope="row">{sumTitle(rows.length, total)}</th>
            <td />
            <td />
            <td class="num" data-figure="total_open_value_sol">
              <Num value={worthOf(rows)} as={solFigure} />
            </td>
            <td class="num" data-figure="open_cost_lamports">
              <Num value={costOf(rows)} as={lamportsFigure} />
            </td>
            <td class="num" data-figure="open_unrealized_sol">
              <Num value={gain} as={solFigure} isToned />
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

type RowProps = { wallet: string; row: Position; setAt: number | bigint | null | undefined }

function Row({ wallet, row, setAt }: RowProps) {
  const { mint, price_sol: price, unrealized_sol: gain } = row
  const name = symbols.value.get(mint) ?? mint
  return (
    <tr data-part={mint}>
      <td>
        <TokenLink mint={mint} symbol={symbols.value.get(mint)} />
      </td>
      <td class="num" data-figure="qty">
        <FigureLink href={lotsPath(wallet, mint)} label={`lots of ${name}`}>
          <Num value={row.qty} as={quantityFigure} />
        </FigureLink>
      </td>
      <td class="num" data-figure="price_sol">
        {price === null ? (
          <Num value={price} as={solFigure} />
        ) : (
          <FigureLink href={tokenPartsPath(mint, 'price')} label={`price of ${name}`}>
            <span class="quiet">
              <When ms={setAt} />
            </span>{' '}
            <Num value={price} as={solFigure} />
          </FigureLink>
        )}
      </td>
      <td class="num" data-figure="current_value_sol">
        <Num value={row.current_value_sol} as={solFigure} />
      </td>
      <td class="num" data-figure="cost_basis_lamports">
        <Num value={row.cost_basis_lamports} as={lamportsFigure} />
      </td>
      <td class="num" data-figure="unrealized_sol">
        <Num value={gain} as={solFigure} isToned />
      </td>
    </tr>
  )
}

const quantityFigure = (value: number): Figure => ({
  text: shortText(value),
  exact: `${plainText(value)} ${nounOf(value, 'token')}`,
})
