/** Sectors of tokens: stored one by one or from a file, searched, removed. */
import { grouped } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import type { Sector, StoredSector } from '../answers.ts'
import { ActionButton } from '../parts/actions.tsx'
import { confirmed } from '../parts/confirmation.tsx'
import { say } from '../parts/notice.tsx'
import { DELETE, request, requestAll } from '../parts/request.ts'
import { ImportPanel, SearchedPanel, StorePanel } from '../parts/searched-list.tsx'
import type { Column } from '../parts/table.tsx'

const SECTORS = '/admin/v1/sectors'
const LATE = 'no worker has applied it yet: it is in the stream and will be applied'

type Imported = { stored: number; is_counted: boolean; refusals: readonly string[] }

export function SectorsPage() {
  const sectors = useLoaded('sectors', (signal) => requestAll<Sector>(SECTORS, signal))
  const stored = ({ mint, sector, is_counted: isCounted }: StoredSector): void => {
    const state = sector === '' ? 'has no sector' : `is in ${sector}`
    say(isCounted ? `${mint} ${state}.` : `${mint} ${state}, but ${LATE}.`)
    sectors.renew()
  }
  const remove = async ({ mint, symbol, sector }: Sector): Promise<void> => {
    if (!(await confirmed(`Take ${symbol ?? mint} out of ${sector}?`, 'Remove'))) return
    stored(await request<StoredSector>(`${SECTORS}/${mint}`, DELETE))
  }
  const actions: Column<Sector> = {
    title: '',
    cell: (row) => <ActionButton text="Remove" work={() => remove(row)} isDangerous />,
    class: 'actions',
  }
  return (
    <>
      <StorePanel<StoredSector> path={SECTORS} keyField="mint" stored={stored}>
        <label class="wide">
          Mint <input name="mint" required maxlength={44} spellcheck={false} />
        </label>
        <label>
          Sector <input name="sector" required maxlength={200} />
        </label>
      </StorePanel>
      <ImportPanel<Imported>
        kind="sectors"
        columns="mint, sector"
        imported={({ stored: count, is_counted: isCounted }) => {
          sectors.renew()
          return `${grouped(count)} stored${isCounted ? '' : ` (${LATE})`}`
        }}
      />
      <SearchedPanel
        of={sectors}
        noun="token"
        columns={[...COLUMNS, actions]}
        keyOf={({ mint }) => mint}
        sortedBy="Sector"
        empty="No token has a sector: add one, or import a file."
      />
    </>
  )
}

const COLUMNS: readonly Column<Sector>[] = [
  { title: 'Mint', value: ({ mint }) => mint, cell: ({ mint }) => <code>{mint}</code> },
  { title: 'Symbol', value: ({ symbol }) => symbol },
  { title: 'Sector', value: ({ sector }) => sector },
]
