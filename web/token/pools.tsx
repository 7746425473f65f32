/** Pools of a token by recent volume. A pool chosen here is the one of the candles. */

import { venueTitle } from '../../domain/venue.ts'
import { choose, view } from '../client/location.ts'
import type { Answer } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { countFigure, solFigure } from '../format/number.ts'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Address, Num, When } from '../layout/values.tsx'

type Pool = Extract<Answer<'listPairs'>['data'][number], object>

const ROWS = 8
const RENEWED_MS = 15_000

export function PoolsPanel({ mint }: { mint: string }) {
  const pools = useFigures(
    'listPairs',
    mint,
    async (read) => {
      const { data: found } = await read('listPairs', { token_address: mint, limit: ROWS })
      return found as readonly Pool[]
    },
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel title="Pools" of={pools} note="by volume of 24h">
      <States
        of={pools}
        rows={3}
        emptyText={(rows) => (rows.length === 0 ? 'No pool with a swap is indexed.' : undefined)}
      >
        {(rows) => <Table rows={rows} />}
      </States>
    </Panel>
  )
}

function Table({ rows }: { rows: readonly Pool[] }) {
  const chosen = view.value.query.get('pool')
  return (
    <div class="scroll">
      <table>
        <ColumnHeads
          of={[
            'Pool',
            'Venue',
            { number: 'Volume, SOL' },
            { number: 'Trades' },
            { number: 'Liquidity, SOL' },
            { number: 'Last trade' },
            'Candles',
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <tr key={row.pair_address} data-pool={row.pair_address}>
              <td>
                <Address of={row.pair_address} kind="pool" />
              </td>
              <td class="venue">{venueTitle(row.protocol)}</td>
              <td class="num" data-figure="recent_volume_sol">
                <Num value={row.recent_volume_sol} as={solFigure} />
              </td>
              <td class="num" data-figure="recent_trade_count">
                <Num value={row.recent_trade_count} as={countFigure} />
              </td>
              <td class="num" data-figure="liquidity_sol">
                <Num value={row.liquidity_sol} as={solFigure} />
              </td>
              <td class="num">
                <When ms={row.last_trade_timestamp} />
              </td>
              <td>
                <button
                  type="button"
                  class="button"
                  aria-pressed={chosen === row.pair_address}
                  aria-label={`${chosen === row.pair_address ? 'shown' : 'show'}: candles of pool ${row.pair_address}`}
                  onClick={() =>
                    choose('pool', chosen === row.pair_address ? undefined : row.pair_address)
                  }
                >
                  {chosen === row.pair_address ? 'shown' : 'show'}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
