// Examples of the document: none is missing, each fits its schema and its bounds, the routes accept each, and their
// figures add up.

import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import Type from 'typebox'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { MIGRATION_MS, POSITION, SWAP } from '../../../api/examples/story.ts'
import { answerExample, parameterExample } from '../../../api/openapi/example-of.ts'
import { route } from '../../../api/routing/route.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { isAddress, isSignature } from '../../../domain/numbers/base58.ts'
import { isUtcDate } from '../../../domain/time/utc-day.ts'
import { priceImpactBps } from '../../../workers/pool/impact/impact.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'

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
  int64: { type: 'number', validate: Number.isSafeInteger },
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
    if (value === undefined) mismatches.push(`${where}: there is no example`)
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

test('accepts the example of each parameter in addition to those of its route', async (t) => {
  const { call, key } = under()
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
      const { status, text } = await call(`${filled}?${query}`, headers)
      t.is(status, 200, `${filled}?${query}: ${text}`)
      requested += 1
    }
  }
  t.true(requested > 80, `${requested}`)
})

test('gives examples whose figures add up', async (t) => {
  const { sol_amount: solAmount, token_amount: tokenAmount } = SWAP
  t.is(SWAP.price_per_token, solAmount / tokenAmount)
  const swap = {
    ...{ dex: SWAP.dex, isBuy: SWAP.is_buy, solAmount, tokenAmount, timestamp: SWAP.timestamp },
    realSolReserves: SWAP.real_sol_reserves,
    realTokenReserves: SWAP.real_token_reserves,
    agentTrade: SWAP.agent_trade,
  } as Swap
  const context = { migratedAtMs: MIGRATION_MS, priceBefore: undefined }
  t.is(priceImpactBps(swap, context), SWAP.price_impact_bps)
  t.is(POSITION.soldCostLamports + POSITION.leftCostLamports, SWAP.sol_amount)
  t.is(POSITION.sold + POSITION.left, SWAP.token_amount)
  const { paths } = await documentOf()
  const answerOf = <Answer>(path: string) =>
    paths[path]?.get?.responses[200]?.content?.['application/json']?.example as Answer
  const risk = answerOf<{ score: number; factors: { points: number }[] }>('/tokens/{mint}/risk')
  t.is(risk.score, Math.round(sumOf(risk.factors, 'points')))
  const calendar = answerOf<{ rows: { cells: { day: string }[] }[]; days: string[] }>(
    '/v2/pnl/leaderboard/kols/calendar',
  )
  t.deepEqual(
    calendar.rows[0]?.cells.map(({ day }) => day),
    calendar.days,
  )
  type Figures = Record<string, number>
  const { totals, sells, lots } = answerOf<{ totals: Figures; sells: Figures[]; lots: Figures[] }>(
    '/v2/pnl/wallets/{wallet}/positions/{mint}/lots',
  )
  t.is(totals.balance, sumOf(lots, 'quantity'))
  t.is(totals.realized_strict_lamports, sumOf(sells, 'realized_strict_lamports'))
})

function sumOf<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0)
}

test('gives no example of a field without a known value', (t) => {
  const made = route({
    path: '/somewhere',
    operationId: 'getSomewhere',
    family: 'enveloped',
    summary: 'Somewhere',
    parameters: Type.Object({ made_up: Type.Optional(Type.String()) }),
    answer: Type.Object({ made_up: Type.String(), mint: Type.Integer(), slot: Type.Integer() }),
    errors: [],
    example: {},
    respond: async () => ({ made_up: '', mint: 0, slot: 0 }),
  })
  t.is(parameterExample('/somewhere', 'made_up', { type: 'string' }), undefined)
  // A mint that is a number is not the one that is known.
  t.deepEqual(answerExample(made), { slot: SWAP.slot })
})
