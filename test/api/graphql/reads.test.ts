// Bounds of one request's reads and loads: lanes of reads and of tokens by counting, then a wallet of very many tokens
// over HTTP.

import test from 'ava'
import { graphql } from 'graphql'
import pg from 'pg'
import { Type } from 'typebox'
import { graphqlSchema } from '../../../api/graphql/fields.ts'
import { LIMITS } from '../../../api/graphql/limits.ts'
import { createReads } from '../../../api/graphql/reads.ts'
import { ANY_CALLER } from '../../../api/routing/caller.ts'
import type { Reading } from '../../../api/routing/declaration.ts'
import { type Route, route } from '../../../api/routing/route.ts'
import { openBalances } from '../../../chain/accounts/providers.ts'
import type { Connection } from '../../../sql/db.ts'
import { History } from '../../../sql/history.ts'
import { apiUnderTest, PATIENT_MS, SILENT } from '../../support/api/api-under-test.ts'
import { mint, trader } from '../../support/market/sample-swap.ts'
import { startBalanceNode } from '../../support/servers/balance-node.ts'
import { asker } from './send-query.ts'

const READS_AT_ONCE = 2

/** Reads of one request on connections that bring no rows, each a turn of the loop later; and their number. */
function countedReads(answerOf: (parameters: Record<string, unknown>) => string) {
  const counts = { now: 0, most: 0, all: 0 }
  const run: Reading['reader']['run'] = async (_signal, work) => {
    counts.all += 1
    counts.now += 1
    counts.most = Math.max(counts.most, counts.now)
    await new Promise(setImmediate)
    counts.now -= 1
    const query = async () => ({ rows: [] })
    return work({ query } as unknown as Connection)
  }
  const reader = { walkMs: 1, run, end: async () => {}, history: new History() }
  const declared = route({
    path: '/read',
    operationId: 'getRead',
    family: 'enveloped',
    summary: 'A read',
    parameters: Type.Object({ n: Type.Integer({ minimum: 0, maximum: 100 }) }),
    answer: Type.Unsafe<string>({}),
    errors: [],
    example: {},
    read: async () => '',
  })
  const respond: Route['respond'] = (parameters, { signal, reader: own }) =>
    own.run(signal, async () => ({ body: answerOf(parameters), seconds: 0 }))
  const reading: Reading = { reader, signal: new AbortController().signal, caller: ANY_CALLER }
  return { reads: createReads({} as never, reading), route: { ...declared, respond }, counts }
}

test('reads and tokens of a request share two connections, however many they are', async (t) => {
  const { reads, route: one, counts } = countedReads(() => '{}')
  const tokens = Promise.all(Array.from({ length: 20_000 }, (_, n) => reads.token(`mint ${n}`)))
  const answers = Promise.all(Array.from({ length: 15 }, (_, n) => reads.route(one, { n })))
  t.deepEqual(new Set(await tokens), new Set([undefined]))
  t.is((await answers).length, 15)
  // A thousand mints a statement.
  t.is(counts.all, 20 + 15)
  t.is(counts.most, READS_AT_ONCE)
})

test('a failing read does not affect others, and frees its lane', async (t) => {
  const { reads, route: one } = countedReads(({ n }) => (n === 7 ? '{}' : '{'))
  const requested = Array.from({ length: 9 }, (_, n) => reads.route(one, { n }))
  const settled = await Promise.allSettled(requested)
  t.deepEqual(
    settled.map(({ status }) => status === 'fulfilled'),
    [false, false, false, false, false, false, false, true, false],
  )
})

test('bounds the loads of a request, and does not read beyond the bound', async (t) => {
  const millions = 10 * 1024 * 1024
  const { reads, route: one, counts } = countedReads(() => `"${'x'.repeat(millions)}"`)
  const requested = Array.from({ length: 10 }, (_, n) => reads.route(one, { n }))
  const settled = await Promise.allSettled(requested)
  t.is(settled.filter(({ status }) => status === 'fulfilled').length, 3)
  // The one that was too much, and one next to it.
  t.true(counts.all <= 5, `${counts.all}`)
  const refused = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  t.is(refused.reason.extensions.code, 'QUERY_TOO_LARGE')
})

