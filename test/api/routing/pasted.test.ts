/**
 * Pasted addresses and signatures on every route that declares one, in path and query alike: the answer is that of
 * the clean one. And a NUL within any text is refused before the database sees it.
 */
import test from 'ava'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { KOLS, SECTORS } from '../../../api/admin/v1/present.ts'
import { adminRoutes } from '../../../api/admin/v1/routes.ts'
import { recordedExamples } from '../../../api/examples/recorded.ts'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import type { ParameterSchema } from '../../../api/routing/parameters.ts'
import { encodeCursor } from '../../../api/routing/reading/cursor.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { PASTED } from '../../support/api/pasted.ts'

/** With parameters of their own: operators' routes, a file, GraphQL. */
const NO_ROUTES = /^\/(?:admin|docs\/|graphql$)/
const ADMIN_KEY = 'an-operators-key-of-this-test'
/** Operators' routes need operations to be there. */
const under = apiForFile({ adminKey: ADMIN_KEY, operations: NO_OPERATIONS })
let key = ''

test.serial.before(async () => {
  // All routes in all forms are more requests than a minute of a free key has.
  const wanted = { tier: 'enterprise', environment: 'test', account: 'pasted', by: 'test' } as const
  key = (await createKey(under().db, wanted)).key
})

const get = (path: string) => under().get(path, { 'X-API-Key': key })

type Parameter = {
  name: string
  in: 'path' | 'query'
  schema: ParameterSchema
  description: string
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Operation = { parameters?: Parameter[] }
type Requested = { path: string; parameters: Parameter[] }

/** GET routes for any key. */
async function gets(): Promise<Requested[]> {
  const { body } = await under().call('/openapi.json')
  const paths = body.paths as unknown as Record<string, { get?: Operation }>
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get?.parameters === undefined || NO_ROUTES.test(path)
      ? []
      : [{ path, parameters: get.parameters }],
  )
}

const exampleOf = ({ example, examples = {} }: Parameter): unknown =>
  example ?? Object.values(examples)[0]?.value

const areOne = (one: Parameter, other: Parameter): boolean =>
  one.description === `Another name of ${other.name}` ||
  other.description === `Another name of ${one.name}`

/** The path with each parameter's example; `alone` is given, and has this text. */
function filled({ path, parameters }: Requested, alone: Parameter, text: string): string {
  let filledPath = path
  const query = new URLSearchParams()
  for (const parameter of parameters) {
    const isAlone = parameter === alone
    if (parameter.example === undefined && !isAlone) continue
    // Two names of one parameter may not differ.
    if (areOne(parameter, alone)) continue
    const value = isAlone ? text : String(parameter.example)
    if (parameter.in === 'query') query.set(parameter.name, value)
    else filledPath = filledPath.replace(`{${parameter.name}}`, encodeURIComponent(value))
  }
  return `${filledPath}?${query}`
}

/** Times of computation differ from answer to answer. */
const withoutTimes = (text: string): string => text.replace(/"computed_at":\d+/g, '')

const FORMATS = ['address', 'signature']

test('answers a pasted address or signature like the clean one, in every such parameter', async (t) => {
  let count = 0
  for (const requested of await gets()) {
    for (const parameter of requested.parameters) {
      const { format, items } = parameter.schema
      if (!FORMATS.includes(items?.format ?? format ?? '')) continue
      count++
      const clean = String(exampleOf(parameter))
      const expected = await get(filled(requested, parameter, clean))
      t.not(expected.status, 400, `${requested.path} ${parameter.name}: ${expected.text}`)
      for (const [what, dress] of PASTED) {
        const text = clean.split(',').map(dress).join(',')
        const { status, text: answer } = await get(filled(requested, parameter, text))
        const label = `${requested.path} ${parameter.name} with ${what}`
        t.is(status, expected.status, `${label}: ${answer}`)
        t.is(withoutTimes(answer), withoutTimes(expected.text), label)
      }
    }
  }
  t.true(count > 40, `${count}`)
})

test('operators may paste as well', (t) => {
  const { market } = recordedExamples()
  let count = 0
  for (const { path, parameters, parse, example } of adminRoutes(NO_OPERATIONS)) {
    const properties = parameters.properties as Record<string, ParameterSchema>
    for (const [name, { format }] of Object.entries(properties)) {
      if (format !== 'address') continue
      count++
      const given = Object.fromEntries(
        Object.entries(example(market)).map(([key, value]) => [key, String(value)]),
      )
      for (const [what, dress] of PASTED) {
        const dressed = { ...given, [name]: dress(given[name] ?? '') }
        t.deepEqual(parse(dressed), parse(given), `${path} ${name} with ${what}`)
      }
    }
  }
  t.true(count >= 4, `${count}`)
})

test('an address by GraphQL may be pasted', async (t) => {
  const [first] = (await gets()).filter(({ path }) => path === '/wallets/{w}/stats')
  const wallet = String(first?.parameters.find(({ name }) => name === 'w')?.example)
  for (const [what, dress] of PASTED) {
    for (const field of ['walletStats', 'traderStats']) {
      const query = `query Ask($w: String!) { ${field}(wallet: $w) { wallet } }`
      const variables = JSON.stringify({ w: dress(wallet) })
      const requested = new URLSearchParams({ query, variables })
      const { text } = await get(`/graphql?${requested}`)
      t.is(text.trim(), `{"data":{"${field}":{"wallet":"${wallet}"}}}`, `${field} with ${what}`)
    }
  }
})

test('refuses a NUL within any parameter of any route', async (t) => {
  for (const requested of await gets()) {
    for (const parameter of requested.parameters) {
      if (parameter.schema.format === 'pnl-mode') continue
      const text = `${exampleOf(parameter)}`
      const broken = `${text.slice(0, 1)}\u0000${text.slice(1)}x`
      const { status, text: answer } = await get(filled(requested, parameter, broken))
      t.is(status, 400, `${requested.path} ${parameter.name}: ${answer}`)
    }
  }
})

test('a cursor that was made up with a NUL in it is refused', async (t) => {
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
  for (const [path, list] of [
    ['/admin/v1/kols', KOLS],
    ['/admin/v1/sectors', SECTORS],
  ] as const) {
    const cursor = encodeCursor(list, ['a\u0000b'])
    const { status, text } = await under().call(`${path}?cursor=${cursor}`, headers)
    t.is(status, 400, text)
  }
})
