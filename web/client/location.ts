/**
 * The address as state: each view is a path with its choices in the query. Links to other pages are followed without a
 * reload, so that the feed stays connected.
 */
import { signal } from '@preact/signals'
import { trimPasted } from '../../domain/text/padding.ts'

/** Path and query of the page that is shown. */
export const view = signal(read())

/**
 * Paths that this program shows; every other one is left to the browser. As the server routes them: in any case, with or
 * without a slash at the end.
 */
const OWN_PATHS = /^\/(?:|(?:token|tx|wallet)\/[^/]+\/?|(?:leaderboard|screener|account)\/?)$/i

function read() {
  const { pathname, search } = window.location
  return { path: pathname, query: new URLSearchParams(search) }
}

export function isOwnPath(path: string): boolean {
  return OWN_PATHS.test(path)
}

/** Path and query of a pasted URL of a page of this program; undefined for every other text. */
export function ownAddressOf(text: string): string | undefined {
  const { origin } = window.location
  const pasted = trimPasted(text)
  if (!pasted.startsWith(`${origin}/`)) return undefined
  const { pathname, search } = new URL(pasted)
  return isOwnPath(pathname) ? pathname + search : undefined
}

/** Opens a page of this program. */
export function open(url: string): void {
  history.pushState(null, '', url)
  view.value = read()
  window.scrollTo(0, 0)
}

/** A choice of the view: a value of `allowed`, the first of them where the address has none. */
export function choiceOf<Value extends string>(
  name: string,
  allowed: readonly Value[],
  usual: Value,
): Value {
  const given = view.value.query.get(name)
  return allowed.find((each) => each === given) ?? usual
}

/** Values by name; undefined removes one. */
export type Choices = Readonly<Record<string, string | undefined>>

/** The address of this view with other choices. */
export function addressWith(choices: Choices): string {
  const { path } = view.value
  const query = new URLSearchParams(view.value.query)
  for (const [name, value] of Object.entries(choices)) {
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  }
  return query.size === 0 ? path : `${path}?${query}`
}

/** Writes choices into the address. */
export function chooseAll(choices: Choices): void {
  history.replaceState(null, '', addressWith(choices))
  view.value = read()
}

/** Writes a choice into the address, with those that it changes as well; undefined removes it. */
export function choose(name: string, value: string | undefined, also?: Choices): void {
  chooseAll({ ...also, [name]: value })
}

/** Follows links inside the page, and the buttons of the browser. */
export function watchLinks(): void {
  window.addEventListener('popstate', () => {
    view.value = read()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return
    if (link.origin !== window.location.origin || !isOwnPath(link.pathname) || link.hash !== '')
      return
    event.preventDefault()
    open(link.pathname + link.search)
  })
}
