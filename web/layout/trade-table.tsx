/** Swaps as a table of chosen columns; each cell has the exact value as its title. */
import type { ComponentChildren } from 'preact'
import { venueTitle } from '../../domain/venue.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { type Trade, tradeKey } from '../client/trade.ts'
import { bpsFigure, lamportsFigure, tokensFigure } from '../format/number.ts'
import { type ColumnHead, ColumnHeads } from './column-heads.tsx'
import { Num, Side, TokenLink, transactionPath, WalletLink, When } from './values.tsx'

export type TradeColumn = {
  title: string
  /** Field of the API that the cell shows as a number; absent: a text. */
  figure?: keyof Trade & string
  isRight?: boolean
  /** Class of the cells of a text. */
  class?: string
  cell: (trade: Trade) => ComponentChildren
}

/** The columns that pages choose from. */
export const TRADE = {
  side: { title: 'Side', cell: ({ is_buy: isBuy }) => <Side isBuy={isBuy} /> },
  sol: {
    title: 'SOL',
    figure: 'sol_amount',
    cell: ({ sol_amount: lamports }) => <Num value={lamports} as={lamportsFigure} />,
  },
  tokens: {
    title: 'Tokens',
    figure: 'token_amount',
    cell: ({ token_amount: units, quote_decimals: decimals }) => (
      <Num value={units} as={(value) => tokensFigure(value, decimals)} />
    ),
  },
  impact: {
    title: 'Impact',
    figure: 'price_impact_bps',
    cell: ({ price_impact_bps: bps }) => <Num value={bps} as={bpsFigure} />,
  },
  token: {
    title: 'Token',
    cell: ({ token_address: mint }) => <TokenLink mint={mint} symbol={symbols.value.get(mint)} />,
  },
  wallet: { title: 'Wallet', cell: ({ user }) => <WalletLink wallet={user} /> },
  venue: { title: 'Venue', class: 'venue', cell: ({ venue }) => venueTitle(venue) },
  when: {
    title: 'When',
    isRight: true,
    cell: ({ signature, timestamp }) => (
      <a href={transactionPath(signature)}>
        <When ms={timestamp} />
      </a>
    ),
  },
} as const satisfies Record<string, TradeColumn>

const classOf = ({ figure, isRight = figure !== undefined }: TradeColumn): string | undefined =>
  isRight ? 'num' : undefined

const headOf = (column: TradeColumn): ColumnHead =>
  classOf(column) === undefined ? column.title : { number: column.title }

/** `columns` in their order; one with tokens looks their symbols up. */
export function TradeTable({
  rows,
  columns,
}: {
  rows: readonly Trade[]
  columns: readonly TradeColumn[]
}) {
  useSymbols(columns.includes(TRADE.token) ? rows.map((row) => row.token_address) : [])
  return (
    <div class="scroll">
      <table>
        <ColumnHeads of={columns.map(headOf)} />
        <tbody>
          {rows.map((row) => (
            <tr key={tradeKey(row)} class="arriving" data-trade={tradeKey(row)}>
              {columns.map((column) => (
                <td
                  key={column.title}
                  class={classOf(column) ?? column.class}
                  data-figure={column.figure}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
