/** Replays: started, watched, stopped. */
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

const REPLAYS = '/admin/v1/replays'
const ENDED = ['done', 'stopped', 'failed']
const KINDS = { running: 'good', paused: 'warn', failed: 'bad' }

export function replays() {
  const show = table(
    part('replays'),
    [
      {
        title: 'Requested (UTC)',
        value: ({ asked_at }) => asked_at,
        cell: ({ asked_at }) => moment(asked_at),
      },
      { title: 'Subject', value: ({ subject }) => subject, cell: ofWhat },
      {
        title: 'To subject',
        value: ({ to_subject }) => to_subject,
        cell: ({ to_subject }) => make('code', {}, to_subject),
      },
      {
        title: 'Speed',
        value: ({ speed }) => speed ?? Number.POSITIVE_INFINITY,
        cell: ({ speed }) => speed ?? 'max',
        className: 'number',
      },
      { title: 'State', value: ({ state }) => state, cell: stateOf },
      {
        title: 'Events',
        value: ({ events }) => events,
        cell: ({ events }) => grouped(events),
        className: 'number',
      },
      { title: 'Place', value: placeOf },
      {
        title: 'Failure',
        value: ({ failure }) => failure,
        cell: ({ failure }) => failure ?? '',
        className: 'reason',
      },
      { title: '', cell: stopOf, className: 'actions' },
    ],
    { empty: 'No replay yet.', sortedBy: 'Requested (UTC)', isDescending: true },
  )
  const load = async () => show((await request(REPLAYS)).data)

  function stopOf({ id, state }) {
    if (ENDED.includes(state)) {
      return button('Forget', '', async () => {
        await request(`${REPLAYS}/${id}`, { method: 'DELETE' })
        await load()
      })
    }
    return button('Stop', 'danger', async () => {
      if (!(await confirmed('Stop this replay?', 'Stop'))) return
      await request(`${REPLAYS}/${id}`, { method: 'DELETE' })
      say('The replay stops within a second.')
      await load()
    })
  }

  part('new-replay').addEventListener('submit', (event) => {
    event.preventDefault()
    const form = event.currentTarget
    act(form.querySelector('button'), async () => {
      const given = [...new FormData(form)].map(([name, text]) => [name, text.trim()])
      const query = new URLSearchParams(given.filter(([, text]) => text !== ''))
      const { data: started } = await request(`${REPLAYS}?${query}`, { method: 'POST' })
      say(`The replay to ${started.to_subject} is requested.`)
      await load()
    })
  })
  refreshing(load)
}

const stateOf = ({ state }) => make('span', { className: KINDS[state] ?? 'quiet' }, state)

function ofWhat({ subject, from, to }) {
  const bounds = from === null && to === null ? '' : ` ${from ?? ''} .. ${to ?? ''}`
  return make('span', {}, make('code', {}, subject), make('span', { className: 'quiet' }, bounds))
}

function placeOf({ phase, slot, sequence, end_sequence }) {
  if (phase === 'tables') return `tables, slot ${grouped(slot)}`
  if (phase !== 'stream') return phase
  const end = end_sequence === null ? '' : ` of ${grouped(end_sequence)}`
  return `stream, message ${grouped(sequence)}${end}`
}