test('answers a wallet of very many tokens by two concurrent statements, or refuses it by its size', async (t) => {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const rows = 15_000
  node.hold(
    trader(1),
    Array.from({ length: rows }, (_, n) => ({ mint: mint(n), quantity: 5n, decimals: 0 })),
  )
  const balances = openBalances({ rpcUrl: node.rpcUrl, log: SILENT, timeoutMs: PATIENT_MS })
  const { send } = await asker(await apiUnderTest(t, { balances }))
  const { query } = pg.Client.prototype
  const counts = { now: 0, most: 0, all: 0 }
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const answered = (query as (...all: unknown[]) => unknown).apply(this, given)
    if ((given[0] as { name?: string }).name !== 'graphql.list_tokens') return answered
    counts.all += 1
    counts.now += 1
    counts.most = Math.max(counts.most, counts.now)
    return (answered as Promise<unknown>).finally(() => {
      counts.now -= 1
    })
  } as typeof query
  t.teardown(() => {
    pg.Client.prototype.query = query
  })
  const wallet = `wallet: "${trader(1)}"`
  const answer = await send(`{ walletHoldings(${wallet}) { holdings { token { price_sol } } } }`)
  t.is(answer.errors, undefined)
  t.like(answer.data, { walletHoldings: { holdings: { length: rows } } })
  t.like(counts, { now: 0, all: rows / 1_000 })
  t.true(counts.most <= READS_AT_ONCE, `${counts.most}`)
  // 15,000 rows of six fields and a token's one, in addition to those of a field that fits.
  const large = await send(
    `{ large: walletHoldings(${wallet}) { holdings { ...H } } walletHoldings(${wallet}) { holdings { mint } } }
     fragment H on Holding { mint qty no_cost_basis price_stale cost_basis_sol token { mint } }`,
  )
  t.is(large.status, 200)
  t.is(large.errors?.length, 1)
  t.is(large.errors?.[0]?.extensions.code, 'QUERY_TOO_LARGE')
  t.regex(
    large.errors?.[0]?.message ?? '',
    new RegExp(`^${rows} rows of walletHoldings would return over ${LIMITS.cost} values`),
  )
  t.like(large.data, { large: null, walletHoldings: { holdings: { length: rows } } })
})

test('a map costs its entries once it is read, as a list does its rows', async (t) => {
  const declared = route({
    path: '/map',
    operationId: 'getMap',
    family: 'enveloped',
    summary: 'A map',
    parameters: Type.Object({}),
    answer: Type.Object({
      stats: Type.Record(Type.String(), Type.Object({ value: Type.Integer() })),
    }),
    errors: [],
    example: {},
    read: async () => ({ stats: {} }),
  })
  const schema = graphqlSchema([declared])
  // Beyond the 100 that are counted before: 900 entries of value, a number and key.
  const requested = async (entries: number, costLeft: number) => {
    const stats = Object.fromEntries(Array.from({ length: entries }, (_, n) => [n, { value: n }]))
    const reads = { route: async () => ({ stats }), token: async () => undefined }
    const source = '{ map { stats { key value { value } } } }'
    return graphql({ schema, source, contextValue: { reads, costLeft } })
  }
  t.is((await requested(100, 0)).errors, undefined)
  t.is((await requested(1_000, 3_600)).errors, undefined)
  const [refused] = (await requested(1_000, 3_599)).errors ?? []
  t.is(refused?.extensions.code, 'QUERY_TOO_LARGE')
  t.regex(refused?.message ?? '', /^1000 rows of map would return over/)
})

test('refuses a text of 200 mints by its size, like 200 texts', async (t) => {
  const { send } = await asker(await apiUnderTest(t))
  const mints = Array.from({ length: 200 }, (_, n) => mint(n))
  const window = '{ volume_sol trades buys sells buyers sellers change_pct high low }'
  const windows = `{ _5m ${window} _1h ${window} _6h ${window} _24h ${window} }`
  const whole = `{ mint symbol name price_sol liquidity_sol windows ${windows} }`
  const query = `query ($m: [String!]!) {
    ${'abcdefghijklm'.replaceAll(/./g, (name) => `${name}: tokensStats(mints: $m) { ...S } `)}
  }
  fragment S on TokensStats { stats { key value ${whole} } }`
  for (const m of [mints, [mints.join()]]) {
    const { errors, data } = await send(query, { m })
    t.is(errors?.[0]?.extensions?.code, 'QUERY_TOO_LARGE')
    t.is(data, undefined)
  }
})
