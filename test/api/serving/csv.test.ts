// Lists as CSV over HTTP: each has the rows of its JSON, to the last digit, and the way to its next page.

import test from 'ava'
import { parse as parseCsv } from 'csv-parse/sync'
import { isLosslessNumber, parse as parseExact, stringify } from 'lossless-json'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertRetractions } from '../../support/api/insert-retractions.ts'
import { insertEvents, insertSwaps, liquidityBeside } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'

const FIRST_MS = Date.UTC(2026, 6, 1)
/** Beyond what a double holds. */
const MANY = 9_007_199_254_740_993n
const CSV = { Accept: 'text/csv' }

const under = apiForFile()

test.serial.before(async () => {
  const { db } = under()
  const swaps = Array.from({ length: 12 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 100 + n,
      timestamp: FIRST_MS + n,
      user: trader(n % 2),
      tokenAddress: mint(n % 4 < 2 ? 0 : 1),
      pairAddress: pair(n % 4 < 2 ? 0 : 1),
      isBuy: n < 8,
      solAmount: 60_000_000_000,
      tokenAmount: MANY,
      transferFeeOut: 0,
    }),
  )
  await insertLedger(db, swaps)
  await insertEvents(db, liquidityBeside(swaps))
  await insertRetractions(db, [7, 8, 9])
  const priced = [0, 1].map((n) =>
    sampleSwap({
      signature: signatureOf(20 + n),
      slot: 50 + n,
      timestamp: FIRST_MS - 60_000 + n,
      user: trader(2),
      tokenAddress: mint(2),
      pairAddress: pair(2),
    }),
  )
  await insertSwaps(db, priced, { hasPrices: true })
})

const TO_MS = FIRST_MS + 1_000
/** The lists that have rows here, and the property of their JSON that holds these. */
const LISTS: Readonly<Record<string, string>> = {
  '/swaps?limit=5': 'data',
  [`/swaps/range?from=${FIRST_MS}&to=${TO_MS}`]: 'data',
  '/swaps/whale?min_sol=1': 'data',
  [`/swaps/trader/${trader(0)}?limit=3`]: 'data',
  [`/swaps/token/${mint(0)}`]: 'data',
  [`/api/v1/candles?pair_address=${pair(2)}`]: 'data',
  [`/swaps/${signatureOf(0)}`]: 'swaps',
  [`/v2/pnl/wallets/${trader(0)}/positions`]: 'positions',
  [`/v2/pnl/wallets/${trader(0)}/positions?breakdown=1`]: 'positions',
  [`/v2/pnl/wallets/${trader(0)}/tokens?from=2026-07-01&to=2026-07-02`]: 'tokens',
  '/pool-events': 'data',
  [`/api/v1/pairs?token_address=${mint(2)}`]: 'data',
  [`/wallets/${trader(0)}/chart?window=all`]: 'series',

  '/api/v1/retractions': 'data',
}

type Json = Record<string, unknown>

/** Each value of a row by its column: as the text of JSON, an empty cell for null. */
function cellsOf(row: Json, within = ''): [string, string][] {
  return Object.entries(row).flatMap(([key, value]): [string, string][] => {
    const name = within + key
    if (value === null) return [[name, '']]
    if (isLosslessNumber(value)) return [[name, value.value]]
    if (Array.isArray(value)) return [[name, stringify(value) ?? '']]
    return typeof value === 'object' ? cellsOf(value as Json, `${name}.`) : [[name, String(value)]]
  })
}

for (const [path, property] of Object.entries(LISTS)) {
  const shown = path.replace(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, 'X')
  test(`the CSV of ${shown} has the rows of its JSON`, async (t) => {
    const { get } = under()
    const json = await get(path)
    t.is(json.status, 200, json.text)
    const csv = await get(path, CSV)
    t.is(csv.status, 200, csv.text)
    t.is(csv.headers.get('Content-Type'), 'text/csv; charset=utf-8; header=present')
    const rows = (parseExact(json.text) as Json)[property] as Json[]
    const lines: Record<string, string>[] = parseCsv(csv.text, { columns: true })
    t.true(rows.length > 0)
    t.is(lines.length, rows.length)
    for (const [index, row] of rows.entries()) {
      const line = lines[index] ?? {}
      // A field that is null where others have an object has the object's columns, empty.
      const expected = Object.fromEntries(cellsOf(row).filter(([name]) => name in line))
      const further = Object.entries(line).filter(([name]) => !(name in expected))
      t.deepEqual(
        further.filter(([, cell]) => cell !== ''),
        [],
      )
      t.like(line, expected)
      t.deepEqual(
        cellsOf(row).filter(([name, cell]) => !(name in line) && cell !== ''),
        [],
      )
    }
  })
}

test('pool accounts alone are one column, and pools of a token without one have all', async (t) => {
  const { get } = under()
  const json = await get('/api/v1/pairs')
  const csv = await get('/api/v1/pairs', CSV)
  t.is(json.body.data.length, 3)
  t.is(csv.text, ['pair_address', ...json.body.data, ''].join('\r\n'))
  const { text } = await get(`/api/v1/pairs?token_address=${mint(9)}`, CSV)
  t.regex(text, /^pair_address,token_address,protocol,.*\r\n$/)
})

test('pages of pool accounts follow each other by their headers', async (t) => {
  const { headers } = await under().get('/api/v1/pairs?limit=2', CSV)
  const { body } = await under().get('/api/v1/pairs?limit=2')
  t.is(headers.get('X-Next-Cursor'), (body as { next_cursor?: string }).next_cursor ?? '')
  t.regex(headers.get('Link') ?? '', /^<\/api\/v1\/pairs\?limit=2&cursor=.+>; rel="next"$/)
})

