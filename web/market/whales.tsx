/** Swaps of many SOL as they come, over the public feed. */

import type { StreamedSwap } from '../../clients/typescript/generated.ts'
import { useEventList } from '../client/event-list.ts'
import { choiceOf } from '../client/location.ts'
import { isSameTrade, type Trade, tradeOf, tradeOfStreamed } from '../client/trade.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { TRADE, TradeTable } from '../layout/trade-table.tsx'

const ROWS = 15
const COLUMNS = [TRADE.side, TRADE.sol, TRADE.token, TRADE.wallet, TRADE.venue, TRADE.when]
const THRESHOLDS = ['5', '10', '50', '100'] as const
const USUAL = '50'

export function Whales() {
  const minSol = choiceOf('whales', THRESHOLDS, USUAL)
  const trades = useEventList<Trade, StreamedSwap>('listWhaleSwaps', `whales ${minSol}`, {
    load: async (read) => {
      const filter = { min_sol: minSol, limit: ROWS }
      const { data: rows, feed_cursor } = await read('listWhaleSwaps', filter)
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
      of={trades}
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
        {(rows) => <TradeTable rows={rows} columns={COLUMNS} />}
      </States>
    </Panel>
  )
}
