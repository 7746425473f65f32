// Methods of every path: an unknown one is 405 with Allow, in the shape of its family and without a key; HEAD is GET
// without a body, OPTIONS lists the methods; public paths need no key.

import test from 'ava'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { readProgram } from '../../../api/resources/health/program.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { trader } from '../../support/market/sample-swap.ts'

const ADMIN_KEY = 'an-operators-key-of-this-test'
const under = apiForFile({ adminKey: ADMIN_KEY, operations: NO_OPERATIONS })

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const ORDER = [...METHODS, 'OPTIONS']
/** Undocumented paths, with their methods. */
const UNDOCUMENTED: [path: string, methods: string[]][] = [
  ['/docs/assets/swagger-ui.css', ['get']],
  ['/swaps/', ['get']],
  ['/SWAPS', ['get']],
  ['/swaps/trader', ['get']],
  ['/admin', ['get']],
  ['/admin/keys', ['get']],
  ['/admin/session', ['post', 'delete']],
  ['/assets/console.js', ['get']],
  ['/admin/kols/import', ['post']],
]

/** Paths with their methods, each filled with something. */
async function pathsOf(): Promise<[path: string, methods: string[]][]> {
  const { paths } = (await under().call('/openapi.json')).body as unknown as {
    paths: Record<string, object>
  }
  const documented = Object.entries(paths).map(([path, operations]): [string, string[]] => [
    path.replace('{id}', '1').replaceAll(/\{\w+\}/g, trader(1)),
    Object.keys(operations),
  ])
  return [...documented, ...UNDOCUMENTED]
}

/** The text of the header Allow. */
function allowOf(methods: readonly string[]): string {
  const known = new Set(methods.map((method) => method.toUpperCase()))
  if (known.has('GET')) known.add('HEAD')
  return ORDER.filter((method) => known.has(method) || method === 'OPTIONS').join(', ')
}

test('a method that a path does not have is 405 with Allow, without a key', async (t) => {
  const { api } = under()
  let requested = 0
  for (const [path, methods] of await pathsOf()) {
    const allow = allowOf(methods)
    for (const method of METHODS.filter((each) => !allow.split(', ').includes(each))) {
      const answer = await fetch(api.url + path, { method, redirect: 'manual' })
      const shown = `${method} ${path}`
      t.is(answer.status, 405, shown)
      t.is(answer.headers.get('Allow'), allow, shown)
      t.is(answer.headers.get('RateLimit'), null, 'nothing is counted')
      const text = await answer.text()
      if (method === 'HEAD') continue
      const body = JSON.parse(text)
      if (path === '/graphql') t.is(body.errors[0].extensions.code, 'METHOD_NOT_ALLOWED')
      else if (/^\/swaps/i.test(path)) t.is(body.error, 'invalid_parameter')
      else t.is(body.error.code, 'METHOD_NOT_ALLOWED')
      requested += 1
    }
    const options = await fetch(api.url + path, { method: 'OPTIONS' })
    t.is(options.status, 204, path)
    t.is(options.headers.get('Allow'), allow, path)
  }
  t.true(requested > 200, `${requested}`)
})

test('the error names the method and the allowed ones', async (t) => {
  const { call } = under()
  const { body } = await call('/credits', {}, 'POST')
  t.deepEqual(body as object, {
    success: false,
    error: {
      code: 'METHOD_NOT_ALLOWED',
      message: 'method "POST" on "/credits": use GET, HEAD',
    },
  })
})

test('an unknown path stays 404 with a key and 401 without, for any method', async (t) => {
  const { call, key } = under()
  for (const path of ['/no/such/route', '/swaps/a/b', '/graphql/x', '/docs/x', '/admin/v1/nope']) {
    for (const method of [...METHODS, 'OPTIONS']) {
      const shown = `${method} ${path}`
      t.is((await call(path, { 'X-API-Key': key }, method)).status, 404, shown)
      t.is((await call(path, {}, method)).status, 401, shown)
    }
    const preflight = { 'Access-Control-Request-Method': 'GET', Origin: 'http://127.0.0.1:1' }
    t.is((await call(path, preflight, 'OPTIONS')).status, 204, 'so that a page can read the 404')
  }
})

test('HEAD answers every GET as GET does, without a body', async (t) => {
  const { api, key } = under()
  for (const [path, methods] of await pathsOf()) {
    if (!methods.includes('get')) continue
    const admin = path.startsWith('/admin') || path === '/metrics'
    const headers: Record<string, string> = admin
      ? { Authorization: `Bearer ${ADMIN_KEY}` }
      : { 'X-API-Key': key }
    const request = (method: string) =>
      fetch(api.url + path, { method, headers, redirect: 'manual' })
    const [got, head] = [await request('GET'), await request('HEAD')]
    await got.arrayBuffer()
    t.is(await head.text(), '')
    t.is(head.status, got.status, path)
    t.is(head.headers.get('Content-Type'), got.headers.get('Content-Type'), path)
  }
})

test('serves version, robots.txt and favicon without a key', async (t) => {
  const { call } = under()
  const version = await call('/version')
  t.is(version.status, 200)
  t.deepEqual(version.body as object, readProgram())
  const robots = await call('/robots.txt')
  t.is(robots.status, 200)
  t.regex(robots.headers.get('Content-Type') ?? '', /^text\/plain/)
  t.regex(robots.text, /^User-agent: \*\nAllow: \/docs\n[\s\S]*Disallow: \/\n$/)
  const icon = await call('/favicon.ico')
  t.is(icon.status, 204)
  t.is(icon.text, '')
  for (const { headers } of [robots, icon]) t.regex(headers.get('Cache-Control') ?? '', /^public/)
})
