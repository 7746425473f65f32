/** Paths that results of tools name, against the declared routes. */
import test from 'ava'
import { swapsPath, toolsOf } from '../../../api/mcp/tools.ts'
import { ApiError } from '../../../api/routing/error.ts'
import type { Route } from '../../../api/routing/route.ts'
import { declaredRoutes } from '../../../api/served-text.ts'
import { mint, pair, signatureOf, trader } from '../../support/market/sample-swap.ts'

const ROUTES = declaredRoutes().filter(({ method }) => method === undefined)
const ARGUMENTS: readonly (readonly [name: string, value: string])[] = [
  ['signature', signatureOf(1)],
  ['pair_address', pair(1)],
  ...['wallet', 'w', 'user'].map((name) => [name, trader(1)] as const),
  ...['mint', 'token', 'token_address'].map((name) => [name, mint(1)] as const),
]

/** Whether a route has this path and accepts its parameters. */
function isServed(shown: string, routes: readonly Route[]): boolean {
  const { pathname, searchParams } = new URL(shown, 'http://api')
  return routes.some(({ path, parse }) => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    const found = new RegExp(`^${pattern}$`).exec(pathname)
    if (found === null) return false
    try {
      parse({ ...found.groups, ...Object.fromEntries(searchParams) })
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  })
}

test('the swaps of every result are at a path that is served, whatever its arguments are', (t) => {
  const subsets = Array.from({ length: 2 ** ARGUMENTS.length }, (_, set) =>
    ARGUMENTS.filter((_, index) => (set & (1 << index)) !== 0),
  )
  const paths = new Set(subsets.map((subset) => swapsPath(Object.fromEntries(subset))))
  t.is(paths.size, 6)
  t.deepEqual(
    [...paths].filter((path) => !isServed(path, ROUTES)),
    [],
  )
  t.false(isServed('/swaps/sender/x', ROUTES))
  t.false(isServed('/swaps?pool=x', ROUTES))
})

test('each argument that narrows the swaps is one of a tool', (t) => {
  const known = new Set(
    [...toolsOf(ROUTES).values()].flatMap(({ inputSchema }) => Object.keys(inputSchema.properties)),
  )
  t.deepEqual(
    ARGUMENTS.filter(([name]) => !known.has(name)),
    [],
  )
})
