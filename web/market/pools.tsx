/** The newest pools, as their creations come. */
import type { PoolEvent } from '../../clients/typescript/generated.ts'
import { venueTitle } from '../../domain/venue.ts'
import { useEventList } from '../client/event-list.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Address, TokenLink, transactionPath, When } from '../layout/values.tsx'

type Pool = Omit<PoolEvent, 'dex'> & { venue: number | string }
type Streamed = Omit<PoolEvent, 'dex'> & { kind: string; dex: string }

const ROWS = 10
const CREATED = 'created'

export function NewestPools() {
  const pools = useEventList<Pool, Streamed>('listPoolEvents', 'created pools', {
    load: async (read) => {
      const filter = { event: CREATED, limit: ROWS } as const
      const { data: rows, feed_cursor } = await read('listPoolEvents', filter)
      const pools = rows.map(({ dex, ...row }) => ({ ...row, venue: dex }))
      return { data: pools, feed_cursor }
    },
    channel: 'pool_events',
    filter: {},
    rowOf: ({ dex, ...row }) => (row.event === CREATED ? { ...row, venue: dex } : undefined),
    isSame: (one, other) =>
      one.signature === other.signature && one.pair_address === other.pair_address,
    rowsMax: ROWS,
  })
  return (
    <Panel title="Newest pools" class="pools" of={pools}>
      <States
        of={pools}
        emptyText={(rows) => (rows.length === 0 ? 'No creation of a pool is indexed.' : undefined)}
      >
        {(rows) => <Table rows={rows} />}
      </States>
    </Panel>
  )
}

function Table({ rows }: { rows: readonly Pool[] }) {
  useSymbols(rows.map(({ token_address: mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <ColumnHeads of={['Token', 'Pool', 'Venue', { number: 'Created' }]} />
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.signature} ${row.pair_address}`} class="arriving">
              <td>
                <TokenLink mint={row.token_address} symbol={symbols.value.get(row.token_address)} />
              </td>
              <td>
                <Address of={row.pair_address} kind="pool" />
              </td>
              <td class="venue">{venueTitle(row.venue)}</td>
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
