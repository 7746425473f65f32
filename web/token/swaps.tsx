/** The newest swaps of a token, live. */

import type { StreamedSwap } from '../../clients/typescript/generated.ts'
import { useEventList } from '../client/event-list.ts'
import { choose, view } from '../client/location.ts'
import { get } from '../client/request.ts'
import { isSameTrade, type Trade, tradeOf, tradeOfStreamed } from '../client/trade.ts'
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
  const trades = useEventList<Trade, StreamedSwap>(`swaps ${mint}`, {
    load: async (signal) => {
      const { data: rows, feed_cursor } = await get('listTokenSwaps', { mint, limit: ROWS }, signal)
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
