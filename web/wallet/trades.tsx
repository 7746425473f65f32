/** Swaps of a wallet as a table. */
import { symbols, useSymbols } from '../client/symbols.ts'
import { type Trade, tradeKey } from '../client/trade.ts'
import { bpsFigure, lamportsFigure, tokensFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Num, Side, TokenLink, transactionPath, When } from '../layout/values.tsx'

export function TradeTable({ rows }: { rows: readonly Trade[] }) {
  useSymbols(rows.map(({ token_address: mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Side</th>
            <th scope="col">Token</th>
            <th scope="col" class="num">
              SOL
            </th>
            <th scope="col" class="num">
              Tokens
            </th>
            <th scope="col" class="num">
              Impact
            </th>
            <th scope="col">Venue</th>
            <th scope="col" class="num">
              When
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={tradeKey(row)} class="arriving" data-trade={tradeKey(row)}>
              <td>
                <Side isBuy={row.is_buy} />
              </td>
              <td>
                <TokenLink mint={row.token_address} symbol={symbols.value.get(row.token_address)} />
              </td>
              <td class="num" data-figure="sol_amount">
                <Num value={row.sol_amount} as={lamportsFigure} />
              </td>
              <td class="num" data-figure="token_amount">
                <Num
                  value={row.token_amount}
                  as={(value) => tokensFigure(value, row.quote_decimals)}
                />
              </td>
              <td class="num" data-figure="price_impact_bps">
                <Num value={row.price_impact_bps} as={bpsFigure} />
              </td>
              <td>{spaced(row.venue)}</td>
              <td class="num">
                <a href={transactionPath(row.signature)}>
                  <When ms={row.timestamp} />
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
