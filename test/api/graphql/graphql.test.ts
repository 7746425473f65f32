/**
 * GraphQL over the tables of a random market: the observed queries, every route's field against the
 * route itself, integers to the last digit, statements counted, and refusals.
 */
import test from 'ava'
import { getNamedType, isObjectType } from 'graphql'
import pg from 'pg'
import { fieldName, mirrored } from '../../../api/graphql/fields.ts'
import { declaredRoutes } from '../../../api/served-text.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { apiForFile, apiUnderTest } from '../../support/api/api-under-test.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { NEWEST_MS, randomMarket } from '../../support/market/random-market.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { asker, introspected, type RequestGraphql, type Row, wholeOf } from './send-query.ts'

/** Fields of Query by the path of their route. */
const fieldNames = new Map(
  mirrored(declaredRoutes()).map((route) => [route.path as string, fieldName(route)]),
)

const INT64_MAX = '9223372036854775807'
const BEYOND_INT64 = '9223372036854775808'
const under = apiForFile()
let send: RequestGraphql
let key: string

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, randomMarket(new Prng([20_261_121]), 300), { hasPrices: true })
  await insertLedger(db, [])
  ;({ send, key } = await asker(under()))
})

async function rest(path: string): Promise<{ status: number; body: Row }> {
  const { status, body } = await under().get(path, { 'X-API-Key': key })
  return { status, body: body as Row }
}

test('the observed queries answer with the observed fields, newest swaps first', async (t) => {
  const { status, data, errors } = await send(
    `query ($pair: String, $wallet: String!) {
      swaps(pair_address: $pair, limit: 5) {
        signature timestamp swap_type sol_amount token_amount trader pool_address price_impact_bps
      }
      candles(pair_address: $pair, timeframe: "15m", limit: 3) {
        timestamp pair_address token_address timeframe open high low close volume_sol volume_token
        volume_lamports trade_count buy_count sell_count unique_traders
      }
      traderStats(wallet: $wallet) { total_volume_sol swap_count }
      traderSwaps(wallet: $wallet, limit: 2) { signature swap_type trader }
    }`,
    { pair: pair(1), wallet: trader(1) },
  )
  t.is(errors, undefined)
  t.is(status, 200)
  const { body: swaps } = await rest(`/swaps?pair_address=${pair(1)}&limit=5`)
  const expected = (swaps.data as Row[]).map((swap) => ({
    signature: swap.signature,
    timestamp: swap.timestamp,
    swap_type: swap.is_buy === true ? 'buy' : 'sell',
    sol_amount: swap.sol_amount,
    token_amount: swap.token_amount,
    trader: swap.user,
    pool_address: swap.pair_address,
    price_impact_bps: swap.price_impact_bps,
  }))
  t.is(expected.length, 5)
  t.deepEqual(data?.swaps, expected)
  const { body: candles } = await rest(
    `/api/v1/candles?pair_address=${pair(1)}&timeframe=15m&limit=3`,
  )
  t.deepEqual(data?.candles, candles.data)
  const { body: stats } = await rest(`/wallets/${trader(1)}/stats?window=all`)
  const { total_volume_sol, total_trades: swap_count } = stats
  t.true((swap_count as number) > 20)
  t.deepEqual(data?.traderStats, { total_volume_sol, swap_count })
  t.like(data, { traderSwaps: { length: 2 } })
})

/** Arguments of routes by the name of the parameter. */
const GIVEN: Readonly<Record<string, string>> = {
  signature: signatureOf(3),
  wallet: trader(1),
  w: trader(1),
  mint: mint(1),
  token_address: mint(1),
  mints: mint(1),
  token: mint(1),
  tokens: mint(1),
  timestamp: String(NEWEST_MS),
  pair_address: pair(4),
  from: String(NEWEST_MS - 3_600_000),
  to: String(NEWEST_MS),
  q: mint(1).slice(0, 4),
  timeframe: '1h',
  amount_in: '1000',
}
/** Parameters of which a route requires one or another. */
const EITHER: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/candles': ['pair_address'],
  '/api/v1/candles/latest': ['pair_address'],
  '/swaps/range': ['from', 'to'],
  '/price/history/range': ['token'],
  '/price/history': ['token'],
  '/stats/tokens': ['mints'],
}
/** Values that depend on the clock. */
const TIMELY = new Set(['computed_at', 'monthly_used'])
/** Fields that GraphQL has besides. */
const MORE = new Set(['swap_type', 'trader', 'pool_address', 'swap_count'])

