/** KOLs: stored one by one or from a file, searched, removed. */
import {
  act,
  button,
  confirmed,
  grouped,
  importing,
  make,
  part,
  request,
  say,
  searched,
  storing,
  table,
} from './parts.js'

const KOLS = '/admin/v1/kols'

export function kols() {
  const show = table(
    part('kols'),
    [
      {
        title: 'Wallet',
        value: ({ wallet }) => wallet,
        cell: ({ wallet }) => make('code', {}, wallet),
      },
      { title: 'Name', value: ({ display_name }) => display_name },
      {
        title: 'Handle',
        value: ({ twitter_handle }) => twitter_handle,
        cell: ({ twitter_handle }) => (twitter_handle === '' ? '' : `@${twitter_handle}`),
      },
      { title: '', cell: removeOf, className: 'actions' },
    ],
    { empty: 'No KOLs here: add one, or import a file.', sortedBy: 'Name' },
  )
  const load = searched(KOLS, show, 'KOL')

  function removeOf({ wallet, display_name }) {
    return button('Remove', 'danger', async () => {
      if (!(await confirmed(`Remove ${display_name}?`, 'Remove'))) return
      await request(`${KOLS}/${wallet}`, { method: 'DELETE' })
      say(`${display_name} is removed.`)
      await load()
    })
  }

  storing(part('new-kol'), {
    path: KOLS,
    key: 'wallet',
    async stored({ display_name, is_new }) {
      say(`${display_name} is ${is_new ? 'added' : 'changed'}.`)
      await load()
    },
  })
  importing('/admin/kols/import', async ({ added, changed, unchanged }) => {
    await load()
    return `${grouped(added)} added, ${grouped(changed)} changed, ${grouped(unchanged)} as before`
  })
  act(make('button'), load)
}
