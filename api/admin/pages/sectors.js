/** Sectors of tokens: set one by one or from a file, searched, removed. */
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

const SECTORS = '/admin/v1/sectors'
const LATE = 'no worker has applied it yet: it is in the stream and will be applied'

export function sectors() {
  const show = table(
    part('sectors'),
    [
      { title: 'Mint', value: ({ mint }) => mint, cell: ({ mint }) => make('code', {}, mint) },
      { title: 'Symbol', value: ({ symbol }) => symbol },
      { title: 'Sector', value: ({ sector }) => sector },
      { title: '', cell: removeOf, className: 'actions' },
    ],
    { empty: 'No token has a sector: add one, or import a file.', sortedBy: 'Sector' },
  )
  const load = searched(SECTORS, show, 'token')

  const showOutcome = async ({ mint, sector, is_counted }) => {
    const state = sector === '' ? 'has no sector' : `is in ${sector}`
    say(is_counted ? `${mint} ${state}.` : `${mint} ${state}, but ${LATE}.`)
    await load()
  }

  function removeOf({ mint, symbol, sector }) {
    return button('Remove', 'danger', async () => {
      if (!(await confirmed(`Take ${symbol ?? mint} out of ${sector}?`, 'Remove'))) return
      await showOutcome((await request(`${SECTORS}/${mint}`, { method: 'DELETE' })).data)
    })
  }

  storing(part('new-sector'), { path: SECTORS, key: 'mint', stored: showOutcome })
  importing('/admin/sectors/import', async ({ stored, is_counted }) => {
    await load()
    return `${grouped(stored)} stored${is_counted ? '' : ` (${LATE})`}`
  })
  act(make('button'), load)
}
