/**
 * The HTML of every page for people, which a script fills with data from the public API. Pure.
 *
 * There is no inline script or style and nothing of another host; the Content-Security-Policy enforces it.
 */

import { linksOf, PAGE_ASSETS, PAGE_LINKS } from '../http/page-links.ts'

/** Paths of the pages, as the router writes them. */
export const PAGE_PATHS = [
  '/',
  '/token/:mint',
  '/tx/:signature',
  '/leaderboard',
  '/screener',
  '/wallet/:wallet',
  '/account',
] as const

export type PagePath = (typeof PAGE_PATHS)[number]

/** Names of files that a page needs from the beginning. */
export type Shell = {
  script: string
  styles: string
  /** Modules that the script imports, or fetches for this page. */
  parts: readonly string[]
}

/** Name of the page's folder in web/. */
export function pageNameOf(path: PagePath): string {
  return path.split('/')[1] || 'market'
}

/** Content of an unknown path until the script has drawn the same with the search, and for browsers without scripts. */
const UNKNOWN_PAGE = `<header>
<a class="brand" href="/"><img src="${PAGE_ASSETS}/icon.svg" alt="" width="22" height="22">Swaptide</a>
<nav aria-label="Pages">
${linksOf(PAGE_LINKS, '')}
</nav>
</header>
<main id="content">
<h1>Page not found</h1>
<p>There is no page at this address. Go to the <a class="plain" href="/">market</a>.</p>
</main>`

/** HTML of a path that is neither a page nor a route of the API. */
export function unknownHtmlOf(shell: Shell, isPublic: boolean): string {
  const head = '<title>Swaptide</title>'
  return htmlOf(shell, { content: UNKNOWN_PAGE, head: isPublic ? `${head}\n${PUBLIC_MARK}` : head })
}

/** Mark by which the script knows that visitors have no key. */
export const PUBLIC_MARK = '<meta name="swaptide-pages" content="public">'

/** `head`: title and what is the page's own. `content`: shown until the script has drawn the page. */
type Own = { head?: string; content?: string }

/** HTML that names all modules of the page: the browser fetches them at once, not one after the import of another. */
export function htmlOf(
  { script, styles, parts }: Shell,
  { head = '<title>Swaptide</title>', content = '' }: Own = {},
): string {
  const preloads = parts.map((name) => `<link rel="modulepreload" href="${PAGE_ASSETS}/${name}">\n`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<link rel="icon" href="${PAGE_ASSETS}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${PAGE_ASSETS}/${styles}">
<script type="module" src="${PAGE_ASSETS}/${script}"></script>
${preloads.join('')}</head>
<body>
<div id="app">${content}</div>
<noscript>These pages need JavaScript. The API works without it: see <a href="/docs">/docs</a>.</noscript>
</body>
</html>
`
}
