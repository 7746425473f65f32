/** `swaptide schema`: the texts that an API with a database serves. */
import test from 'ava'
import { buildClientSchema, buildSchema, getIntrospectionQuery, printSchema } from 'graphql'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { runHere } from '../../../support/programs/commands.ts'

const PATHS = {
  graphql: '/schema.graphql',
  openapi: '/openapi.json',
  asyncapi: '/asyncapi.json',
  ingest: '/ingest.schema.json',
}
const OPERATED = { adminKey: 'k'.repeat(40) }

test('prints each schema as the API serves it', async (t) => {
  const { call } = await apiUnderTest(t, OPERATED)
  for (const [name, path] of Object.entries(PATHS)) {
    const { code, stdout, stderr } = await runHere(['schema', name])
    t.deepEqual([code, stderr], [0, ''], name)
    const { status, text } = await call(path)
    t.deepEqual([status, stdout === text], [200, true], `${name} differs from ${path}`)
    t.true(text.length > 5_000, name)
  }
})

test('prints the names of venues that the installation answers with', async (t) => {
  const { call } = await apiUnderTest(t, { ...OPERATED, venueNames: 'programs' })
  const settings = { VENUE_NAMES: 'programs' }
  for (const [name, path] of Object.entries(PATHS)) {
    const { stdout } = await runHere(['schema', name], settings)
    t.true(stdout === (await call(path)).text, `${name} differs from ${path}`)
  }
  const [programs, ids] = await Promise.all([
    runHere(['schema', 'openapi'], settings),
    runHere(['schema', 'openapi']),
  ])
  t.not(programs.stdout, ids.stdout)
})

test('the schema of GraphQL is one that generators of clients can read, and that of introspection', async (t) => {
  const { key, api } = await apiUnderTest(t)
  const { stdout } = await runHere(['schema', 'graphql'])
  const schema = buildSchema(stdout)
  t.truthy(schema.getQueryType()?.getFields().swaps)
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  })
  type Introspection = Record<'data', Parameters<typeof buildClientSchema>[0]>
  const answer = (await response.json()) as Introspection
  t.is(printSchema(buildClientSchema(answer.data)), printSchema(schema))
})

test('names the interfaces where none or an unknown one is requested', async (t) => {
  const none = await runHere(['schema'])
  t.is(none.code, 2)
  t.regex(none.stderr, /"schema" alone does nothing: use one of graphql openapi asyncapi ingest/)
  const unknown = await runHere(['schema', 'grpahql'])
  t.deepEqual([unknown.code, unknown.stdout], [2, ''])
  t.regex(unknown.stderr, /unknown "schema grpahql": .*graphql/)
  t.is((await runHere(['schema', 'graphql', 'openapi'])).code, 2)
})
