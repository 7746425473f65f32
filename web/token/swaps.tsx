/** The newest swaps of a token. */

import { choose, view } from '../client/location.ts'
import { useFigures } from '../client/slot/figures.ts'
import { tradeOf } from '../client/trade.ts'
import { Panel, States } from '../layout/panel.tsx'
import { TRADE, type TradeColumn, TradeTable } from '../layout/trade-table.tsx'
import { WalletLink } from '../layout/values.tsx'

const ROWS = 25

const MARKED: TradeColumn = {
  title: 'Wallet',
  cell: ({ user }) => (
    <>
      <WalletLink wallet={user} />
      <MarkButton wallet={user} />
    </>
  ),
}
const { side, sol, tokens, impact, venue, when } = TRADE
const COLUMNS = [side, sol, tokens, impact, MARKED, venue, when]

export function SwapsPanel({ mint }: { mint: string }) {
  const trades = useFigures('listTokenSwaps', `swaps ${mint}`, async (read) => {
    const { data: rows } = await read('listTokenSwaps', { mint, limit: ROWS })
    return rows.map(tradeOf)
  })
  return (
    <Panel title="Newest swaps" class="swaps" of={trades} note="of all pools">
      <States
        of={trades}
        rows={12}
        emptyText={(rows) => (rows.length === 0 ? 'No swap of this token is indexed.' : undefined)}
      >
        {(rows) => <TradeTable rows={rows} columns={COLUMNS} />}
      </States>
    </Panel>
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
