// Every route of /openapi.json with a name that is none of its parameters, with each of its parameters misspelt, and
// with a cache buster: unknown names are refused in the shape of the route's family, or warned of.

import test from 'ava'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { meantBy } from '../../../api/routing/unknown-names.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'

type Parameter = { name: string; in: string; example?: unknown }
type Operation = { parameters?: Parameter[]; responses: Record<string, object> }
type Document = { paths: Record<string, Record<string, Operation>> }
type Requested = {
  shown: string
  method: string
  path: string
  /** The query of the document's example. */
  query: URLSearchParams
  names: string[]
}

const ADMIN_KEY = 'an-operators-key-of-this-test'
/** Routes that warn about an unknown name. */
const WARNING = ['/screener', '/search']
/**
 * No declared routes: a page, documents as text, a handshake, metrics as text, GraphQL (tested with it), paths that browsers and robots
 * request.
 */
const OTHERS = [
  '/docs',
  '/docs/{name}.md',
  '/llms.txt',
  '/schema.graphql',
  '/ws/v1',
  '/metrics',
  '/graphql',
  '/robots.txt',
  '/favicon.ico',
]

const under = apiForFile({ adminKey: ADMIN_KEY, operations: NO_OPERATIONS })
/** A key of the widest limits: the names of all routes are more requests than a minute of another tier allows. */
let key = ''

test.serial.before(async () => {
  const wanted = { tier: 'enterprise', environment: 'test', account: 'names', by: 'test' } as const
  key = (await createKey(under().db, wanted)).key
})

async function everyRoute(): Promise<Requested[]> {
  const { paths } = (await under().call('/openapi.json')).body as unknown as Document
  const routes = Object.entries(paths).filter(([path]) => !OTHERS.includes(path))
  return routes.flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]): Requested => {
      const query = new URLSearchParams()
      let path = template
      for (const { name, in: location, example } of parameters) {
        if (location === 'path') path = path.replace(`{${name}}`, String(example))
        else if (example !== undefined) query.set(name, String(example))
      }
      const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
      return { shown: `${method} ${template}`, method: method.toUpperCase(), path, query, names }
    }),
  )
}

async function request({ method, path, query }: Requested, more: Record<string, string>) {
  const given = new URLSearchParams([...query, ...Object.entries(more)])
  const headers = path.startsWith('/admin')
    ? { Authorization: `Bearer ${ADMIN_KEY}` }
    : { 'X-API-Key': key }
  return await under().call(`${path}?${given}`, headers as Record<string, string>, method)
}

/** JSON-RPC's code for a message that is no request. */
const INVALID_REQUEST = -32_600

/** Code and text, for any family of the route. */
function refusalOf(body: Record<string, unknown>): { code: unknown; message: string } {
  const { error, message, errmsg } = body as { error: unknown; message: string; errmsg?: string }
  if (errmsg !== undefined) return { code: 'INVALID_PARAM', message: errmsg }
  if (typeof error === 'object' && error !== null) {
    return error as { code: string; message: string }
  }
  // Flat, or a text only.
  if (typeof message === 'string') return { code: error, message }
  return { code: 'INVALID_PARAM', message: String(error) }
}

/** Flat routes and JSON-RPC have codes of their own. */
function codeOf(path: string): string | number {
  if (path === '/mcp') return INVALID_REQUEST
  return path.startsWith('/swaps') ? 'invalid_parameter' : 'INVALID_PARAM'
}

/** Each a slip of the hand, or the same name in another style. */
function misspelt(name: string): string[] {
  const bare = name.replace('[]', '')
  const camel = bare.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const slips = [bare.toUpperCase(), camel, bare.replaceAll('_', '-'), `${bare}${bare.slice(-1)}`]
  return bare.length < 4 ? slips.slice(0, 3) : [...slips, bare.slice(0, -1)]
}

test('an unknown name is refused on every route, in the shape of its family', async (t) => {
  const routes = await everyRoute()
  t.true(routes.length > 40, 'or it proves little')
  for (const requested of routes) {
    const { shown, path, names } = requested
    const { status, body } = await request(requested, { colour: 'red' })
    if (WARNING.includes(path)) {
      t.is(status, 200, shown)
      t.true(
        (body.warnings as string[]).some((each) => each.includes('"colour": it was ignored')),
        shown,
      )
      continue
    }
    t.is(status, 400, shown)
    const { code, message } = refusalOf(body)
    t.is(code, codeOf(path), shown)
    const known = names.length === 0 ? 'expected none' : `use one of ${names.join(' ')}`
    t.is(message, `unknown parameter "colour": ${known}`, shown)
  }
})

