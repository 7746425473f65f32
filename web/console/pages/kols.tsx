/** KOLs: stored one by one or from a file, searched, removed. */
import { grouped } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import type { Kol, StoredKol } from '../answers.ts'
import { ActionButton } from '../parts/actions.tsx'
import { confirmed } from '../parts/confirmation.tsx'
import { say } from '../parts/notice.tsx'
import { DELETE, request, requestAll } from '../parts/request.ts'
import { ImportPanel, SearchedPanel, StorePanel } from '../parts/searched-list.tsx'
import type { Column } from '../parts/table.tsx'

const KOLS = '/admin/v1/kols'

type Imported = {
  added: number
  changed: number
  unchanged: number
  refusals: readonly string[]
  warnings: readonly string[]
}

export function KolsPage() {
  const kols = useLoaded('kols', (signal) => requestAll<Kol>(KOLS, signal))
  const stored = ({ display_name: name, is_new: isNew }: StoredKol): void => {
    say(`${name} is ${isNew ? 'added' : 'changed'}.`)
    kols.renew()
  }
  const remove = async ({ wallet, display_name: name }: Kol): Promise<void> => {
    if (!(await confirmed(`Remove ${name}?`, 'Remove'))) return
    await request(`${KOLS}/${wallet}`, DELETE)
    say(`${name} is removed.`)
    kols.renew()
  }
  const actions: Column<Kol> = {
    title: '',
    cell: (kol) => <ActionButton text="Remove" work={() => remove(kol)} isDangerous />,
    class: 'actions',
  }
  return (
    <>
      <StorePanel<StoredKol> path={KOLS} keyField="wallet" stored={stored}>
        <label class="wide">
          Wallet <input name="wallet" required maxlength={44} spellcheck={false} />
        </label>
        <label>
          Name <input name="display_name" required maxlength={200} />
        </label>
        <label>
          Handle <input name="twitter_handle" maxlength={16} placeholder="@handle" />
        </label>
      </StorePanel>
      <ImportPanel<Imported>
        kind="kols"
        columns="wallet, display_name, twitter_handle (left out: a known one stays)"
        imported={({ added, changed, unchanged }) => {
          kols.renew()
          return `${grouped(added)} added, ${grouped(changed)} changed, ${grouped(unchanged)} as before`
        }}
      />
      <SearchedPanel
        of={kols}
        noun="KOL"
        columns={[...COLUMNS, actions]}
        keyOf={({ wallet }) => wallet}
        sortedBy="Name"
        empty="No KOLs here: add one, or import a file."
      />
    </>
  )
}

const COLUMNS: readonly Column<Kol>[] = [
  { title: 'Wallet', value: ({ wallet }) => wallet, cell: ({ wallet }) => <code>{wallet}</code> },
  { title: 'Name', value: ({ display_name: name }) => name },
  {
    title: 'Handle',
    value: ({ twitter_handle: handle }) => handle,
    cell: ({ twitter_handle: handle }) => (handle === '' ? '' : `@${handle}`),
  },
]
