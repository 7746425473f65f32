/** The newest swaps of a wallet, live. */

import type { StreamedSwap } from '../../clients/typescript/generated.ts'
import { useEventList } from '../client/event-list.ts'
import { get } from '../client/request.ts'
import { isSameTrade, type Trade, tradeOf, tradeOfStreamed } from '../client/trade.ts'
import { Panel, States } from '../layout/panel.tsx'
import { TradeTable } from '../layout/trade-table.tsx'
import { TRADE_COLUMNS } from './trade-columns.ts'

const ROWS = 25

export function SwapsPanel({ wallet }: { wallet: string }) {
  const trades = useEventList<Trade, StreamedSwap>(`swaps ${wallet}`, {
    load: async (signal) => {
      const { data: rows, feed_cursor } = await get(
        'listTraderSwaps',
        { wallet, limit: ROWS },
        signal,
      )
      return { data: rows.map(tradeOf), feed_cursor }
    },
    channel: 'swaps',
    filter: { wallets: [wallet] },
    rowOf: tradeOfStreamed,
    isSame: isSameTrade,
    rowsMax: ROWS,
  })
  return (
    <Panel title="Newest swaps" class="swaps">
      <States
        of={trades}
        rows={12}
        emptyText={(rows) => (rows.length === 0 ? 'No swap of this wallet is indexed.' : undefined)}
      >
        {(rows) => <TradeTable rows={rows} columns={TRADE_COLUMNS} />}
      </States>
    </Panel>
  )
}