/** Fields in which the answer of GraphQL differs from REST; by path. */
function differences(graphql: unknown, own: unknown, path = ''): string[] {
  if (Array.isArray(graphql)) {
    const rows = Array.isArray(own) ? own : entriesOf(own)
    if (rows.length !== graphql.length) return [`${path}: ${graphql.length} of ${rows.length}`]
    return graphql.flatMap((row, index) => differences(row, rows[index], `${path}[${index}]`))
  }
  if (typeof graphql !== 'object' || graphql === null) {
    return Object.is(graphql, own ?? null) ? [] : [`${path}: ${graphql}, not ${own}`]
  }
  // A bare text is the first field.
  const source = (typeof own === 'string' ? { [Object.keys(graphql)[0] ?? '']: own } : own) as Row
  return Object.entries(graphql).flatMap(([name, value]) => {
    if (TIMELY.has(name) || (MORE.has(name) && !(name in source))) return []
    return differences(value, source[name.replace(/^_(?=\d)/, '')], `${path}.${name}`)
  })
}

function entriesOf(map: unknown): Row[] {
  return Object.entries(map as Row).map(([name, value]) => ({ key: name, value }))
}

type Parameter = { name: string; in: string; required: boolean; example?: unknown }
type Document = {
  paths: Record<string, { get?: { security?: []; parameters: Parameter[] } }>
}

test('every route with a key has a field that answers as the route does', async (t) => {
  const document = (await rest('/openapi.json')).body as unknown as Document
  const fields = (await introspected(send)).getQueryType()!.getFields()
  let answered = 0
  for (const [path, { get }] of Object.entries(document.paths)) {
    // Charts speak a protocol of their own, which GraphQL does not mirror.
    if (path === '/graphql' || path.startsWith('/udf/')) continue
    if (get === undefined || get.security !== undefined) continue
    const field = fields[fieldNames.get(path) ?? '']
    if (field === undefined) {
      t.fail(`${path} has no field`)
      continue
    }
    const wanted = get.parameters.filter(
      ({ name, required }) => required || EITHER[path]?.includes(name) === true,
    )
    const given = wanted.map(({ name, example }) => [name, GIVEN[name] ?? String(example)] as const)
    const filled = given.reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
    const { status, body } = await rest(
      `${filled}?${new URLSearchParams(Object.fromEntries(given))}`,
    )
    const args = given.map(([name, value]) => {
      const arg = name === 'w' ? 'wallet' : name
      const isText = /String/.test(String(field.args.find((each) => each.name === arg)?.type))
      return `${arg}: ${isText ? JSON.stringify(value) : value}`
    })
    const type = getNamedType(field.type)
    const selection = isObjectType(type) ? wholeOf(type) : ''
    const call = args.length === 0 ? field.name : `${field.name}(${args.join(', ')})`
    const { data, errors } = await send(`{ ${call} ${selection} }`)
    if (status === 200) {
      answered += 1
      t.is(errors, undefined, path)
      t.deepEqual(differences(data?.[field.name], 'success' in body ? body.data : body), [], path)
    } else {
      const { code } = body.error as { code: string }
      t.is(errors?.[0]?.extensions.code, code, path)
    }
  }
  t.true(answered >= 18, `${answered} routes answered`)
})

test('int64 retains its digits in answers, in variables, in literals and in the URL', async (t) => {
  const { db, api, ...rest } = await apiUnderTest(t)
  const exact = sampleSwap({ tokenAmount: BigInt(INT64_MAX), solAmount: 9_007_199_254_740_993n })
  await insertSwaps(db, [
    { ...exact, signature: signatureOf(1), priceImpactBps: 40_000 },
    { ...exact, signature: signatureOf(2), slot: exact.slot - 1, priceImpactBps: null },
  ])
  const { send, key } = await asker({ db, api, ...rest })
  const { text } = await send('{ swaps { token_amount sol_amount price_impact_bps } }')
  const amounts = `"token_amount":${INT64_MAX},"sol_amount":9007199254740993`
  t.is(
    text,
    `{"data":{"swaps":[{${amounts},"price_impact_bps":32767},{${amounts},"price_impact_bps":null}]}}\n`.trim(),
  )
  // A double of this value would end in 2.
  const odd = '9007199254740993'
  const refused = `from "${odd}": expected an integer of 0 to 8640000000000000`
  const literal = await send(`{ swapsInRange(from: ${odd}, to: 1) { slot } }`)
  t.is(literal.errors?.[0]?.message, refused)
  const query = 'query ($from: Int64!, $to: Int64!) { swapsInRange(from: $from, to: $to) { slot } }'
  const variables = `{"from":${odd},"to":1}`
  t.is((await send(query, variables)).errors?.[0]?.message, refused)
  t.is((await send(query, { from: odd, to: '1' })).errors?.[0]?.message, refused)
  const search = new URLSearchParams({ query, variables })
  const got = await fetch(`${api.url}/graphql?${search}`, { headers: { 'X-API-Key': key } })
  t.is(((await got.json()) as { errors: Row[] }).errors[0]?.message, refused)
  t.is((await send(query, '{"from":0,"to":8640000000000000}')).errors, undefined)
  for (const beyond of [BEYOND_INT64, '1.5', '"x"', 'true', `"${BEYOND_INT64}"`]) {
    const { status, errors } = await send(query, `{"from":0,"to":${beyond}}`)
    t.is(status, 400, beyond)
    t.regex(errors?.[0]?.message ?? '', /expected an integer of -9223372036854775808/, beyond)
  }
})

