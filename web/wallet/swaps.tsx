/** The newest swaps of a wallet. */

import { useFigures } from '../client/slot/figures.ts'
import { tradeOf } from '../client/trade.ts'
import { Panel, States } from '../layout/panel.tsx'
import { TradeTable } from '../layout/trade-table.tsx'
import { TRADE_COLUMNS } from './trade-columns.ts'

const ROWS = 25

export function SwapsPanel({ wallet }: { wallet: string }) {
  const trades = useFigures('listTraderSwaps', `swaps ${wallet}`, async (read) => {
    const { data: rows } = await read('listTraderSwaps', { wallet, limit: ROWS })
    return rows.map(tradeOf)
  })
  return (
    <Panel title="Newest swaps" class="swaps" of={trades}>
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
