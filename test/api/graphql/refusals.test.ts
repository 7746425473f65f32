// Refusals of /graphql before a query runs: each in GraphQL's form, as documented, with a distinct code and text.

import { Ajv } from 'ajv'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { apiForFile, apiUnderTest, PATIENT_MS } from '../../support/api/api-under-test.ts'

type Errors = { errors: { message: string; extensions: { code: string } }[] }
type Schema = Record<string, unknown>
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, { content: Content }> }>>
  components: { schemas: Record<string, Schema> }
}
type Content = { 'application/json': { schema: Schema } }

const BODY_BYTES_MAX = 64 * 1024
const JSON_TYPE = 'application/json; charset=utf-8'
const GRAPHQL_TYPE = 'application/graphql-response+json'
const under = apiForFile()

type Sent = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; duplex?: 'half' }
type Answered = { status: number; type: string | null; code: string; message: string }

/** Sends a request with a key; checks the answer against the document. */
async function send(t: ExecutionContext, sent: Sent, search = ''): Promise<Answered> {
  const { api, key } = under()
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key, ...sent.headers }
  const answer = await fetch(`${api.url}/graphql${search}`, { method: 'POST', ...sent, headers })
  const body = (await answer.json()) as Errors
  await expectDocumented(t, sent.method ?? 'POST', answer.status, body)
  const [{ message, extensions }] = body.errors as [Errors['errors'][number]]
  const type = answer.headers.get('Content-Type')
  return { status: answer.status, type, code: extensions.code, message }
}

async function expectDocumented(
  t: ExecutionContext,
  method: string,
  status: number,
  body: unknown,
): Promise<void> {
  const document = (await under().call('/openapi.json')).body as unknown as Document
  const { responses } = document.paths['/graphql']![method.toLowerCase()]!
  const response = responses[status]
  if (response === undefined) return t.fail(`status ${status} is not documented`)
  const { schema } = response.content['application/json']
  const ajv = new Ajv({ strict: false })
  t.true(ajv.validate({ ...schema, components: document.components }, body), ajv.errorsText())
}

const padded = (bytes: number): string => {
  const body = '{"query":"{ __typename }"}'
  return `${body}${' '.repeat(bytes - body.length)}`
}

test('a body over 64 KiB is 400 in the form of GraphQL, with or without its length', async (t) => {
  const body = padded(BODY_BYTES_MAX + 1)
  const reported = await send(t, { body })
  t.like(reported, { status: 400, type: JSON_TYPE, code: 'INVALID_PARAM' })
  t.regex(reported.message, /65536 bytes/)
  const stream = new Blob([body]).stream()
  const unreported = await send(t, { body: stream, duplex: 'half' })
  t.like(unreported, { status: 400, type: JSON_TYPE, code: 'INVALID_PARAM' })
  t.regex(unreported.message, /65536 bytes/)
  const own = await send(t, { body, headers: { Accept: GRAPHQL_TYPE } })
  t.regex(own.type ?? '', /^application\/graphql-response\+json/)
})

test('answers in the form of GraphQL when admission times out', async (t) => {
  const own = await apiUnderTest(t, { deadlineMs: 1_000 })
  const wanted = { tier: 'free', environment: 'test', account: 'late', by: 'test' } as const
  const { key } = await createKey(own.db, wanted)
  const lock = await own.db.connect()
  await lock.query('begin')
  await lock.query('lock table api_key in access exclusive mode')
  const requested = fetch(`${own.api.url}/graphql?query={__typename}`, {
    headers: { 'X-API-Key': key },
    signal: AbortSignal.timeout(PATIENT_MS),
  })
  const answer = await requested
  await lock.query('rollback')
  lock.release()
  const body = (await answer.json()) as Errors
  t.true(answer.status === 503 || answer.status === 504)
  t.is(body.errors.length, 1)
  t.is(body.errors[0]?.extensions.code, answer.status === 504 ? 'GATEWAY_TIMEOUT' : 'UNAVAILABLE')
  await expectDocumented(t, 'GET', answer.status, body)
})

test('refuses a request without a key in the envelope, as on every route', async (t) => {
  const answer = await fetch(`${under().api.url}/graphql?query={__typename}`)
  t.is(answer.status, 401)
  const body = (await answer.json()) as object
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
  await expectDocumented(t, 'GET', 401, body)
})

const QUERY = '{"query":"{ __typename }"}'
const typed = (type: string) => ({ headers: { 'Content-Type': type } })