/** Names of the statements that the API runs meanwhile, but those of keys, counts and how a connection plans. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const requested = pg.Client.prototype.query
  const seen: string[] = []
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [{ name, text } = { name: undefined, text: String(given[0]) }] = given as Row[]
    seen.push(String(name ?? text))
    return (requested as (...all: unknown[]) => unknown).apply(this, given)
  } as typeof requested
  try {
    await work()
  } finally {
    pg.Client.prototype.query = requested
  }
  // Segments of sealed history are read again where those that are known are old.
  return seen.filter(
    (name) => !/^(gateway|history|plans)\.|^sealed-history\.read_segments$/.test(name),
  )
}

test.serial('a hundred rows with their tokens need one statement more than without', async (t) => {
  const paths = [
    `/swaps?limit=100&pair_address=${pair(1)}`,
    `/pool-events?limit=100&pair_address=${pair(1)}`,
  ]
  const rest = await statementsOf(() => Promise.all(paths.map((path) => under().get(path))))
  const graphql = await statementsOf(async () => {
    const { data, errors } = await send(
      `{ swaps(limit: 100, pair_address: "${pair(1)}") { token { mint price_sol } }
         poolEvents(limit: 100, pair_address: "${pair(1)}") { signature } }`,
    )
    t.is(errors, undefined)
    const rows = data?.swaps as { token: { mint: string; price_sol: number } }[]
    t.true(rows.length > 5)
    t.true(rows.every(({ token }) => token.mint === mint(0) && token.price_sol > 0))
  })
  t.deepEqual(graphql.sort(), [...rest, 'graphql.list_tokens'].sort())
})

test.serial('tokens of the rows of several fields are read for all of them together', async (t) => {
  const mints = [0, 1, 2, 3, 4].map((n) => `"${mint(n)}"`)
  const statements = await statementsOf(async () => {
    const { data, errors } = await send(
      `{ pairs(token_addresses: [${mints}]) { token { mint symbol } } }`,
    )
    t.is(errors, undefined)
    const rows = data?.pairs as { token: Row }[]
    t.true(rows.length > 10)
    t.is(new Set(rows.map(({ token }) => token.mint)).size, mints.length)
  })
  t.is(statements.filter((name) => name === 'graphql.list_tokens').length, 1)
})

test.serial('reads a field once that is requested under several aliases', async (t) => {
  const swaps = (name: string) => `${name}: traderSwaps(wallet: "${trader(2)}") { signature }`
  const once = await statementsOf(() => send(`{ ${swaps('a')} }`))
  const twice = await statementsOf(() => send(`{ ${swaps('a')} ${swaps('b')} ${swaps('c')} }`))
  t.true(once.length > 0)
  t.deepEqual(twice, once)
})

test('reports the code of a refused read alongside the answers of the others, and no stack', async (t) => {
  const { status, data, errors, text } = await send(
    `{ swaps(pair_address: "nonsense") { signature } candles { open }
       transaction(signature: "${signatureOf(4_000)}") { total } protocols { __typename } }`,
  )
  t.is(status, 200)
  t.is(data?.swaps, null)
  t.truthy(data?.protocols)
  const codes = Object.fromEntries(
    (errors ?? []).map(({ path, extensions }) => [path?.[0], extensions.code]),
  )
  t.deepEqual(codes, { swaps: 'INVALID_PARAM', candles: 'MISSING_PARAM', transaction: 'NOT_FOUND' })
  t.deepEqual(
    errors?.map(({ extensions }) => Object.keys(extensions)),
    [['code'], ['code'], ['code']],
  )
  t.notRegex(text, /\.ts|node_modules|stack/)
})

test('answers no form of request without a key', async (t) => {
  for (const headers of [{}, { 'X-API-Key': 'ohlcv_dev_sk_x' }]) {
    const posted = await send('{ __typename }', {}, headers as Record<string, string>)
    t.is(posted.status, 401)
    t.like(JSON.parse(posted.text), { success: false, error: { code: 'UNAUTHORIZED' } })
    const got = await fetch(`${under().api.url}/graphql?query={__typename}`, { headers })
    t.is(got.status, 401)
    await got.body?.cancel()
  }
})

test('introspection is on, and the whole of it fits the limits', async (t) => {
  const schema = await introspected(send)
  t.falsy(schema.getSubscriptionType())
  t.falsy(schema.getMutationType())
  const swap = schema.getType('Swap')
  const fields = isObjectType(swap) ? swap.getFields() : {}
  t.is(String(fields.price_impact_bps?.type), 'Int')
  t.is(String(fields.token_amount?.type), 'Int64!')
})

const aliased = (count: number) =>
  `{ ${Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ')} }`

test.serial('refuses a query beyond a limit with 400 before any read', async (t) => {
  const cases: [string, RegExp][] = [
    [aliased(16), /16 aliases: expected at most 15/],
    [`{ ${'__typename '.repeat(1_000)} }`, /1000 tokens/],
    [
      '{ swaps(limit: 1000) { ...S } tokenSwaps(mint: "x", limit: 1000) { ...S } } fragment S on Swap { a: token { ...T } b: token { ...T } c: token { ...T } d: token { ...T } e: token { ...T } } fragment T on Token { mint symbol name decimals creator sector price_sol price_usd price_timestamp price_stale }',
      /may bring \d+ values: expected at most 100000/,
    ],
    ['subscription { swaps { signature } }', /there is no subscription here/],
    ['mutation { swaps { signature } }', /there is no mutation here/],
    ['{ swaps { nothing } }', /Cannot query field "nothing"/],
  ]
  for (const [query, expected] of cases) {
    let answer: Awaited<ReturnType<RequestGraphql>> | undefined
    const statements = await statementsOf(async () => {
      answer = await send(query)
    })
    t.is(answer?.status, 400, query.slice(0, 60))
    t.regex(answer?.errors?.[0]?.message ?? '', expected)
    t.deepEqual(statements, [], query.slice(0, 60))
  }
  t.is((await send(aliased(15))).status, 200)
})

test('queries do not come in arrays, and no body is over 64 KiB', async (t) => {
  const post = async (body: string) => {
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key }
    const answer = await fetch(`${under().api.url}/graphql`, { method: 'POST', headers, body })
    await answer.body?.cancel()
    return answer.status
  }
  t.is(await post('[{"query":"{ __typename }"}]'), 400)
  t.is(await post('{"query":"{ __typename }"'), 400)
  t.is(await post(''), 400)
  t.is(await post('null'), 400)
  const padded = (bytes: number) => {
    const body = '{"query":"{ __typename }","operationName":null}'
    return body.replace('{"', `{${' '.repeat(bytes - body.length)}"`)
  }
  t.is(await post(padded(64 * 1024)), 200)
  t.is(await post(padded(64 * 1024 + 1)), 400)
})

const DEADLINE_MS = 5_000

test('a query ends with its deadline, however many reads it requests', async (t) => {
  const own = await apiUnderTest(t, { deadlineMs: DEADLINE_MS })
  const { send } = await asker(own)
  const lock = await own.db.connect()
  await lock.query('begin')
  await lock.query('lock table pool_event in access exclusive mode')
  const reads = Array.from(
    { length: 12 },
    (_, n) => `e${n}: poolEvents(limit: ${n + 1}) { signature }`,
  )
  const began = performance.now()
  const { errors } = await send(`{ ${reads.join(' ')} }`)
  const tookMs = performance.now() - began
  await lock.query('rollback')
  lock.release()
  // A machine under load may not even have a connection for them by then.
  const late = new Set<unknown>(['GATEWAY_TIMEOUT', 'UNAVAILABLE'])
  t.is(errors?.filter(({ extensions }) => late.has(extensions.code)).length, 12)
  // Two reads at once: one after the other they would need six times their deadline.
  t.true(tookMs < 5 * DEADLINE_MS, `${tookMs}`)
})
