/**
 * The pages of the console, one function each, chosen by the page's own name. Each requests only /admin/v1,
 * apart from signing in and out and the import of KOL and sector files.
 */
import { keys } from './keys.js'
import { kols } from './kols.js'
import {
  act,
  button,
  confirmed,
  counted,
  duration,
  grouped,
  make,
  moment,
  part,
  refreshing,
  request,
  say,
  table,
} from './parts.js'
import { replays } from './replays.js'
import { sectors } from './sectors.js'
import { sources } from './sources.js'
import { webhooks } from './webhooks.js'

const LETTERS = '/admin/v1/dead-letters'
const post = { method: 'POST' }

function signIn() {
  const form = part('sign-in')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const { token } = form.elements
    const submit = form.querySelector('button')
    act(submit, async () => {
      // A token that a header cannot carry is invalid.
      if (!/^[\x21-\x7e]+$/.test(token.value)) throw new Error('this is not the operator token')
      const headers = { Authorization: `Bearer ${token.value}` }
      const answer = await fetch('/admin/session', { ...post, headers })
      if (answer.status === 401) throw new Error('this is not the operator token')
      if (!answer.ok) throw new Error(`the server answers ${answer.status}`)
      const next = new URLSearchParams(location.search).get('next') ?? ''
      location.assign(/^\/admin(\/[\w-]+)*$/.test(next) ? next : '/admin')
    })
  })
}

function lanes() {
  const showLanes = table(
    part('lanes'),
    [
      { title: 'Actor', value: ({ actor }) => actor },
      { title: 'Lane', value: ({ lane }) => lane, className: 'number' },
      { title: 'Owner', value: ({ owner }) => owner, cell: ownerOf },
      { title: 'Behind', value: ({ lag }) => lag, cell: lagOf, className: 'number' },
      {
        title: 'Committed',
        value: ({ sequence }) => sequence,
        cell: ({ sequence }) => grouped(sequence),
        className: 'number',
      },
      {
        title: 'Head',
        value: headOf,
        cell: (lane) => grouped(headOf(lane)),
        className: 'number',
      },
      {
        title: 'Last commit',
        value: ({ age_ms }) => age_ms,
        cell: ({ age_ms }) => agoOf(age_ms),
        className: 'number',
      },
    ],
    { empty: 'No lane: has a worker ever run?', sortedBy: 'Actor' },
  )
  const showQueues = table(
    part('queues'),
    [
      {
        title: 'Job',
        value: ({ name }) => name,
        cell: ({ name }) => make('a', { href: `/admin/queues/queue/${name}` }, name),
      },
      ...['waiting', 'active', 'delayed', 'failed'].map((state) => ({
        title: state[0].toUpperCase() + state.slice(1),
        value: (queue) => queue[state],
        cell: (queue) =>
          state === 'failed' && queue.failed > 0
            ? make('b', { className: 'bad' }, grouped(queue.failed))
            : grouped(queue[state]),
        className: 'number',
      })),
      {
        title: 'Newest failure',
        value: ({ newest_failure }) => newest_failure?.failed_at,
        cell: failureOf,
        className: 'reason',
      },
    ],
    { empty: 'No queue of jobs.', sortedBy: 'Job' },
  )
  refreshing(async () => {
    const requests = [
      request('/admin/v1/lanes'),
      request('/admin/v1/queues'),
      request(`${LETTERS}?limit=1`),
    ]
    const [laneAnswer, queueAnswer, letterAnswer] = await Promise.allSettled(requests)
    if (laneAnswer.value) showLanes(laneAnswer.value.data)
    if (queueAnswer.value) showQueues(queueAnswer.value.data)
    tiles(laneAnswer.value?.data, queueAnswer.value?.data, letterAnswer.value?.waiting)
    const failed = [laneAnswer, queueAnswer, letterAnswer].filter(({ reason }) => reason)
    if (failed.length > 0)
      throw new Error([...new Set(failed.map(({ reason }) => reason.message))].join('\n'))
  })
}

function tiles(laneRows, queueRows, waiting) {
  const sum = (rows, of) => rows?.reduce((total, row) => total + of(row), 0)
  const all = [
    ['messages lagging', sum(laneRows, ({ lag }) => lag), ''],
    ['lanes without an owner', sum(laneRows, ({ owner }) => (owner === null ? 1 : 0)), 'bad'],
    ['dead letters that wait', waiting, 'warn'],
    ['jobs that failed', sum(queueRows, ({ failed }) => failed), 'warn'],
  ]
  part('tiles').replaceChildren(
    ...all.map(([text, count, kind]) => {
      const shown = count === undefined ? '?' : grouped(count)
      const number = make('dd', { className: count ? kind : '' }, shown)
      return make('div', { className: 'tile' }, make('dt', {}, text), number)
    }),
  )
}

// Heads are read before the commits: a lane may be past its head.
const headOf = ({ head, sequence }) => Math.max(head, sequence)
const ownerOf = ({ owner }) =>
  owner === null ? make('span', { className: 'bad' }, 'nobody') : make('code', {}, owner)
