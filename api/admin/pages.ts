/**
 * HTML of the console, whose pages are those of web/console/; they read /admin/v1. Pure.
 *
 * Decision: docs/decisions/0084-the-console-is-made-of-the-pages.md
 *
 * There is no inline script or style and nothing of another host; the Content-Security-Policy enforces it.
 */
import { PAGE_ASSETS } from '../http/page-links.ts'

/** Paths of the pages, as web/console/ knows them. */
const PATHS = [
  '/admin',
  '/admin/charts',
  '/admin/dead-letters',
  '/admin/keys',
  '/admin/kols',
  '/admin/sectors',
  '/admin/replays',
  '/admin/sources',
  '/admin/history',
  '/admin/webhooks',
  '/admin/audit',
]

/** HTML by path, for signed-in operators. */
export const CONSOLE_PAGES: ReadonlyMap<string, string> = new Map(
  PATHS.map((path) => [path, htmlOf(path)]),
)

export const SIGN_IN_PAGE = htmlOf('sign-in')

/** `page`: what the script shows. */
function htmlOf(page: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Swaptide console</title>
<link rel="icon" href="${PAGE_ASSETS}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${PAGE_ASSETS}/console.css">
<script type="module" src="${PAGE_ASSETS}/console.js"></script>
</head>
<body>
<div id="app" data-page="${page}"></div>
<noscript>The console needs JavaScript. Without it, operators use /admin/v1 and the command line.</noscript>
</body>
</html>
`
}
