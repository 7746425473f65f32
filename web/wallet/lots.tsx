/** The proof of a position: each sell with the buys that it matched, the lots that are open, and their totals. */

import { useSignal } from '@preact/signals'
import type { PositionLots } from '../../clients/typescript/generated.ts'
import type { Int64 } from '../../domain/amount.ts'
import { nounOf } from '../../domain/text/plural.ts'
import { useFigures } from '../client/slot/figures.ts'
import { countFigure, lamportsFigure, tokensFigure } from '../format/number.ts'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { States } from '../layout/panel.tsx'
import { Address, Num, Side, transactionPath, When } from '../layout/values.tsx'
import { MoreButton } from './more.tsx'

type Sell = PositionLots['sells'][number]
type Match = Sell['matches'][number]
type Lot = PositionLots['lots'][number]

const ROWS = 25

type LotsProps = { wallet: string; mint: string; cursor?: string }

export function Lots({ wallet, mint, cursor }: LotsProps) {
  const isMoreShown = useSignal(false)
  const page = useFigures('getPositionLots', `lots ${wallet} ${mint} ${cursor}`, (read) =>
    read('getPositionLots', { wallet, mint, limit: ROWS, cursor }),
  )
  return (
    <div class="lots">
      <States of={page} rows={4}>
        {(found) => {
          const { sells, lots, next_cursor: next } = found
          const decimals = found.decimals === null ? null : Number(found.decimals)
          return (
            <>
              {cursor === undefined && <Totals of={found.totals} decimals={decimals} />}
              {sells.length > 0 && <Sells rows={sells} decimals={decimals} />}
              {lots.length > 0 && <OpenLots rows={lots} decimals={decimals} />}
              {next !== null &&
                (isMoreShown.value ? (
                  <Lots wallet={wallet} mint={mint} cursor={next} />
                ) : (
                  <MoreButton text="More lots" isShown={isMoreShown} />
                ))}
            </>
          )
        }}
      </States>
    </div>
  )
}

type TotalsProps = { of: PositionLots['totals']; decimals: number | null }

const AMOUNTS = [
  ['buys_lamports', 'Paid, SOL'],
  ['sells_lamports', 'Received, SOL'],
  ['realized_strict_lamports', 'Realized, strict'],
  ['realized_adjusted_lamports', 'Realized, adjusted'],
  ['realized_raw_lamports', 'Raw: received less paid'],
  ['cost_basis_strict_lamports', 'Cost left, strict'],
  ['cost_basis_adjusted_lamports', 'Cost left, adjusted'],
] as const

function Totals({ of, decimals }: TotalsProps) {
  const hasUncovered = BigInt(of.uncovered_sell_quantity) > 0n
  return (
    <dl class="facts" data-totals="lots">
      {AMOUNTS.map(([name, title]) => (
        <div key={name} data-figure={name}>
          <dt>{title}</dt>
          <dd>
            <Num value={of[name]} as={lamportsFigure} isToned={name.startsWith('realized')} />
          </dd>
        </div>
      ))}
      <div data-figure="balance">
        <dt>Tokens held</dt>
        <dd>
          <Num value={of.balance} as={(value) => tokensFigure(value, decimals)} />{' '}
          <span class="quiet">
            in {countFigure(of.open_lot_count).text} {nounOf(of.open_lot_count, 'lot')}
          </span>
        </dd>
      </div>
      {hasUncovered && (
        <div class="warn" data-figure="uncovered_sell_quantity">
          <dt>Tokens sold without an indexed buy</dt>
          <dd>
            <Num value={of.uncovered_sell_quantity} as={(value) => tokensFigure(value, decimals)} />
          </dd>
        </div>
      )}
    </dl>
  )
}

function TradeLink({ signature, timestamp }: { signature: string; timestamp: Int64 }) {
  return (
    <>
      <Address of={signature} kind="signature" href={transactionPath(signature)} />{' '}
      <span class="quiet">
        <When ms={timestamp} />
      </span>
    </>
  )
}

type RowsProps<Row> = { rows: readonly Row[]; decimals: number | null }