test('each error of a body has a distinct text', async (t) => {
  const invalid = 'INVALID_PARAM'
  const missing = 'MISSING_PARAM'
  const table: [Sent, number, string, RegExp][] = [
    [
      { body: QUERY, ...typed('text/plain') },
      415,
      invalid,
      /^Content-Type "text\/plain": expected/,
    ],
    [{ body: QUERY, ...typed('') }, 415, invalid, /^Content-Type/],
    [{ body: QUERY, headers: { 'Content-Encoding': 'gzip' } }, 415, invalid, /-Encoding "gzip": /],
    [
      { body: QUERY, headers: { Accept: 'image/png' } },
      406,
      invalid,
      /^Accept "image\/png": expected/,
    ],
    [{ body: '{"query":"{ __type' }, 400, invalid, /^the body: expected JSON$/],
    [{}, 400, missing, /^the body is empty: /],
    [{ body: ' \n' }, 400, missing, /^the body is empty: /],
    [{ body: `[${QUERY}]` }, 400, invalid, /^the body is a list: expected one query/],
    [{ body: 'null' }, 400, invalid, /^the body: expected \{"query"/],
    [{ body: '"x"' }, 400, invalid, /^the body: expected \{"query"/],
    [{ body: '{}' }, 400, missing, /^query is required$/],
    [{ body: '{"query":""}' }, 400, missing, /^query is required$/],
    [{ body: '{"query":7}' }, 400, invalid, /^query: expected a text$/],
    [
      { body: '{"query":"{a}","variables":"{}"}' },
      400,
      invalid,
      /^variables: expected a JSON object$/,
    ],
    [
      { body: '{"query":"{a}","variables":[]}' },
      400,
      invalid,
      /^variables: expected a JSON object$/,
    ],
    [
      { body: '{"query":"{a}","extensions":1}' },
      400,
      invalid,
      /^extensions: expected a JSON object$/,
    ],
    [
      { body: '{"query":"{a}","operationName":1}' },
      400,
      invalid,
      /^operationName: expected a text$/,
    ],
  ]
  for (const [sent, status, code, message] of table) {
    const answer = await send(t, sent)
    t.like(answer, { status, code, type: JSON_TYPE }, JSON.stringify(sent))
    t.regex(answer.message, message)
  }
})

test('reports errors of a URL like errors of a body', async (t) => {
  const deep = `${'['.repeat(6_000)}${']'.repeat(6_000)}`
  const table: [string, string, RegExp][] = [
    ['', 'MISSING_PARAM', /^query is required$/],
    ['?query=', 'MISSING_PARAM', /^query is required$/],
    ['?query={a}&query={b}', 'INVALID_PARAM', /^query is given 2 times: give it once$/],
    ['?query={a}&variables={', 'INVALID_PARAM', /^variables: expected JSON$/],
    ['?query={a}&variables=[]', 'INVALID_PARAM', /^variables: expected a JSON object$/],
    [`?query={a}&variables={"a":${deep}}`, 'INVALID_PARAM', /variables: expected|Cannot query/],
  ]
  for (const [search, code, message] of table) {
    const answer = await send(t, { method: 'GET' }, search)
    t.is(answer.status, 400, search.slice(0, 40))
    t.regex(answer.message, message)
    if (search.length < 1_000) t.is(answer.code, code)
  }
  const typedWrong = await send(t, { method: 'GET', ...typed('text/plain') }, '?query={__typename}')
  t.like(typedWrong, { status: 415, code: 'INVALID_PARAM' })
})

test('accepts the path like any other: with a trailing slash, in capitals, with the same errors', async (t) => {
  const { api, key } = under()
  for (const path of ['/graphql/', '/GraphQL']) {
    for (const [method, status] of [
      ['GET', 400],
      ['PUT', 405],
    ] as const) {
      const answer = await fetch(api.url + path, { method, headers: { 'X-API-Key': key } })
      t.is(answer.status, status)
      const code = status === 405 ? 'METHOD_NOT_ALLOWED' : 'MISSING_PARAM'
      t.like(await answer.json(), { errors: [{ extensions: { code } }] }, `${method} ${path}`)
    }
  }
})

test('a mutation and a subscription are invalid in any form of request', async (t) => {
  for (const kind of ['mutation', 'subscription']) {
    const query = `${kind} { __typename }`
    const posted = await send(t, { body: JSON.stringify({ query }) })
    const got = await send(t, { method: 'GET' }, `?query=${query}`)
    for (const answer of [posted, got]) {
      t.like(answer, { status: 400, code: 'GRAPHQL_VALIDATION_FAILED' })
      t.is(answer.message, `there is no ${kind} here: expected a query`)
    }
  }
})

test('a persisted query is refused with 400, in the words of its protocol', async (t) => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }
  const search = `?extensions=${JSON.stringify(extensions)}`
  for (const answer of [
    await send(t, { body: JSON.stringify({ extensions }) }),
    await send(t, { body: JSON.stringify({ query: '{ __typename }', extensions }) }),
    await send(t, { method: 'GET' }, search),
  ]) {
    t.like(answer, { status: 400, code: 'PERSISTED_QUERY_NOT_SUPPORTED' })
    t.is(answer.message, 'PersistedQueryNotSupported')
  }
})
