/** Public pages open exactly the reads that the pages make. */
import test from 'ava'
import { declaredRoutes } from '../../../../api/served-text.ts'
import { listFiles, readText } from '../../../support/sources.ts'

/** The account of a key, and back-tests: they compute for seconds, and store jobs. */
const KEYED: readonly string[] = ['getCredits', 'copyBacktest', 'getBacktest']

test('routes that are open without a key are those that the pages request', (t) => {
  const routes = declaredRoutes()
  const ids = new Set(routes.map(({ operationId }) => operationId))
  const texts = listFiles('web')
    .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('web/console/'))
    .map(readText)
  const named = new Set(
    texts.flatMap((text) => Array.from(text.matchAll(/'([a-z]\w+)'/g), ([, word]) => String(word))),
  )
  const requested = [...ids].filter((id) => named.has(id) && !KEYED.includes(id)).sort()
  const open = routes.filter(({ isOnPages }) => isOnPages)
  t.deepEqual(open.map(({ operationId }) => operationId).sort(), requested)
  t.true(open.length > 20)
  for (const id of KEYED) t.true(named.has(id), id)
  for (const { method, access, path } of open) {
    t.is(method, undefined, path)
    t.is(access, undefined, path)
  }
})
