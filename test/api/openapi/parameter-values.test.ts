/** Example values of parameters against the routes that read them. */
import test from 'ava'
import { recordedExamples } from '../../../api/examples/recorded.ts'
import { parameterValues } from '../../../api/openapi/parameter-values.ts'
import type { Route } from '../../../api/routing/route.ts'
import { declaredRoutes } from '../../../api/served-text.ts'

const market = recordedExamples().market
const VALUES = parameterValues(market)
const ROUTES = declaredRoutes()

/** Whether the document takes the route's example of this parameter from the values. */
function reads({ parameters, body, example }: Route, name: string): boolean {
  const properties = { ...parameters.properties, ...body?.properties }
  return name in properties && !(name in example(market))
}

test('a route reads each example value, under the path and the name of its row', (t) => {
  const unread = Object.keys(VALUES).filter((key) => {
    const [path, name] = key.includes(' ') ? key.split(' ') : [undefined, key]
    if (name === undefined) return true
    // Bounds of the screener's rows come from the market, and some are in its example.
    if (name in market.screened)
      return !ROUTES.some(({ parameters }) => name in parameters.properties)
    return !ROUTES.some((route) => {
      const isOwn = path === undefined ? !(`${route.path} ${name}` in VALUES) : route.path === path
      return isOwn && reads(route, name)
    })
  })
  t.deepEqual(unread, [])
})