function Sells({ rows, decimals }: RowsProps<Sell>) {
  return (
    <div class="scroll">
      <table>
        <caption>Sells, each with the buys that it matched (oldest lots first)</caption>
        <ColumnHeads
          of={[
            'Swap',
            { number: 'Tokens' },
            { number: 'SOL' },
            { number: 'Cost, strict' },
            { number: 'Realized, strict' },
            { number: 'Cost, adjusted' },
            { number: 'Realized, adjusted' },
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <SoldRows
              key={`${row.signature} ${row.ix_index} ${row.matches_from}`}
              row={row}
              decimals={decimals}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SoldRows({ row, decimals }: { row: Sell; decimals: number | null }) {
  const tokens = (value: Int64) => tokensFigure(value, decimals)
  const uncovered = BigInt(row.quantity) - BigInt(row.covered_quantity)
  return (
    <>
      <tr data-sell={`${row.signature} ${row.ix_index}`}>
        <td>
          <Side isBuy={false} /> <TradeLink {...row} />
          {uncovered > 0n && (
            <span class="flag">
              <Num value={uncovered} as={tokens} /> without a buy
            </span>
          )}
        </td>
        <td class="num" data-figure="quantity">
          <Num value={row.quantity} as={tokens} />
        </td>
        <td class="num" data-figure="proceeds_lamports">
          <Num value={row.proceeds_lamports} as={lamportsFigure} />
        </td>
        <td class="num" data-figure="matched_cost_lamports">
          <Num value={row.matched_cost_lamports} as={lamportsFigure} />
        </td>
        <td class="num" data-figure="realized_strict_lamports">
          <Num value={row.realized_strict_lamports} as={lamportsFigure} isToned />
        </td>
        <td class="num" data-figure="average_cost_lamports">
          <Num value={row.average_cost_lamports} as={lamportsFigure} />
        </td>
        <td class="num" data-figure="realized_adjusted_lamports">
          <Num value={row.realized_adjusted_lamports} as={lamportsFigure} isToned />
        </td>
      </tr>
      {row.matches.map((match) => (
        <MatchRow
          key={`${match.signature} ${match.quantity} ${match.lot_quantity_before} ${match.lot_cost_before_lamports}`}
          match={match}
          tokens={tokens}
        />
      ))}
    </>
  )
}

type MatchProps = { match: Match; tokens: (value: Int64) => ReturnType<typeof tokensFigure> }

function MatchRow({ match, tokens }: MatchProps) {
  return (
    <tr class="match" data-match={match.signature}>
      <td>
        <Side isBuy /> <TradeLink {...match} />
      </td>
      <td class="num" data-figure="quantity">
        <Num value={match.quantity} as={tokens} />
      </td>
      <td />
      <td class="num" data-figure="cost_lamports">
        <Num value={match.cost_lamports} as={lamportsFigure} />
      </td>
      <td />
      <td />
      <td />
    </tr>
  )
}

function OpenLots({ rows, decimals }: RowsProps<Lot>) {
  const tokens = (value: Int64) => tokensFigure(value, decimals)
  return (
    <div class="scroll">
      <table>
        <caption>Open lots, oldest first</caption>
        <ColumnHeads
          of={[
            'Swap',
            { number: 'Tokens bought' },
            { number: 'SOL' },
            { number: 'Tokens left' },
            { number: 'Cost left' },
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <tr
              key={`${row.signature} ${row.ix_index}`}
              data-lot={`${row.signature} ${row.ix_index}`}
            >
              <td>
                <Side isBuy /> <TradeLink {...row} />
              </td>
              <td class="num" data-figure="bought_quantity">
                <Num value={row.bought_quantity} as={tokens} />
              </td>
              <td class="num" data-figure="bought_lamports">
                <Num value={row.bought_lamports} as={lamportsFigure} />
              </td>
              <td class="num" data-figure="quantity">
                <Num value={row.quantity} as={tokens} />
              </td>
              <td class="num" data-figure="cost_lamports">
                <Num value={row.cost_lamports} as={lamportsFigure} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
