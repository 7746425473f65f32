/**
 * The pages of the console, one function each, chosen by what the page says it is. Each asks /admin/v1 and
 * nothing else, apart from signing in and out and the file of KOLs.
 */
import {
  act,
  ask,
  button,
  confirmed,
  duration,
  grouped,
  make,
  moment,
  part,
  say,
  table,
} from './parts.js'

const REFRESH_MS = 2_000
const KEYS = '/admin/v1/keys'
const KOLS = '/admin/v1/kols'
const LETTERS = '/admin/v1/dead-letters'
const post = { method: 'POST' }

function signIn() {
  const form = part('sign-in')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const { token } = form.elements
    const submit = form.querySelector('button')
    act(submit, async () => {
      // What a header cannot carry is no token.
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
  let hasFailed = false
  const refresh = async () => {
    const asked = [ask('/admin/v1/lanes'), ask('/admin/v1/queues'), ask(`${LETTERS}?limit=1`)]
    const [laneAnswer, queueAnswer, letterAnswer] = await Promise.allSettled(asked)
    if (laneAnswer.value) showLanes(laneAnswer.value.data)
    if (queueAnswer.value) showQueues(queueAnswer.value.data)
    tiles(laneAnswer.value?.data, queueAnswer.value?.data, letterAnswer.value?.waiting)
    const faults = [laneAnswer, queueAnswer, letterAnswer].filter(({ reason }) => reason)
    if (faults.length > 0)
      say([...new Set(faults.map(({ reason }) => reason.message))].join('\n'), 'bad')
    else if (hasFailed) say()
    hasFailed = faults.length > 0
    setTimeout(refresh, REFRESH_MS)
  }
  refresh()
}

function tiles(laneRows, queueRows, waiting) {
  const sum = (rows, of) => rows?.reduce((total, row) => total + of(row), 0)
  const all = [
    ['messages behind', sum(laneRows, ({ lag }) => lag), ''],
    ['lanes that nobody owns', sum(laneRows, ({ owner }) => (owner === null ? 1 : 0)), 'bad'],
    ['dead letters that wait', waiting, 'warn'],
    ['jobs that failed', sum(queueRows, ({ failed }) => failed), 'warn'],
  ]
  part('tiles').replaceChildren(
    ...all.map(([text, count, kind]) => {
      const shown = count === undefined ? '?' : grouped(count)
      const number = make('b', { className: count ? kind : '' }, shown)
      return make('div', { className: 'tile' }, number, make('span', {}, text))
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
    { title: 'State', value: ({ retried_at }) => retried_at, cell: stateOf },
    { title: '', cell: retryOf, className: 'actions' },
  ]
  const empty = 'No dead letters: every event was taken.'
  const show = table(part('letters'), columns, { empty, sortedBy: 'Id', isDescending: true })

  async function load(isMore) {
    const asked = new URLSearchParams({ state: part('state').value, limit: '100' })
    if (isMore && cursor !== null) asked.set('cursor', cursor)
    const answer = await ask(`${LETTERS}?${asked}`)
    rows = isMore ? [...rows, ...answer.data] : answer.data
    cursor = answer.next_cursor
    show(rows)
    part('more').hidden = cursor === null
    part('waiting').textContent = `${grouped(answer.waiting)} wait to be sent again`
    part('retry-all').disabled = answer.waiting === 0
  }

  function retryOf({ id, retried_at }) {
    if (retried_at !== null) return ''
    return button('Retry', '', async () => {
      await ask(`${LETTERS}/${id}/retry`, post)
      say(`Dead letter ${id} was sent again. What is still poison comes back with a new id.`)
      await load(false)
    })
  }

  part('retry-all').addEventListener('click', ({ target }) =>
    act(target, async () => {
      if (!(await confirmed('Send all dead letters that wait again?', 'Send again'))) return
      const {
        data: { sent, waiting },
      } = await ask(`${LETTERS}/retry`, post)
      say(`${grouped(sent.length)} dead letters were sent again, ${grouped(waiting)} wait.`)
      await load(false)
    }),
  )
  part('state').addEventListener('change', ({ target }) => act(target, () => load(false)))
  part('more').addEventListener('click', ({ target }) => act(target, () => load(true)))
  act(part('more'), () => load(false))
}

const stateOf = ({ retried_at }) =>
  retried_at === null
    ? make('span', { className: 'warn' }, 'waits')
    : make('span', { className: 'quiet' }, `sent ${moment(retried_at)}`)

function keys() {
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
  const load = async () => show((await ask(KEYS)).data)

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
      showKey((await ask(`${KEYS}/${key.id}/rotate`, post)).data)
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
      await ask(`${KEYS}/${key.id}/revoke`, post)
      say(`Key ${key.id} is revoked.`)
      await load()
    })
    return make('span', {}, stateOfKey(key) === 'live' ? rotate : null, ' ', revoke)
  }

  part('new-key').addEventListener('submit', (event) => {
    event.preventDefault()
    const form = event.currentTarget
    act(form.querySelector('button'), async () => {
      const asked = new URLSearchParams(new FormData(form))
      showKey((await ask(`${KEYS}?${asked}`, post)).data)
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
    make('p', {}, `Key ${id}. Keep it now: it is never shown again.`),
    make('div', { className: 'secret' }, make('code', { id: 'made-key' }, key), copy),
  )
  say()
}

function kols() {
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
    part('count').textContent = `${grouped(rows.length)} KOLs`
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

function audit() {
  const show = table(
    part('audit'),
    [
      { title: 'When (UTC)', value: ({ at }) => at, cell: ({ at }) => moment(at) },
      {
        title: 'What',
        value: ({ action }) => action,
        cell: ({ action }) => action.replaceAll('_', ' '),
      },
      {
        title: 'To what',
        value: ({ target }) => target,
        cell: ({ target }) => make('code', {}, target),
      },
      { title: 'Who', value: ({ actor }) => actor },
    ],
    { empty: 'Nothing was done yet.', sortedBy: 'When (UTC)', isDescending: true },
  )
  act(make('button'), async () => show((await ask('/admin/v1/audit?limit=1000')).data))
}

const PAGES = { 'sign-in': signIn, lanes, 'dead-letters': deadLetters, keys, kols, audit }
PAGES[document.body.dataset.page]()

part('sign-out')?.addEventListener('click', async () => {
  await fetch('/admin/session', { method: 'DELETE' })
  location.assign('/admin')
})