const lagOf = ({ lag }) => make('b', { className: lag === 0 ? 'good' : 'warn' }, grouped(lag))
const agoOf = (ms) => (ms === null ? 'never' : `${duration(ms)} ago`)
const failureOf = ({ newest_failure: newest }) =>
  newest === null
    ? ''
    : make(
        'span',
        {},
        make('span', { className: 'quiet' }, `${moment(newest.failed_at)} `),
        newest.reason,
      )

function deadLetters() {
  let rows = []
  let cursor = null
  const columns = [
    { title: 'Id', value: ({ id }) => id, className: 'number' },
    { title: 'Actor', value: ({ actor }) => actor },
    { title: 'Lane', value: ({ lane }) => lane, className: 'number' },
    { title: 'Reason', value: ({ reason }) => reason, className: 'reason' },
    {
      title: 'Message',
      value: ({ sequence }) => sequence,
      cell: ({ subject, sequence, part: index }) =>
        make('code', { title: subject }, `${sequence}.${index}`),
      className: 'number',
    },
    { title: 'Bytes', value: ({ payload_bytes }) => payload_bytes, className: 'number' },
    {
      title: 'Refused (UTC)',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => moment(created_at),
    },
    { title: 'State', value: (letter) => letter.retried_at ?? wordOf(letter), cell: stateOf },
    { title: '', cell: retryOf, className: 'actions' },
  ]
  const empty = 'No dead letters: every event was taken.'
  const show = table(part('letters'), columns, { empty, sortedBy: 'Id', isDescending: true })

  async function load(isMore) {
    const query = new URLSearchParams({ state: part('state').value, limit: '100' })
    if (isMore && cursor !== null) query.set('cursor', cursor)
    const answer = await request(`${LETTERS}?${query}`)
    rows = isMore ? [...rows, ...answer.data] : answer.data
    cursor = answer.next_cursor
    show(rows)
    part('more').hidden = cursor === null
    part('waiting').textContent = `${grouped(answer.waiting)} wait to be sent again`
    part('retry-all').disabled = answer.waiting === 0
  }

  function retryOf(letter) {
    if (wordOf(letter) !== 'waits') return ''
    const { id } = letter
    return button('Retry', '', async () => {
      await request(`${LETTERS}/${id}/retry`, post)
      say(`Dead letter ${id} was sent again. An event that is refused again gets a new id.`)
      await load(false)
    })
  }

  part('retry-all').addEventListener('click', ({ target }) =>
    act(target, async () => {
      if (!(await confirmed('Send all dead letters that wait again?', 'Send again'))) return
      const {
        data: { sent, waiting },
      } = await request(`${LETTERS}/retry`, post)
      say(`Sent again: ${counted(sent.length, 'dead letter')}. ${grouped(waiting)} left to send.`)
      await load(false)
    }),
  )
  part('state').addEventListener('change', ({ target }) => act(target, () => load(false)))
  part('more').addEventListener('click', ({ target }) => act(target, () => load(true)))
  act(part('more'), () => load(false))
}

/** A dead letter of FEED does not wait: its events are counted from the tables. */
function wordOf({ actor, retried_at }) {
  if (actor !== 'pool') return 'counted'
  return retried_at === null ? 'waits' : `sent ${moment(retried_at)}`
}
function stateOf(letter) {
  const word = wordOf(letter)
  return make('span', { className: word === 'waits' ? 'warn' : 'quiet' }, word)
}

function audit() {
  const show = table(
    part('audit'),
    [
      { title: 'When (UTC)', value: ({ at }) => at, cell: ({ at }) => moment(at) },
      {
        title: 'Action',
        value: ({ action }) => action,
        cell: ({ action }) => action.replaceAll('_', ' '),
      },
      {
        title: 'Object',
        value: ({ target }) => target,
        cell: ({ target }) => make('code', {}, target),
      },
      { title: 'Actor', value: ({ actor }) => actor },
    ],
    { empty: 'Nothing was done yet.', sortedBy: 'When (UTC)', isDescending: true },
  )
  act(make('button'), async () => show((await request('/admin/v1/audit?limit=1000')).data))
}

const PAGES = {
  'sign-in': signIn,
  lanes,
  'dead-letters': deadLetters,
  keys,
  kols,
  sectors,
  replays,
  sources,
  webhooks,
  audit,
}
PAGES[document.body.dataset.page]?.()

const menuButton = part('menu-button')

function openMenu(isOpen) {
  menuButton.setAttribute('aria-expanded', String(isOpen))
  part('menu').classList.toggle('open', isOpen)
}
menuButton.addEventListener('click', () => {
  openMenu(menuButton.getAttribute('aria-expanded') === 'false')
})
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || menuButton.getAttribute('aria-expanded') === 'false') return
  openMenu(false)
  menuButton.focus()
})

part('sign-out')?.addEventListener('click', async () => {
  await fetch('/admin/session', { method: 'DELETE' })
  location.assign('/admin')
})
