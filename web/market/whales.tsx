/** Swaps of many SOL as they come, over the public feed. */
import { useEventList } from '../client/event-list.ts'
import type { StreamedSwap } from '../client/feed.ts'
import { choiceOf } from '../client/location.ts'
import { get } from '../client/request.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { isSameTrade, type Trade, tradeKey, tradeOf, tradeOfStreamed } from '../client/trade.ts'
import { lamportsFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Num, Side, TokenLink, transactionPath, WalletLink, When } from '../layout/values.tsx'

const ROWS = 15
const THRESHOLDS = ['5', '10', '50', '100'] as const
const USUAL = '50'

export function Whales() {
  const minSol = choiceOf('whales', THRESHOLDS, USUAL)
  const trades = useEventList<Trade, StreamedSwap>(`whales ${minSol}`, {
    load: async (signal) => {
      const { data: rows, feed_cursor } = await get(
        '/swaps/whale',
        { min_sol: minSol, limit: ROWS },
        signal,
      )
      return { data: rows.map(tradeOf), feed_cursor }
    },
    channel: 'swaps',
    filter: { min_sol: minSol },
    rowOf: tradeOfStreamed,
    isSame: isSameTrade,
    rowsMax: ROWS,
  })
  return (
    <Panel
      title="Whale swaps"
      class="whales"
      note={`${minSol} SOL or more`}
      aside={
        <Choice
          name="whales"
          label="Least SOL"
          values={THRESHOLDS}
          chosen={minSol}
          usual={USUAL}
          textOf={(value) => `${value} SOL`}
        />
      }
    >
      <States
        of={trades}
        rows={8}
        emptyText={(rows) =>
          rows.length === 0 ? `No swap of ${minSol} SOL is indexed yet.` : undefined
        }
      >
        {(rows) => <Table rows={rows} />}
      </States>
    </Panel>
  )
}

function Table({ rows }: { rows: readonly Trade[] }) {
  useSymbols(rows.map(({ token_address: mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Side</th>
            <th scope="col" class="num">
              SOL
            </th>
            <th scope="col">Token</th>
            <th scope="col">Wallet</th>
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
              <td class="num" data-figure="sol_amount">
                <Num value={row.sol_amount} as={lamportsFigure} />
              </td>
              <td>
                <TokenLink mint={row.token_address} symbol={symbols.value.get(row.token_address)} />
              </td>
              <td>
                <WalletLink wallet={row.user} />
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