test('a name that is nearly right is refused with the right one, on every route', async (t) => {
  let slips = 0
  for (const requested of await everyRoute()) {
    const { shown, path, names } = requested
    const each = names.flatMap((name) => misspelt(name).map((slip) => ({ name, slip })))
    for (const { name, slip } of each) {
      if (names.includes(slip)) continue
      slips += 1
      const location = `${shown} ${slip}`
      const { status, body } = await request(requested, { [slip]: '1' })
      if (WARNING.includes(path)) {
        t.is(status, 200, location)
        const warnings = (body.warnings as string[]).join()
        t.regex(warnings, /did you mean "/, location)
        continue
      }
      t.is(status, 400, location)
      const { message } = refusalOf(body)
      const meant = /^unknown parameter "[^"]+": did you mean "([^"]+)"\?$/.exec(message)?.[1]
      // `token_addresse` is as near to token_address as to token_addresses.
      const isNear = meant?.startsWith(name) || name.startsWith(`${meant}`)
      t.true(isNear, `${location}: ${message}`)
    }
  }
  t.true(slips > 400, `${slips}`)
})

const BUSTER = 1_784_548_800_000
const BUSTERS_MAX = 4

/**
 * A read without and with a cache buster. The cached answer may expire between the two: both are sent again then, with a
 * buster that was not sent before, which would have a cached answer of its own.
 */
async function requestBusted(requested: Requested) {
  for (let count = 1; ; count++) {
    const plain = await request(requested, {})
    const busted = await request(requested, { _: String(BUSTER + count) })
    if (busted.headers.get('X-Cache') !== 'miss' || count === BUSTERS_MAX) return { plain, busted }
  }
}

test('a cache buster is let through on every read, and splits no cached answer', async (t) => {
  let hits = 0
  for (const requested of await everyRoute()) {
    if (requested.method !== 'GET') continue
    const { plain, busted } = await requestBusted(requested)
    t.is(busted.status, plain.status, requested.shown)
    if (busted.headers.get('X-Cache') === 'hit') hits += 1
    if (requested.path === '/screener') t.deepEqual(busted.body.warnings, plain.body.warnings)
    const own = busted.headers.get('X-Cache')
    if (own !== null) t.is(own, 'hit', requested.shown)
  }
  t.true(hits > 5, `${hits}`)
})

test('a query that contradicts the path is refused', async (t) => {
  const { get } = under()
  const wallet = 'So11111111111111111111111111111111111111112'
  const other = 'So11111111111111111111111111111111111111111'
  t.is((await get(`/swaps/trader/${wallet}?wallet=${wallet}`)).status, 200)
  const { status, body } = await get(`/swaps/trader/${wallet}?wallet=${other}`)
  t.is(status, 400)
  t.is(body.message, 'wallet is given in the path: leave it out of the query')
})

test('a body is refused where parameters are read from the query', async (t) => {
  const { api } = under()
  const headers = { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' }
  const sent = (method: string, path: string, body: string | null) =>
    fetch(api.url + path, { method, headers, body })
  const given = '?tier=free&env=test&account=body'
  const refused = await sent('POST', `/admin/v1/keys${given}`, '{"tier":"enterprise"}')
  t.is(refused.status, 400)
  const { error } = (await refused.json()) as { error: { message: string } }
  t.is(error.message, 'the body is not read here: give parameters in the query')
  const made = await sent('POST', `/admin/v1/keys${given}`, null)
  t.is(made.status, 200)
  await made.arrayBuffer()
})

test('GraphQL refuses unknown parameters, fields, variables, arguments', async (t) => {
  const { api, key } = under()
  const query = 'query ($token: String) { swaps(token_address: $token) { slot } }'
  const post = async (body: object, search = '') => {
    const answer = await fetch(`${api.url}/graphql${search}`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { errors } = (await answer.json()) as { errors?: { message: string }[] }
    return [answer.status, errors?.[0]?.message]
  }
  t.deepEqual(await post({ query }), [200, undefined])
  t.deepEqual(await post({ query }, '?_=1'), [200, undefined])
  t.deepEqual(await post({ query, variable: { token: 'x' } }), [
    400,
    'unknown field of the body "variable": did you mean "variables"?',
  ])
  t.deepEqual(await post({ query, variables: { Token: 'x' } }), [
    400,
    'unknown variable "Token": did you mean "token"?',
  ])
  t.deepEqual(await post({ query }, '?token=x'), [400, 'unknown parameter "token": expected none'])
  const [status, message] = await post({ query: '{ swaps(tokenaddress: "x") { slot } }' })
  t.is(status, 400)
  t.regex(String(message), /Unknown argument "tokenaddress".*Did you mean "token_address"/)
  const search = new URLSearchParams({ query: '{ __typename }', operation: 'x' })
  const got = await under().get(`/graphql?${search}`)
  t.is(got.status, 400)
  t.regex(got.text, /unknown parameter \\"operation\\": did you mean \\"operationName\\"/)
})

test('no known name is read as another', async (t) => {
  for (const { names } of await everyRoute()) {
    for (const name of names) t.is(meantBy(name, names), name)
  }
})
