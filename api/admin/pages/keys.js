/** The keys: made, shown once, rotated, revoked. */
import { act, button, confirmed, make, moment, part, request, say, table } from './parts.js'

const KEYS = '/admin/v1/keys'
const post = { method: 'POST' }

export function keys() {
  const show = table(
    part('keys'),
    [
      { title: 'Id', value: ({ id }) => id, className: 'number' },
      {
        title: 'Key',
        value: ({ hint }) => hint,
        cell: ({ hint, environment }) => make('code', {}, `${environment} ${hint}`),
      },
      { title: 'Tier', value: ({ tier }) => tier },
      { title: 'Account', value: ({ account }) => account },
      {
        title: 'Created (UTC)',
        value: ({ created_at }) => created_at,
        cell: ({ created_at }) => moment(created_at),
      },
      {
        title: 'Last used',
        value: ({ last_used_at }) => last_used_at,
        cell: ({ last_used_at }) => moment(last_used_at),
      },
      {
        title: 'State',
        value: stateOfKey,
        cell: (key) => make('span', { className: STATE_KINDS[stateOfKey(key)] }, wordsOfKey(key)),
      },
      { title: '', cell: actionsOf, className: 'actions' },
    ],
    { empty: 'No keys yet: create one above.', sortedBy: 'Id', isDescending: true },
  )
  const load = async () => show((await request(KEYS)).data)

  function actionsOf(key) {
    if (stateOfKey(key) === 'revoked') return ''
    const rotate = button('Rotate', '', async () => {
      if (
        !(await confirmed(
          `Make a successor of key ${key.id}? It works 7 days more itself.`,
          'Rotate',
        ))
      )
        return
      showKey((await request(`${KEYS}/${key.id}/rotate`, post)).data)
      await load()
    })
    const revoke = button('Revoke', 'danger', async () => {
      if (
        !(await confirmed(
          `Revoke key ${key.id} of ${key.account}? That cannot be undone.`,
          'Revoke',
        ))
      )
        return
      await request(`${KEYS}/${key.id}/revoke`, post)
      say(`Key ${key.id} is revoked.`)
      await load()
    })
    return make('span', {}, stateOfKey(key) === 'live' ? rotate : null, ' ', revoke)
  }

  part('new-key').addEventListener('submit', (event) => {
    event.preventDefault()
    const form = event.currentTarget
    act(form.querySelector('button'), async () => {
      const query = new URLSearchParams(new FormData(form))
      showKey((await request(`${KEYS}?${query}`, post)).data)
      form.reset()
      await load()
    })
  })
  act(make('button'), load)
}

const STATE_KINDS = { live: 'good', 'in grace': 'warn', ended: 'quiet', revoked: 'bad' }

function stateOfKey({ revoked_at, grace_until }) {
  if (revoked_at !== null) return 'revoked'
  if (grace_until === null) return 'live'
  return Date.parse(grace_until) > Date.now() ? 'in grace' : 'ended'
}

function wordsOfKey(key) {
  const state = stateOfKey(key)
  if (state === 'revoked') return `revoked ${moment(key.revoked_at)}`
  return state === 'in grace' ? `until ${moment(key.grace_until)}` : state
}

/** The one time that a key can be seen. */
function showKey({ id, key }) {
  const copy = button('Copy', '', () => navigator.clipboard.writeText(key))
  part('made').replaceChildren(
    make('p', {}, `Key ${id}. Store it now: it is never shown again.`),
    make('div', { className: 'secret' }, make('code', { id: 'made-key' }, key), copy),
  )
  say()
}
