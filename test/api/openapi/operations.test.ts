// Names of the document, which generated clients have as functions and types: operations, tags and schemas.

import test from 'ava'
import Type from 'typebox'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { otherPaths } from '../../../api/openapi/paths/other-paths.ts'
import { createComponents } from '../../../api/routing/components.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { readText } from '../../support/sources.ts'

/** Operations of interface.txt, which shows a reviewer each change of a name; it has no feed. */
const OPERATIONS: Readonly<Record<string, string>> = {
  openFeed: 'get /ws/v1',
  ...Object.fromEntries(
    Array.from(
      readText('interface.txt').matchAll(/^([A-Z]+) (\/\S*) (\w+) \[/gm),
      ([, method = '', path = '', id = '']) => [id, `${method.toLowerCase()} ${path}`],
    ),
  ),
}

type Schema = {
  $ref?: string
  title?: string
  type?: string
  format?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}
type Content = { content?: Record<string, { schema: Schema }> }
type Operation = {
  operationId: string
  tags: string[]
  requestBody?: Content
  responses: Record<string, Content>
}
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const under = apiForFile({ adminKey: 'an operator of this test', operations: NO_OPERATIONS })

async function documentOf(): Promise<Document> {
  const document = (await (await fetch(`${under().api.url}/openapi.json`)).json()) as Document
  // A server without FEED does not document the feed.
  const others = otherPaths({ metrics: true, feed: true, publicPages: false }) as Document['paths']
  return { ...document, paths: { ...others, ...document.paths } }
}

function operationsOf({ paths }: Document): [shown: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

test('every operation has a unique name in camelCase, the one of interface.txt', async (t) => {
  const operations = operationsOf(await documentOf())
  const rows = operations.map(([shown, { operationId }]) => [operationId, shown])
  t.deepEqual(Object.fromEntries(rows), OPERATIONS)
  t.is(rows.length, Object.keys(OPERATIONS).length)
  for (const [name = ''] of rows) t.regex(name, /^[a-z]+(?:[A-Z][a-z0-9]+)*$/)
})

test('describes each tag that an operation has, and no other', async (t) => {
  const document = await documentOf()
  const used = operationsOf(document).flatMap(([, { tags }]) => tags)
  const described = new Set(document.tags.map(({ name }) => name))
  // The tag of the feed is described where it is served.
  described.add('feed')
  t.deepEqual([...described].sort(), [...new Set(used)].sort())
  t.true(document.tags.every(({ description }) => description.length > 10))
})

/** Places of objects without a name; `at` is an envelope where it has `success`. */
function unnamed(schema: Schema | undefined, at: string): string[] {
  if (schema === undefined) return []
  const { properties = {}, patternProperties = {}, anyOf = [] } = schema
  const isBare = schema.properties !== undefined && properties.success === undefined
  return [
    ...(isBare ? [at] : []),
    ...Object.entries(properties).flatMap(([name, each]) => unnamed(each, `${at}.${name}`)),
    ...Object.values(patternProperties).flatMap((each) => unnamed(each, `${at}{}`)),
    ...unnamed(schema.items, `${at}[]`),
    ...anyOf.flatMap((each) => unnamed(each, at)),
  ]
}

test('every object of an answer or a body is a named component: give its schema a title', async (t) => {
  const document = await documentOf()
  const { schemas } = document.components
  const found = operationsOf(document).flatMap(([shown, { requestBody, responses }]) =>
    [requestBody, ...Object.values(responses)].flatMap((each) =>
      unnamed(each?.content?.['application/json']?.schema, shown),
    ),
  )
  const within = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, each]) => unnamed(each, `${name}.${field}`)),
  )
  t.deepEqual([...found, ...within], [])
  for (const [name, { title }] of Object.entries(schemas)) t.is(title, name)
  const entities = 'Swap Candle Position Lot Pair Holding LeaderboardRow PoolEvent Retraction'
  for (const name of entities.split(' ')) t.true(name in schemas, name)
})

/** Fields that hold lamports or base units. */
const MONEY = /lamports|atomic|^(?:volume_token|quantity|sol_amount|token_amount|supply)$/

test('each field of lamports or base units is marked as an integer that may pass 2^53', async (t) => {
  const { schemas } = (await documentOf()).components
  let count = 0
  const unmarked = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, schema]) => {
      const integers = [schema, ...(schema.anyOf ?? [])].filter(({ type }) => type === 'integer')
      if (!MONEY.test(field) || integers.length === 0) return []
      count += 1
      const isMarked = integers.every(({ format = '' }) => /^(?:int64|bigint)$/.test(format))
      return isMarked ? [] : [`${name}.${field}`]
    }),
  )
  t.deepEqual(unmarked, [])
  t.true(count > 50, `${count} fields`)
})

test('a name of two schemas is an error', (t) => {
  const { refer, schemas } = createComponents()
  const pool = (slot: object) => Type.Object({ slot }, { title: 'Pool' })
  t.deepEqual(refer(Type.Array(pool(Type.Integer()))), {
    type: 'array',
    items: { $ref: '#/components/schemas/Pool' },
  })
  refer(pool(Type.Integer()))
  t.deepEqual(Object.keys(schemas()), ['Pool'])
  t.throws(() => refer(pool(Type.String())), { message: /two schemas are called "Pool"/ })
})
