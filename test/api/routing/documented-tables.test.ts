/** The tables of routes and tools in docs/rest.md and docs/mcp.md against the declarations: neither lacks nor invents one. */
import test from 'ava'
import { toolsOf } from '../../../api/mcp/tools.ts'
import { otherPaths } from '../../../api/openapi/paths/other-paths.ts'
import { declaredRoutes } from '../../../api/served-text.ts'
import { readText } from '../../support/sources.ts'

const ROUTES = declaredRoutes()
/** Paths without a route of a table: files for browsers and crawlers, metrics, and the feed, which docs/feeds.md describes. */
const ELSEWHERE = ['/robots.txt', '/favicon.ico', '/metrics', '/ws/v1']
/** Declared by the documents themselves. */
const OWN = ['/openapi.json', '/asyncapi.json']

/** Names in backticks in the second column of a page's table, by row. */
function tableOf(page: string, heading: string): string[][] {
  const [, table = ''] = readText(page).split(`\n| ${heading} |`)
  const [rows = ''] = table.split('\n\n')
  return rows
    .split('\n')
    .slice(2)
    .map((row) => Array.from(row.matchAll(/`([^`]+)`/g), ([, name = '']) => name))
}

/** The path that a cell writes: in full, or as a continuation of the beginning of the one before it. */
function expand(shown: string, before: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(shown)) return shown
  const steps = before.split('/')
  const bases = steps.map((_, index) => steps.slice(0, steps.length - index).join('/'))
  return bases.map((base) => base + shown).find((path) => known.has(path))
}

function pathsOf(rows: readonly string[][], known: ReadonlySet<string>): string[] {
  return rows.flatMap((row) => {
    let before = ''
    return row.map((shown) => {
      const path = expand(shown, before, known) ?? `unknown: ${shown}`
      before = path
      return path
    })
  })
}

const served = new Set([
  ...ROUTES.filter(({ access }) => access !== 'operator').map(({ path }) => path),
  ...Object.keys(otherPaths({ metrics: true, feed: true })).filter(
    (path) => !ELSEWHERE.includes(path),
  ),
  ...OWN,
])

test('docs/rest.md lists every route once, and no other', (t) => {
  const rows = tableOf('docs/rest.md', 'topic')
  const listed = pathsOf(rows, served)
  t.deepEqual(listed.toSorted(), [...served].sort())
})

test('an invented route in a table is found', (t) => {
  const known = new Set(['/a/{b}/c', '/a/{b}/d'])
  t.deepEqual(pathsOf([['/a/{b}/c', '/d']], known), ['/a/{b}/c', '/a/{b}/d'])
  t.deepEqual(pathsOf([['/a/{b}/c', '/e'], ['/d']], known), [
    '/a/{b}/c',
    'unknown: /e',
    'unknown: /d',
  ])
})

test('docs/mcp.md lists every tool once, and no other', (t) => {
  const listed = tableOf('docs/mcp.md', 'about').flat()
  t.deepEqual(listed.toSorted(), [...toolsOf(ROUTES).keys()].sort())
})
