/**
 * The HTML of every page for people, which a script fills with data from the public API. Pure.
 *
 * There is no inline script or style and nothing of another host; the Content-Security-Policy enforces it.
 */

import { PAGE_ASSETS } from '../http/page-links.ts'

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

export const SHELL = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Swaptide</title>
<link rel="icon" href="${PAGE_ASSETS}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${PAGE_ASSETS}/styles.css">
<script type="module" src="${PAGE_ASSETS}/main.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>These pages need JavaScript. The API works without it: see <a href="/docs">/docs</a>.</noscript>
</body>
</html>
`
