/** The KOLs: stored one by one or from a file, looked for, removed. */
import { act, ask, button, confirmed, counted, grouped, make, part, say, table } from './parts.js'

const KOLS = '/admin/v1/kols'
const post = { method: 'POST' }

export function kols() {
  let rows = []
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
  const draw = () => {
    const wanted = part('search').value.toLowerCase()
    show(
      rows.filter((kol) => Object.values(kol).some((text) => text.toLowerCase().includes(wanted))),
    )
    part('count').textContent = counted(rows.length, 'KOL')
  }
  const load = async () => {
    rows = []
    for (let cursor = ''; cursor !== null; ) {
      const more = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const answer = await ask(`${KOLS}${more}`)
      rows.push(...answer.data)
      cursor = answer.next_cursor
    }
    draw()
  }

  function removeOf({ wallet, display_name }) {
    return button('Remove', 'danger', async () => {
      if (!(await confirmed(`Remove ${display_name}?`, 'Remove'))) return
      await ask(`${KOLS}/${wallet}`, { method: 'DELETE' })
      say(`${display_name} is removed.`)
      await load()
    })
  }

  part('new-kol').addEventListener('submit', (event) => {
    event.preventDefault()
    const form = event.currentTarget
    act(form.querySelector('button'), async () => {
      const { wallet, ...rest } = Object.fromEntries(new FormData(form))
      const path = `${KOLS}/${encodeURIComponent(wallet.trim())}?${new URLSearchParams(rest)}`
      const { data: stored } = await ask(path, { method: 'PUT' })
      say(`${stored.display_name} is ${stored.is_new ? 'added' : 'changed'}.`)
      form.reset()
      await load()
    })
  })
  part('file').addEventListener('change', async ({ target }) => {
    part('lines').value = (await target.files[0]?.text()) ?? ''
  })
  part('import').addEventListener('click', ({ target }) => act(target, () => importKols(load)))
  part('search').addEventListener('input', draw)
  act(make('button'), load)
}

async function importKols(load) {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  const asked = { ...post, headers, body: part('lines').value }
  const { data: outcome } = await ask('/admin/kols/import', asked)
  const { added, changed, unchanged, refusals } = outcome
  const counts = `${grouped(added)} added, ${grouped(changed)} changed, ${grouped(unchanged)} as before`
  const refused = refusals.map((text) => `\n${text}`).join('')
  say(
    `${counts}, ${grouped(refusals.length)} refused.${refused}`,
    refusals.length > 0 ? 'bad' : 'good',
  )
  await load()
}