test('a batch is a line for each requested row, empty where there is nothing', async (t) => {
  const { api, key } = under()
  const body = JSON.stringify({ wallets: [trader(0), trader(7), trader(1)] })
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'text/csv' }
  const answer = await fetch(`${api.url}/wallets/batch`, { method: 'POST', headers, body })
  t.is(answer.headers.get('Content-Type'), 'text/csv; charset=utf-8; header=present')
  const lines: Record<string, string>[] = parseCsv(await answer.text(), { columns: true })
  t.deepEqual(
    lines.map(({ wallet }) => wallet),
    [trader(0), '', trader(1)],
  )
})

/** Answers with arrays that are no list, or hold more than one. */
const WITHOUT_CSV: Readonly<Record<string, string>> = {
  '/api/v1/coverage': 'two lists',
  '/api/v1/stats': 'figures of windows',
  '/api/v1/top-movers': 'two lists',
  '/graphql': 'its own protocol',
  '/tokens/{mint}/intel': 'one token',
  '/udf/config': 'its own protocol',
  '/udf/history': 'its own protocol',
  '/udf/search': 'its own protocol',
  '/udf/symbols': 'its own protocol',
  '/v2/pnl/wallets/{wallet}/highlights': 'one trade of each kind',
  '/v2/pnl/wallets/{wallet}/positions/{mint}/lots': 'two lists',
  '/v2/sql': 'rows are lists, whose columns the query names',
}

type Schema = {
  type?: string
  $ref?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}
type Operation = { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

test('every answer with an array is a list as CSV, or is known as none', async (t) => {
  const { body } = await under().get('/openapi.json')
  const { paths, components } = body as unknown as Document
  const hasArray = (given: Schema): boolean => {
    const name = given.$ref?.split('/').at(-1)
    const shape = name === undefined ? given : (components.schemas[name] ?? {})
    // The gaps of a moment are not the answer.
    const { as_of: _, ...properties } = shape.properties ?? {}
    const parts = [...Object.values(properties), ...(shape.anyOf ?? [])]
    return shape.type === 'array' || parts.some(hasArray)
  }
  const without = new Set<string>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const { responses } of Object.values(operations)) {
      const content = responses['200']?.content ?? {}
      const json = content['application/json']?.schema
      if (json !== undefined && hasArray(json) && !('text/csv' in content)) without.add(path)
    }
  }
  t.deepEqual([...without].sort(), Object.keys(WITHOUT_CSV).sort())
})

test('digits beyond a double stay', async (t) => {
  const { text } = await under().get('/swaps?limit=1', CSV)
  const [line] = parseCsv(text, { columns: true }) as Record<string, string>[]
  t.is(line?.token_amount, String(MANY))
})

test('pages follow each other by their headers', async (t) => {
  const { call, key } = under()
  const seen: string[] = []
  let path: string | undefined = `/swaps?limit=5&api_key=${key}`
  for (let pages = 0; path !== undefined; pages++) {
    const { status, text, headers } = await call(path, { ...CSV, 'X-API-Key': key })
    t.is(status, 200, text)
    const lines: Record<string, string>[] = parseCsv(text, { columns: true })
    seen.push(...lines.map(({ signature }) => signature ?? ''))
    const link = headers.get('Link')
    path = link === null ? undefined : /^<(.*)>; rel="next"$/.exec(link)?.[1]
    t.is(headers.get('X-Next-Cursor') === null, path === undefined)
    t.false(link?.includes('ohlcv') ?? false, 'no key in a link')
    t.true(pages < 5)
  }
  const { body } = await under().get('/swaps?limit=100')
  t.deepEqual(
    seen,
    body.data.map(({ signature }) => signature),
  )
  t.is(seen.length, 14)
})

test('a list without rows has its columns', async (t) => {
  const { text } = await under().get(`/swaps/trader/${mint(9)}`, CSV)
  t.regex(text, /^signature,slot,.*\r\n$/)
})

test('errors and answers that are no list stay JSON', async (t) => {
  const { get } = under()
  for (const path of ['/swaps?limit=0', '/credits', '/api/v1/stats']) {
    const { headers } = await get(path, CSV)
    t.regex(headers.get('Content-Type') ?? '', /^application\/json/, path)
  }
})

test('JSON comes where a client takes both, and CSV where it prefers that', async (t) => {
  const cases = {
    '*/*': /json/,
    'application/json, text/csv': /json/,
    'text/csv, application/json;q=0.5': /csv/,
    'text/*': /csv/,
    'application/json;q=0.1, text/csv;q=0.9': /csv/,
  }
  for (const [accept, type] of Object.entries(cases)) {
    const { headers } = await under().get('/swaps?limit=1', { Accept: accept })
    t.regex(headers.get('Content-Type') ?? '', type, accept)
  }
})

test('a cached list is served as either', async (t) => {
  const { db, call } = under()
  const { key } = await createKey(db, {
    tier: 'enterprise',
    environment: 'test',
    account: 'tables',
    by: 'test',
  })
  const headers = { 'X-API-Key': key }
  const path = `/wallets/${trader(0)}/holdings`
  const forms = []
  for (const accept of ['application/json', 'text/csv', 'application/json', 'text/csv']) {
    const { status, headers: got } = await call(path, { ...headers, Accept: accept })
    t.is(status, 200)
    forms.push(`${got.get('X-Cache')} ${got.get('Content-Type')?.split(';')[0]}`)
  }
  t.deepEqual(forms, [
    'miss application/json',
    'hit text/csv',
    'hit application/json',
    'hit text/csv',
  ])
})
