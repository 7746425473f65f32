/** The newest swaps of a token, live. */
import { useEventList } from '../client/event-list.ts'
import type { StreamedSwap } from '../client/feed.ts'
import { choose, view } from '../client/location.ts'
import { get } from '../client/request.ts'
import { isSameTrade, type Trade, tradeKey, tradeOf, tradeOfStreamed } from '../client/trade.ts'
import { bpsFigure, lamportsFigure, tokensFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Panel, States } from '../layout/panel.tsx'
import { Num, Side, transactionPath, WalletLink, When } from '../layout/values.tsx'

const ROWS = 25

export function SwapsPanel({ mint }: { mint: string }) {
  const trades = useEventList<Trade, StreamedSwap>(`swaps ${mint}`, {
    load: async (signal) => {
      const { data: rows, feed_cursor } = await get(
        '/swaps/token/{mint}',
        { mint, limit: ROWS },
        signal,
      )
      return { data: rows.map(tradeOf), feed_cursor }
    },
    channel: 'swaps',
    filter: { tokens: [mint] },
    rowOf: tradeOfStreamed,
    isSame: isSameTrade,
    rowsMax: ROWS,
  })
  return (
    <Panel title="Newest swaps" class="swaps" note="of all pools">
      <States
        of={trades}
        rows={12}
        emptyText={(rows) => (rows.length === 0 ? 'No swap of this token is indexed.' : undefined)}
      >
        {(rows) => <Table rows={rows} />}
      </States>
    </Panel>
  )
}

function Table({ rows }: { rows: readonly Trade[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Side</th>
            <th scope="col" class="num">
              SOL
            </th>
            <th scope="col" class="num">
              Tokens
            </th>
            <th scope="col" class="num">
              Impact
            </th>
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
              <td class="num" data-figure="token_amount">
                <Num
                  value={row.token_amount}
                  as={(value) => tokensFigure(value, row.quote_decimals)}
                />
              </td>
              <td class="num" data-figure="price_impact_bps">
                <Num value={row.price_impact_bps} as={bpsFigure} />
              </td>
              <td>
                <WalletLink wallet={row.user} />
                <MarkButton wallet={row.user} />
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

/** Marks the swaps of a wallet on the candles. */
export function MarkButton({ wallet }: { wallet: string }) {
  const isMarked = view.value.query.get('wallet') === wallet
  return (
    <button
      type="button"
      class="mark"
      aria-pressed={isMarked}
      aria-label={`Mark swaps of ${wallet} on the candles`}
      title="Mark its swaps on the candles"
      onClick={() => choose('wallet', isMarked ? undefined : wallet)}
    >
      •
    </button>
  )
}
