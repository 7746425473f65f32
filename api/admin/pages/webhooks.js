/** Webhooks: created, watched, paused, resumed, rotated, deleted. */
import {
  act,
  button,
  confirmed,
  grouped,
  make,
  moment,
  part,
  refreshing,
  request,
  say,
  table,
} from './parts.js'

const WEBHOOKS = '/admin/v1/webhooks'
const KINDS = { active: 'good', failing: 'warn', paused: 'bad' }
const post = { method: 'POST' }

export function webhooks() {
  const show = table(
    part('webhooks'),
    [
      { title: 'Id', value: ({ id }) => id, className: 'number' },
      { title: 'URL', value: ({ url }) => url, cell: ofWhat },
      { title: 'State', value: ({ state }) => state, cell: stateOf },
      {
        title: 'Waiting',
        value: ({ waiting }) => waiting,
        cell: ({ waiting }) => grouped(waiting),
        className: 'number',
      },
      {
        title: 'Delivered',
        value: ({ delivered }) => delivered,
        cell: ({ delivered }) => grouped(delivered),
        className: 'number',
      },
      {
        title: 'Last delivery (UTC)',
        value: ({ last_delivered_at }) => last_delivered_at,
        cell: ({ last_delivered_at }) => moment(last_delivered_at),
      },
      {
        title: 'Reason',
        value: ({ paused_at, last_error_at }) => paused_at ?? last_error_at,
        cell: reasonOf,
        className: 'reason',
      },
      { title: '', cell: actionsOf, className: 'actions' },
    ],
    { empty: 'No webhooks yet: create one above.', sortedBy: 'Id' },
  )
  const load = async () => show((await request(WEBHOOKS)).data)

  function actionsOf({ id, state, url }) {
    const change = async (action) => {
      await request(`${WEBHOOKS}/${id}/${action}`, post)
      await load()
    }
    const toggle =
      state === 'paused'
        ? button('Resume', '', () => change('resume'))
        : button('Pause', '', () => change('pause'))
    const rotate = button('Rotate', '', async () => {
      const question = `Make a new secret of webhook ${id}? For a day both sign.`
      if (!(await confirmed(question, 'Rotate'))) return
      showSecret((await request(`${WEBHOOKS}/${id}/rotate`, post)).data)
    })
    const remove = button('Delete', 'danger', async () => {
      if (
        !(await confirmed(`Delete the webhook to ${url}? Pending deliveries are lost.`, 'Delete'))
      )
        return
      await request(`${WEBHOOKS}/${id}`, { method: 'DELETE' })
      say(`Webhook ${id} is deleted.`)
      await load()
    })
    return make('span', {}, toggle, ' ', rotate, ' ', remove)
  }

  part('new-webhook').addEventListener('submit', (event) => {
    event.preventDefault()
    const form = event.currentTarget
    act(form.querySelector('button'), async () => {
      const { url, channel, filter } = Object.fromEntries(new FormData(form))
      const body = JSON.stringify({ url: url.trim(), channel, filter: readFilter(filter) })
      const headers = { 'Content-Type': 'application/json' }
      showSecret((await request(WEBHOOKS, { ...post, headers, body })).data)
      form.reset()
      await load()
    })
  })
  refreshing(load)
}

function readFilter(text) {
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text)
  } catch {
    throw new Error('filter: expected JSON, such as {"swap_type":"buy"}')
  }
}

function showSecret({ id, secret }) {
  const copy = button('Copy', '', () => navigator.clipboard.writeText(secret))
  part('made').replaceChildren(
    make('p', {}, `Secret of webhook ${id}. Store it now: it is never shown again.`),
    make('div', { className: 'secret' }, make('code', { id: 'made-secret' }, secret), copy),
  )
}

const stateOf = ({ state }) => make('span', { className: KINDS[state] }, state)

/** Of a pause, or of the newest attempt that failed. */
function reasonOf({ paused_at, pause_reason, last_error, last_error_at }) {
  if (pause_reason !== null) return `${moment(paused_at)} ${pause_reason}`
  return last_error === null ? '' : `${moment(last_error_at)} ${last_error}`
}

function ofWhat({ url, channel, filter }) {
  const more = `${channel} ${JSON.stringify(filter)}`
  return make('span', {}, make('code', {}, url), ' ', make('span', { className: 'quiet' }, more))
}
