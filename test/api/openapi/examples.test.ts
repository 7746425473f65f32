// Examples of the document: none is missing, each fits its schema and its bounds, and the routes accept each.

import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import Type from 'typebox'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { examplesOf } from '../../../api/openapi/examples.ts'
import { route } from '../../../api/routing/route.ts'
import { isAddress, isSignature } from '../../../domain/numbers/base58.ts'
import { isUtcDate } from '../../../domain/time/utc-day.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { patientAnswer } from '../../support/api/patient-answer.ts'

type Schema = Record<string, unknown>
type Content = Record<string, { schema: Schema; example?: unknown }>
type Parameter = {
  name: string
  in: string
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const ADMIN_KEY = 'an-operators-key-of-this-test'
const under = apiForFile({ adminKey: ADMIN_KEY, operations: NO_OPERATIONS })

/** The formats that the document names. */
const FORMATS = {
  address: isAddress,
  signature: isSignature,
  date: isUtcDate,
  'date-time': (text: string) => new Date(text).toISOString() === text,
  'plain-text': (text: string) => !/\p{Cc}/u.test(text),
  'pnl-mode': true,
  cursor: true,
  int32: { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 },
  int64: { type: 'number', validate: Number.isInteger },
  sol: { type: 'number', validate: (value: number) => value >= 0 },
} as const

async function documentOf(): Promise<Document> {
  return (await under().call('/openapi.json')).body as unknown as Document
}

function operationsOf({ paths }: Document): [shown: string, path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      `${method} ${path}`,
      path,
      operation,
    ]),
  )
}

const valuesOf = ({ example, examples = {} }: Parameter): unknown[] =>
  example === undefined ? Object.values(examples).map(({ value }) => value) : [example]

test('every parameter, body and answer has an example that fits its schema', async (t) => {
  const document = await documentOf()
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  const mismatches: string[] = []
  const expectFit = (where: string, value: unknown, schema: Schema): void => {
    if (value === undefined)
      mismatches.push(`${where}: there is no example: run "npm run examples"`)
    else if (!ajv.validate({ ...schema, components: document.components }, value)) {
      mismatches.push(`${where}: ${ajv.errorsText()}`)
    }
  }
  let examples = 0
  for (const [shown, , { parameters = [], requestBody, responses }] of operationsOf(document)) {
    for (const parameter of parameters) {
      const values = valuesOf(parameter)
      examples += values.length
      for (const value of values.length === 0 ? [undefined] : values) {
        expectFit(`${shown} ${parameter.name}`, value, parameter.schema)
      }
    }
    const bodies: [string, { content?: Content }][] = [
      ...Object.entries(responses),
      ['body', requestBody ?? {}],
    ]
    for (const [status, { content = {} }] of bodies) {
      for (const { schema, example } of Object.values(content)) {
        examples += 1
        expectFit(`${shown} ${status}`, example, schema)
      }
    }
  }
  t.deepEqual(mismatches, [])
  t.true(examples > 400, `${examples}`)
})

/** Routes that find one thing, where nothing is indexed. */
const OF_ONE = [
  '/price/history/timestamp',
  '/stats/token/{mint}',
  '/swaps/{signature}',
  '/tokens/{mint}/ath',
  '/udf/history',
  '/v2/mev/tx/{signature}',
  '/v2/pnl/tokens/{token}/first-buyers',
]

test('accepts the example of each parameter in addition to those of its route', async (t) => {
  const { api, key } = under()
  let requested = 0
  for (const [shown, path, { parameters = [] }] of operationsOf(await documentOf())) {
    if (!shown.startsWith('get ') || path === '/graphql') continue
    for (const alone of parameters.filter(({ examples }) => examples !== undefined)) {
      let filled = path
      const query = new URLSearchParams()
      for (const parameter of parameters) {
        if (parameter.example === undefined && parameter !== alone) continue
        const text = String(valuesOf(parameter)[0])
        if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, text)
        else query.set(parameter.name, text)
      }
      const headers = path.startsWith('/admin')
        ? { Authorization: `Bearer ${ADMIN_KEY}` }
        : { 'X-API-Key': key }
      const answer = await patientAnswer(`${api.url}${filled}?${query}`, headers)
      const expected = OF_ONE.includes(path) ? 404 : 200
      t.is(answer.status, expected, `${filled}?${query}: ${await answer.text()}`)
      requested += 1
    }
  }
  t.true(requested > 80, `${requested}`)
})

test('gives no example of a route or a parameter that nothing is known of', (t) => {
  const made = route({
    path: '/somewhere',
    operationId: 'getSomewhere',
    family: 'enveloped',
    summary: 'Somewhere',
    parameters: Type.Object({ made_up: Type.Optional(Type.String()) }),
    answer: Type.Object({ made_up: Type.String() }),
    errors: [],
    example: {},
    respond: async () => ({ made_up: '' }),
  })
  const examples = examplesOf()
  t.is(examples.parameter('/somewhere', 'made_up', { type: 'string' }), undefined)
  t.is(examples.answer(made), undefined)
})
