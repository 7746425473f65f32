// Every POST: /graphql and batches with hostile bodies, and the operators' routes with hostile parameters. Never a 5xx, never a
// hang, never an internal error among the errors of a query, no key and no stack in an answer.

import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isNullableType,
  isObjectType,
} from 'graphql'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { type ApiUnderTest, apiUnderTest } from '../support/api/api-under-test.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { NASTY, OURS, withinBound } from '../support/api/nasty.ts'
import { mint, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'
import { requestedSeed } from '../support/seed.ts'

type Field = GraphQLField<unknown, unknown>
type Document = {
  paths: Record<string, { post?: { parameters?: { name: string; in: string }[] } }>
}
type Sent = {
  path: string
  body: string | Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}
type Answered = { status: number; text: string }

const BODIES = 400
const REQUESTS_A_ROUTE = 60
const ADMIN_KEY = 'an-operators-key-of-the-fuzz'
const SECRET_KEY = 'a-long-key-of-the-secrets-of-webhooks'
const BODY_BYTES_MAX = 64 * 1024
const SERVER_ERROR = /INTERNAL|DATABASE_ERROR|internal server error|a query failed/
const LITERALS = [
  '1',
  '-1',
  '1e999',
  '""',
  'null',
  'true',
  '[]',
  '{}',
  '[[1]]',
  '{a: 1}',
  'asc',
  '$v',
  '9223372036854775808',
]
const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/graphql',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  '*/*',
  ';',
]

/** Errors that the API logged. */
const loggedErrors = (lines: readonly string[]): string[] =>
  lines.filter((line) => /request failed|failed to resolve a field/.test(line))

/** This API has no queue, so a field that needs a job is refused. Where a server fails, the line has that error in its place. */
const isRefusal = (line: string): boolean => /"code":"UNAVAILABLE".*"name":"ApiError"/.test(line)

async function filled(t: ExecutionContext) {
  const webhooks = { secretKey: SECRET_KEY, policy: 'refuse' } as const
  const under = await apiUnderTest(t, { adminKey: ADMIN_KEY, webhooks })
  await insertLedger(
    under.db,
    Array.from({ length: 30 }, (_, n) => sampleSwap({ signature: signatureOf(n), slot: 100 + n })),
  )
  const wanted = { tier: 'enterprise', environment: 'test', account: 'fuzz', by: 'test' } as const
  const { key } = await createKey(under.db, wanted)
  const seed = requestedSeed() ?? Date.now() % 1_000_000
  t.log(`seed ${seed}`)
  return { under, key, prng: new Prng([seed]) }
}

async function send(t: ExecutionContext, under: ApiUnderTest, sent: Sent): Promise<Answered> {
  const shown = `${sent.path} ${String(sent.body).slice(0, 300)}`
  const { body, headers } = sent
  const requested = fetch(under.api.url + sent.path, { method: 'POST', body, headers }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
  )
  const { status, text } = await withinBound(shown, requested)
  if (status >= 500) t.fail(`${status} ${shown}: ${text}`)
  if (OURS.test(text)) t.fail(`tells what is ours: ${shown}: ${text}`)
  return { status, text }
}

function picker(prng: Prng) {
  return <Value>(values: readonly Value[]): Value => values[prng.below(values.length)] as Value
}

/** A literal of the argument's type nine times of ten, and out of all bounds as often as not. */
function literalFor(prng: Prng, { name, type }: GraphQLArgument): string {
  const pick = picker(prng)
  if (prng.chance(0.05)) return pick(LITERALS)
  if (isListType(isNonNullType(type) ? type.ofType : type))
    return `[${JSON.stringify(pick(NASTY))}]`
  const named = getNamedType(type)
  if (isEnumType(named)) return pick(named.getValues()).name
  if (named.name === 'Boolean') return pick(['true', 'false'])
  if (named.name !== 'String' && named.name !== 'ID') {
    return name === 'limit' ? String(prng.below(200)) : pick(['0', '1', '-1', '1e9', '2147483647'])
  }
  return JSON.stringify(pick([trader(1), mint(1), signatureOf(1), '1h', ...NASTY]))
}

/** All leaves of the type and of those below it. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (!isObjectType(named)) return '{ __typename }'
  const parts = Object.values(named.getFields())
    .filter((field) => depth > 0 || isLeafType(getNamedType(field.type)))
    .map((field) => `${field.name} ${selectionOf(field.type, depth - 1)}`)
  return `{ __typename ${parts.join(' ')} }`
}

/** A query over the schema's own fields, arguments and selections right, out of bounds, or made up. */
function anyQuery(prng: Prng, fields: readonly Field[]): string {
  const pick = picker(prng)
  const parts = Array.from({ length: 1 + prng.below(3) }, (_, index) => {
    const { name, args, type } = pick(fields)
    const given = args
      .filter((argument) => !isNullableType(argument.type) || prng.chance(0.3))
      .map((argument) => `${argument.name}: ${literalFor(prng, argument)}`)
    const list = given.length === 0 ? '' : `(${given.join(' ')})`
    const chosen = prng.chance(0.05) ? pick(['', '{ a b c }']) : selectionOf(type, prng.below(2))
    return `f${index}: ${name}${list} ${chosen}`
  })
  const head = prng.chance(0.9)
    ? 'query Q '
    : pick(['', 'query ($v: Int) ', 'mutation ', 'subscription '])
  return `${head}{ ${parts.join(' ')} }`
}

/** Shapes that have brought servers down: deep, wide, turning in circles. */
const MONSTERS: readonly (() => string)[] = [
  () => '{ swaps '.repeat(7_000),
  () => `${'{ a '.repeat(3_000)}${'}'.repeat(3_000)}`,
  () => `{ ${Array.from({ length: 3_000 }, (_, n) => `a${n}: __typename`).join(' ')} }`,
  () => `{ swaps(limit: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { signature } }`,
  () => `{ ${'...A '.repeat(300)} } fragment A on Query { ...B } fragment B on Query { ...A }`,
  () => `query ${Array.from({ length: 50 }, (_, n) => `@d${n}`).join(' ')} { __typename }`,
  () => `{ __schema { types { ${'fields { type { '.repeat(40)} name ${'} } '.repeat(40)} } } }`,
  () => `"""${'x'.repeat(60_000)}""" { __typename }`,
  () => `{ swaps(limit: 1${'0'.repeat(20_000)}) { signature } }`,
  () => '#'.repeat(60_000),
  () => '\ufeff\u0000\ud800',
]

function anyBody(prng: Prng, fields: readonly Field[]): string | Uint8Array<ArrayBuffer> {
  const pick = picker(prng)
  const values = [null, 0, -1, '', 'x', true, [], {}, [[]], { a: { b: [1] } }, 1e308, ...NASTY]
  const query = prng.chance(0.2) ? pick(MONSTERS)() : anyQuery(prng, fields)
  if (prng.chance(0.5)) return JSON.stringify({ query })
  switch (prng.below(8)) {
    case 0:
      return Uint8Array.from({ length: prng.below(2_000) }, () => prng.below(256))
    case 1:
      return JSON.stringify(pick(values))
    case 2:
      return pick(['[', '{"a":'] as const).repeat(10_000)
    case 3:
      return JSON.stringify({
        query: pick(values),
        variables: pick(values),
        operationName: pick(values),
      })
    case 4:
      return JSON.stringify({ query, variables: pick(values), extensions: pick(values) })
    case 5:
      return Uint8Array.from(gzipSync(JSON.stringify({ query })))
    case 6:
      return `{"query":${JSON.stringify(query)},"variables":{"v":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`
    default:
      return JSON.stringify({ query, variables: { v: pick(values), __proto__: pick(values) } })
  }
}

test('no body crashes /graphql, hangs it, or makes it leak', async (t) => {
  const { under, key, prng } = await filled(t)
  const pick = picker(prng)
  const json = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const requesting = JSON.stringify({ query: getIntrospectionQuery() })
  const schema = await send(t, under, { path: '/graphql', body: requesting, headers: json })
  const known = buildClientSchema(JSON.parse(schema.text).data).getQueryType()?.getFields()
  const fields: Field[] = Object.values(known ?? {})
  t.true(fields.length > 30, 'or it proves little')
  const statuses = new Map<number, number>()
  for (let request = 0; request < BODIES; request++) {
    const type = prng.chance(0.8) ? 'application/json' : pick(CONTENT_TYPES)
    const headers: Record<string, string> = { 'X-API-Key': key, 'Content-Type': type }
    if (prng.chance(0.05)) headers['Content-Encoding'] = pick(['gzip', 'br', 'nothing'])
    if (prng.chance(0.1))
      headers.Accept = pick([...CONTENT_TYPES, 'application/graphql-response+json'])
    const body = anyBody(prng, fields)
    const { status, text } = await send(t, under, { path: '/graphql', body, headers })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (text.includes(key)) t.fail(`tells the key: ${String(body).slice(0, 300)}`)
    if (SERVER_ERROR.test(text)) t.fail(`a fault of ours: ${String(body).slice(0, 300)}: ${text}`)
  }
  t.log(Object.fromEntries(statuses))
  t.true((statuses.get(200) ?? 0) > 30 && (statuses.get(400) ?? 0) > 100, 'or it proves nothing')
  const huge = JSON.stringify({ query: `{ __typename } #${'x'.repeat(BODY_BYTES_MAX)}` })
  t.is((await send(t, under, { path: '/graphql', body: huge, headers: json })).status, 400)
  const still = await send(t, under, {
    path: '/graphql',
    body: '{"query":"{ __typename }"}',
    headers: json,
  })
  t.is(still.text.trim(), '{"data":{"__typename":"Query"}}')
  t.false(under.lines.some((line) => line.includes(key)))
  t.deepEqual(
    loggedErrors(under.lines).filter((line) => !isRefusal(line)),
    [],
  )
})

/** A batch's body: whole, with a part that is none, or made up. */
function batchBody(prng: Prng): string {
  const pick = picker(prng)
  const account = (): unknown => (prng.chance(0.95) ? pick([trader(1), mint(1)]) : pick(ANYTHING))
  const name = pick(['pairs', 'mints', 'wallets', 'wallet', '__proto__'])
  const isPairs = prng.chance(0.9) ? name === 'pairs' : prng.chance(0.5)
  const rows = Array.from({ length: prng.below(5) }, () =>
    isPairs ? { wallet: account(), mint: account() } : account(),
  )
  const body: Record<string, unknown> = { [name]: prng.chance(0.9) ? rows : pick(ANYTHING) }
  if (prng.chance(0.3)) body.pnl_mode = pick(['strict', ...ANYTHING])
  if (prng.chance(0.8)) return JSON.stringify(body)
  return pick(['', '[', '[['.repeat(9_000), JSON.stringify(pick(ANYTHING)), '{"wallets":'])
}
const ANYTHING = [null, 0, -1, '', true, [], {}, [[]], { a: { b: [1] } }, 1e308, ...NASTY]

test('no body crashes a batch, and whole ones are served', async (t) => {
  const { under, key, prng } = await filled(t)
  const { paths } = (await under.call('/openapi.json')).body as unknown as Document
  const batches = Object.entries(paths).filter(([path, { post }]) => post && /batch$/.test(path))
  t.is(batches.length, 4)
  const statuses = new Map<number, number>()
  for (const [template] of batches) {
    const path = template.replace('{w}', trader(1)).replace('{t}', mint(1))
    for (let request = 0; request < 2 * REQUESTS_A_ROUTE; request++) {
      const type = prng.chance(0.9) ? 'application/json' : picker(prng)(CONTENT_TYPES)
      const headers = { 'X-API-Key': key, 'Content-Type': type }
      const sent = { path, body: batchBody(prng).toWellFormed(), headers }
      const { status, text } = await send(t, under, sent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (text.includes(key) || SERVER_ERROR.test(text))
        t.fail(`${sent.body.slice(0, 300)}: ${text}`)
    }
  }
  t.log(Object.fromEntries(statuses))
  t.true((statuses.get(200) ?? 0) > 5 && (statuses.get(400) ?? 0) > 50, 'or it proves nothing')
  t.deepEqual(loggedErrors(under.lines), [])
})

test('no operator crashes a POST of /admin with any path or body', async (t) => {
  const { under, prng } = await filled(t)
  const pick = picker(prng)
  const { paths } = (await under.call('/openapi.json')).body as unknown as Document
  const posts = Object.entries(paths).filter(
    ([path, { post }]) => post && path.startsWith('/admin'),
  )
  t.true(posts.length >= 3)
  const statuses = new Map<number, number>()
  for (const [template, { post }] of posts) {
    for (let request = 0; request < REQUESTS_A_ROUTE; request++) {
      const value = (name: string): string => {
        if (name === 'id' && prng.chance(0.5)) return String(1 + prng.below(5))
        return pick(['free', 'pro', 'test', 'live', ...NASTY])
      }
      let path = template
      const query = new URLSearchParams()
      for (const parameter of post?.parameters ?? []) {
        const text = value(parameter.name)
        if (parameter.in === 'path') {
          path = path.replace(`{${parameter.name}}`, encodeURIComponent(text.toWellFormed()))
        } else if (prng.chance(0.8)) query.append(parameter.name, text)
      }
      const headers = { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': pick(CONTENT_TYPES) }
      const bodies = [...NASTY, '{"account":', 'x'.repeat(BODY_BYTES_MAX + 1)]
      const body = prng.chance(0.5) ? '' : pick(bodies).toWellFormed()
      const requested = `${path}?${query}`
      const { status, text } = await send(t, under, { path: requested, body, headers })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (text.includes(ADMIN_KEY)) t.fail(`tells the operators' key: ${requested}`)
    }
  }
  t.log(Object.fromEntries(statuses))
  t.true((statuses.get(400) ?? 0) > 20, 'or it proves nothing')
  t.false(under.lines.some((line) => line.includes(ADMIN_KEY)))
  t.deepEqual(loggedErrors(under.lines), [])
})
