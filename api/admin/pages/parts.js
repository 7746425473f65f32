/**
 * Building blocks of all console pages: elements, sorted tables, requests to /admin/v1 and error messages.
 * Text from the server is always inserted as text, never as markup.
 */

/** An element: properties are set as they are, children may be texts. */
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('aria-') || name.startsWith('data-')) made.setAttribute(name, value)
    else made[name] = value
  }
  made.append(...children.filter((child) => child !== null))
  return made
}

/** The answer of a route as JSON. Throws an Error whose message may be shown; signs out on 401. */
export async function request(path, options = {}) {
  let answer
  try {
    answer = await fetch(path, {
      ...options,
      headers: { Accept: 'application/json', ...options.headers },
    })
  } catch {
    throw new Error('the server does not answer')
  }
  if (answer.status === 401) {
    location.assign(`/admin?next=${encodeURIComponent(location.pathname)}`)
    throw new Error('signed out')
  }
  const body = await answer.json().catch(() => ({}))
  if (answer.ok) return body
  throw new Error(body.error?.message ?? body.message ?? `the server answers ${answer.status}`)
}

const banner = document.querySelector('#banner')

/** Shows a message above the page until it is replaced; an empty text hides it. */
export function say(text = '', kind = 'good') {
  banner.textContent = text
  banner.className = `banner ${kind}`
  banner.hidden = text === ''
}

/** Runs the action of a button, which is disabled meanwhile; an error is shown. */
export async function act(button, work) {
  button.disabled = true
  try {
    await work()
  } catch (error) {
    say(error.message, 'bad')
  } finally {
    button.disabled = false
  }
}

export function button(text, className, work) {
  const made = make('button', { type: 'button', className: `button ${className}` }, text)
  made.addEventListener('click', () => act(made, work))
  return made
}

/** Asks for confirmation. */
export function confirmed(question, yes) {
  const dialog = make('dialog')
  const answer = new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes')
      dialog.remove()
    })
  })
  const form = make(
    'form',
    { method: 'dialog', className: 'row' },
    make('button', { value: 'yes', className: 'button danger' }, yes),
    make('button', { value: 'no', className: 'button' }, 'Cancel'),
  )
  dialog.append(make('p', {}, question), form)
  document.body.append(dialog)
  dialog.showModal()
  return answer
}

/**
 * A table that retains its order while its rows change. A column: { title, value(row) to sort by, cell(row) to
 * show (absent: the value), className }. Returns the function that shows rows.
 */
export function table(container, columns, { empty, sortedBy, isDescending = false }) {
  let order = { column: columns.find(({ title }) => title === sortedBy), isDescending }
  let rows = []
  const headings = columns.map((column) => {
    if (column.value === undefined) return make('td')
    const heading = make('th', { scope: 'col', className: column.className ?? '' })
    const press = make('button', { type: 'button', className: 'sort' }, column.title)
    press.addEventListener('click', () => {
      const isSame = order.column === column
      order = { column, isDescending: isSame ? !order.isDescending : false }
      draw()
    })
    heading.append(press)
    return heading
  })
  const body = make('tbody')
  const shown = make(
    'div',
    { className: 'scroll' },
    make('table', {}, make('thead', {}, make('tr', {}, ...headings)), body),
  )
  const nothing = make('p', { className: 'empty' }, empty)

  function draw() {
    headings.forEach((heading, index) => {
      heading.removeAttribute('aria-sort')
      if (columns[index] !== order.column) return
      heading.setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending')
    })
    body.replaceChildren(...sorted(rows, order).map(rowOf))
    container.replaceChildren(rows.length === 0 ? nothing : shown)
  }

  function rowOf(row) {
    const cells = columns.map(({ value, cell = value, className = '' }) => {
      const content = cell(row)
      return make('td', { className }, content instanceof Node ? content : String(content ?? '-'))
    })
    return make('tr', {}, ...cells)
  }

  return (given) => {
    rows = given
    draw()
  }
}

function sorted(rows, { column, isDescending }) {
  if (column?.value === undefined) return rows
  const sign = isDescending ? -1 : 1
  return [...rows].sort((a, b) => sign * compare(column.value(a), column.value(b)))
}

function compare(a, b) {
  if (a === b) return 0
  if (a === null || a === undefined) return -1
  if (b === null || b === undefined) return 1
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))
}

export const grouped = (count) => count.toLocaleString('en')

/** `1 KOL`, `1,200 KOLs`. */
export const counted = (count, word) => `${grouped(count)} ${word}${count === 1 ? '' : 's'}`

/** `2026-03-04 05:06:07`, in UTC. */
export function moment(text) {
  return text === null ? '-' : text.slice(0, 19).replace('T', ' ')
}

export function duration(ms) {
  if (ms === null) return 'never'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`
  return `${Math.round(ms / 3_600_000)} h`
}

const REFRESH_MS = 2_000

/** Reloads the data of a page periodically; shows an error and removes it once a reload succeeds. */
export async function refreshing(load) {
  let hasFailed = false
  for (;;) {
    try {
      await load()
      if (hasFailed) say()
      hasFailed = false
    } catch (error) {
      say(error.message, 'bad')
      hasFailed = true
    }
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS))
  }
}

export const part = (id) => document.getElementById(id)

/** All rows of a list, page by page. */
export async function allOf(path) {
  const rows = []
  for (let cursor = ''; cursor !== null; ) {
    const more = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const answer = await request(`${path}${more}`)
    rows.push(...answer.data)
    cursor = answer.next_cursor
  }
  return rows
}

/**
 * A table of all rows of a list, of which a search shows some, and how many there are. Answers with what loads
 * them again.
 */
export function searched(path, show, word) {
  let rows = []
  const draw = () => {
    const wanted = part('search').value.toLowerCase()
    show(
      rows.filter((row) => Object.values(row).some((text) => text?.toLowerCase().includes(wanted))),
    )
    part('count').textContent = counted(rows.length, word)
  }
  part('search').addEventListener('input', draw)
  return async () => {
    rows = await allOf(path)
    draw()
  }
}

/** A form whose fields go to the row of `PATH/{key}`, empty again once they are stored. */
export function storing(form, { path, key, stored }) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    act(form.querySelector('button'), async () => {
      const { [key]: name, ...rest } = Object.fromEntries(new FormData(form))
      const target = `${path}/${encodeURIComponent(name.trim())}?${new URLSearchParams(rest)}`
      const { data: answer } = await request(target, { method: 'PUT' })
      form.reset()
      await stored(answer)
    })
  })
}

/** The lines of a page, or of a file that is put there; `imported` answers with what became of them in words. */
export function importing(path, imported) {
  // A chosen file is sent as its bytes, so that the server sees what kind it is; text that was edited, as text.
  let chosen
  part('file').addEventListener('change', async ({ target }) => {
    chosen = target.files[0]
    part('lines').value = (await chosen?.text()) ?? ''
  })
  part('lines').addEventListener('input', () => {
    chosen = undefined
  })
  part('import').addEventListener('click', ({ target }) =>
    act(target, async () => {
      const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
      const options = { method: 'POST', headers, body: chosen ?? part('lines').value }
      const { data: outcome } = await request(path, options)
      const { refusals, warnings = [] } = outcome
      const lines = [...refusals, ...warnings].map((text) => `\n${text}`).join('')
      say(
        `${await imported(outcome)}, ${grouped(refusals.length)} refused.${lines}`,
        refusals.length > 0 ? 'bad' : 'good',
      )
    }),
  )
}
