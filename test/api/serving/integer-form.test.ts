// int64=string: texts of digits instead of integers that a double may round, on REST and GraphQL, by query and header.

import test from 'ava'
import { parseExact } from '../../../domain/text/exact-json.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { randomMarket } from '../../support/market/random-market.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'

const INT64_MAX = 9_223_372_036_854_775_807n
const under = apiForFile()

test.serial.before(async () => {
  const { db } = under()
  const market = randomMarket(new Prng([20_261_127]), 200)
  const largest = { ...sampleSwap({ tokenAmount: INT64_MAX }), signature: signatureOf(9_000) }
  await insertSwaps(db, [...market, largest], { hasPrices: true })
  await insertLedger(db, [])
})

async function textOf(path: string, headers: Record<string, string> = {}, body?: string) {
  const answer = await fetch(under().api.url + path, {
    headers: { 'X-API-Key': under().key, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  return { status: answer.status, cache: answer.headers.get('X-Cache'), text: await answer.text() }
}

type Schema = {
  $ref?: string
  format?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}
type Schemas = Record<string, Schema>

/** The answer as it must be with texts, by the documented schema; counts the texts. */
function texted(value: unknown, schema: Schema, schemas: Schemas, count: () => void): unknown {
  if (value === null || value === undefined) return value
  if (schema.$ref) {
    return texted(value, schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, count)
  }
  if (schema.anyOf?.[0]) return texted(value, schema.anyOf[0], schemas, count)
  if (schema.format === 'int64' || schema.format === 'bigint') {
    count()
    return String(value)
  }
  if (Array.isArray(value)) {
    return value.map((each) => texted(each, schema.items ?? {}, schemas, count))
  }
  if (typeof value !== 'object') return typeof value === 'bigint' ? Number(value) : value
  const [byKey] = Object.values(schema.patternProperties ?? {})
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    texted(each, schema.properties?.[name] ?? byKey ?? {}, schemas, count),
  ])
  return Object.fromEntries(fields)
}

const PATHS: readonly [path: string, documented: string, texts: number][] = [
  ['/swaps?limit=50', '/swaps', 500],
  [`/swaps/${signatureOf(9_000)}`, '/swaps/{signature}', 10],
  [`/api/v1/candles?pair_address=${pair(1)}`, '/api/v1/candles', 2],
  [`/stats/token/${mint(1)}`, '/stats/token/{mint}', 3],
  [`/wallets/${trader(1)}/stats`, '/wallets/{w}/stats', 3],
  [`/v2/pnl/wallets/${trader(1)}/positions?status=all`, '/v2/pnl/wallets/{wallet}/positions', 3],
  [`/tokens/${mint(1)}/holders`, '/tokens/{mint}/holders', 1],
  ['/api/v1/stats', '/api/v1/stats', 5],
]

test.serial(
  'writes texts of the same digits where the schema has int64, and nothing else',
  async (t) => {
    const document = JSON.parse((await textOf('/openapi.json')).text)
    for (const [path, documented, expected] of PATHS) {
      const responses = document.paths[documented].get.responses
      const { schema } = responses[200].content['application/json']
      const number = await textOf(path)
      t.is(number.status, 200, `${path}: ${number.text}`)
      const string = await textOf(`${path}${path.includes('?') ? '&' : '?'}int64=string`)
      t.is(string.status, 200, `${path}: ${string.text}`)
      let texts = 0
      const count = () => {
        texts += 1
      }
      const wanted = texted(parseExact(number.text), schema, document.components.schemas, count)
      const untimed = (answer: unknown) =>
        JSON.stringify(answer, (name, value) =>
          /computed_at|lag_ms|feed_cursor/.test(name) ? undefined : value,
        )
      t.is(untimed(JSON.parse(string.text)), untimed(wanted), path)
      t.true(texts >= expected, `${path}: ${texts} texts`)
    }
    t.true((await textOf('/swaps?int64=string&limit=1000')).text.includes(`"${INT64_MAX}"`))
    t.true((await textOf('/swaps?int64=number&limit=1000')).text.includes(`:${INT64_MAX}`))
  },
)

test.serial('caches both forms apart, also by the header on a known URL', async (t) => {
  const path = `/wallets/${trader(2)}/stats`
  const number = await textOf(path)
  const again = await textOf(path)
  t.is(again.cache, 'hit')
  t.is(again.text, number.text)
  const string = await textOf(path, { Int64: 'string' })
  t.not(string.text, number.text)
  t.is(string.cache, 'miss')
  const hit = await textOf(`${path}?int64=string`)
  t.like(hit, { cache: 'hit', text: string.text })
  t.is((await textOf(path, { Int64: 'string' })).text, string.text)
  t.is((await textOf(path, { Int64: 'number' })).text, number.text)
  t.is((await textOf(path)).text, number.text)
})

test('refuses an unknown form, a repeated one and two that differ', async (t) => {
  for (const [path, headers, message] of [
    ['/swaps?int64=text', {}, 'int64 "text": use one of number string'],
    ['/swaps', { Int64: 'text' }, 'int64 "text": use one of number string'],
    ['/swaps?int64=string&int64=string', {}, 'int64 is given 2 times: give it once'],
    [
      '/swaps?int64=number',
      { Int64: 'string' },
      'int64: query and header differ, give one of them',
    ],
  ] as const) {
    const { status, text } = await textOf(path, headers)
    t.is(status, 400, path)
    t.is(JSON.parse(text).message, message)
  }
  const { status, text } = await textOf('/graphql?query={__typename}&int64=text')
  t.is(status, 400)
  t.is(JSON.parse(text).errors[0].message, 'int64 "text": use one of number string')
})

test('GraphQL writes Int64 in the form that the request chooses', async (t) => {
  const query = `{ transaction(signature: "${signatureOf(9_000)}") { total swaps { slot token_amount fee_bps token { price_timestamp } } } }`
  const body = JSON.stringify({ query })
  const number = parseExact((await textOf('/graphql', {}, body)).text) as { data: Answer }
  const { slot, token_amount, fee_bps, token } = number.data.transaction.swaps[0]!
  t.is(token_amount, INT64_MAX)
  const expected = {
    total: String(number.data.transaction.total),
    swaps: [
      {
        slot: String(slot),
        token_amount: String(INT64_MAX),
        fee_bps,
        token: token && { price_timestamp: String(token.price_timestamp) },
      },
    ],
  }
  const url = `/graphql?${new URLSearchParams({ query })}&int64=string`
  for (const { status, text } of [
    await textOf('/graphql?int64=string', {}, body),
    await textOf('/graphql', { Int64: 'string' }, body),
    await textOf(url),
  ]) {
    t.is(status, 200, text)
    const { data, errors } = JSON.parse(text)
    t.is(errors, undefined)
    t.deepEqual(data.transaction, expected)
  }
})

type Answer = {
  transaction: {
    total: number
    swaps: {
      slot: number
      token_amount: bigint
      fee_bps: number
      token: { price_timestamp: number } | null
    }[]
  }
}
