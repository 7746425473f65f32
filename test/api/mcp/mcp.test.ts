// The MCP server by the client of its SDK, over HTTP and through `swaptide mcp`: every tool answers what REST does, with
// what the answer rests on.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { Ajv } from 'ajv'
import test from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { toolName } from '../../../api/mcp/tools.ts'
import { OWN_SCHEMA } from '../../../domain/own-schema.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { writeLake } from '../../support/lake/lake-of.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { commandEnvironment, SWAPTIDE } from '../../support/programs/commands.ts'

type Json = Record<string, unknown>
type Text = { type: string; text: string }
type Schema = Record<'type' | 'default', unknown> & {
  enum?: unknown[]
} & Partial<Record<'items', { type: unknown }>>

const ajv = new Ajv(OWN_SCHEMA)

/** Beyond what a double holds. */
const MANY = 9_007_199_254_740_993n
const FIRST_MS = Date.UTC(2026, 6, 1)
const SLOT = 500

const LAKE = mkdtempSync(join(tmpdir(), 'swaptide-lake-'))
test.after.always(() => rmSync(LAKE, { recursive: true, force: true }))
const under = apiForFile({ lakeDir: LAKE })
let key: string

test.serial.before(async () => {
  const { db } = under()
  await insertLedger(db, [
    sampleSwap({
      ...{ signature: signatureOf(0), slot: SLOT - 1, timestamp: FIRST_MS, isBuy: true },
      ...{ user: trader(0), tokenAddress: mint(0), pairAddress: pair(0) },
      ...{ solAmount: 60_000_000_000, tokenAmount: MANY, transferFeeOut: 0 },
    }),
    sampleSwap({
      ...{ signature: signatureOf(1), slot: SLOT, timestamp: FIRST_MS + 1_000, isBuy: false },
      ...{ user: trader(0), tokenAddress: mint(0), pairAddress: pair(0) },
      ...{ solAmount: 70_000_000_000, tokenAmount: MANY - 1n, transferFeeOut: 0 },
    }),
  ])
  await insertSwaps(
    db,
    [
      sampleSwap({
        ...{ signature: signatureOf(2), slot: SLOT - 2, timestamp: FIRST_MS - 1_000 },
        ...{ user: trader(1), tokenAddress: mint(1), pairAddress: pair(1) },
      }),
    ],
    { hasPrices: true },
  )
  const wanted = { tier: 'enterprise', environment: 'test', account: 'mcp', by: 'test' } as const
  key = (await createKey(db, { ...wanted, sqlAccess: true })).key
  await writeLake(LAKE, db)
})

const wallet = trader(0)
/** Arguments of each tool, the path of REST that answers the same, and the path of its swaps. */
const CALLS: Readonly<Record<string, [given: Json, path: string, swaps: string]>> = {
  search: [{ q: mint(0) }, `/search?q=${mint(0)}&limit=20`, '/swaps'],
  get_market_stats: [{}, '/api/v1/stats', '/swaps'],
  list_trending_tokens: [{ window: '24h' }, '/trending?window=24h&limit=20', '/swaps'],
  get_top_movers: [{ timeframe: '24h' }, '/api/v1/top-movers?timeframe=24h&limit=20', '/swaps'],
  screen_tokens: [{ min_trades: 1 }, '/screener?min_trades=1&limit=20', '/swaps'],
  get_token_stats: [{ mint: mint(0) }, `/stats/token/${mint(0)}`, `/swaps/token/${mint(0)}`],
  get_token_intel: [{ mint: mint(0) }, `/tokens/${mint(0)}/intel`, `/swaps/token/${mint(0)}`],
  get_token_risk: [{ mint: mint(0) }, `/tokens/${mint(0)}/risk`, `/swaps/token/${mint(0)}`],
  list_token_holders: [
    { mint: mint(0) },
    `/tokens/${mint(0)}/holders?limit=20`,
    `/swaps/token/${mint(0)}`,
  ],
  get_token_ath: [{ mint: mint(1) }, `/tokens/${mint(1)}/ath`, `/swaps/token/${mint(1)}`],
  list_token_traders: [
    { token: mint(0) },
    `/v2/pnl/tokens/${mint(0)}/traders?limit=20`,
    `/swaps/token/${mint(0)}`,
  ],
  list_first_buyers: [
    { token: mint(0) },
    `/v2/pnl/tokens/${mint(0)}/first-buyers?limit=20`,
    `/swaps/token/${mint(0)}`,
  ],
  list_candles: [
    { pair_address: pair(1) },
    `/api/v1/candles?pair_address=${pair(1)}&limit=20`,
    `/swaps?pair_address=${pair(1)}`,
  ],
  get_price_at: [
    { token: mint(1), timestamp: FIRST_MS },
    `/price/history/timestamp?token=${mint(1)}&timestamp=${FIRST_MS}`,
    `/swaps/token/${mint(1)}`,
  ],
  list_pairs: [
    { token_address: mint(0) },
    `/api/v1/pairs?token_address=${mint(0)}&limit=20`,
    `/swaps/token/${mint(0)}`,
  ],
  get_quote: [
    { pair_address: pair(1), amount_in: 1_000 },
    `/v2/quote?pair_address=${pair(1)}&amount_in=1000`,
    `/swaps?pair_address=${pair(1)}`,
  ],
  copy_backtest: [
    { wallets: [trader(1)], from_slot: 0, size_lamports: [1_000_000], delay_slots: [0, 2] },
    '/v2/backtest/copy',
    `/swaps/trader/${trader(1)}`,
  ],
  query_sql: [{ sql: 'from swaps select slot, token_amount order by slot' }, '/v2/sql', '/swaps'],
  get_transaction_mev: [
    { signature: signatureOf(1) },
    `/v2/mev/tx/${signatureOf(1)}`,
    `/swaps/${signatureOf(1)}`,
  ],
  list_sandwiches: [{ limit: 1 }, '/v2/mev/sandwiches?limit=1', '/swaps'],
  get_mev_summary: [{ by: 'token' }, '/v2/mev/summary?by=token', '/swaps'],
  get_wallet_mev: [
    { wallet: trader(1) },
    `/v2/mev/wallets/${trader(1)}`,
    `/swaps/trader/${trader(1)}`,
  ],
  list_swaps_in_range: [
    { from: String(FIRST_MS), to: FIRST_MS + 5_000, limit: 1 },
    `/swaps/range?from=${FIRST_MS}&to=${FIRST_MS + 5_000}&limit=1`,
    '/swaps',
  ],
  list_whale_swaps: [{ min_sol: 65 }, '/swaps/whale?min_sol=65&limit=20', '/swaps'],
  list_token_swaps: [
    { mint: mint(0) },
    `/swaps/token/${mint(0)}?limit=20`,
    `/swaps/token/${mint(0)}`,
  ],
  list_trader_swaps: [{ wallet }, `/swaps/trader/${wallet}?limit=20`, `/swaps/trader/${wallet}`],
  get_transaction: [
    { signature: signatureOf(0) },
    `/swaps/${signatureOf(0)}`,
    `/swaps/${signatureOf(0)}`,
  ],
  get_wallet_summary: [{ wallet }, `/v2/pnl/wallets/${wallet}`, `/swaps/trader/${wallet}`],
  get_wallet_positions: [
    { wallet, status: 'all' },
    `/v2/pnl/wallets/${wallet}/positions?status=all&limit=20`,
    `/swaps/trader/${wallet}`,
  ],
  get_position_lots: [
    { wallet, mint: mint(0) },
    `/v2/pnl/wallets/${wallet}/positions/${mint(0)}/lots?limit=20`,
    `/v2/pnl/wallets/${wallet}/positions/${mint(0)}/lots`,
  ],
  list_wallet_trades: [
    { w: wallet, pnl_mode: 'strict' },
    `/wallets/${wallet}/trades?pnl_mode=strict&limit=20`,
    `/swaps/trader/${wallet}`,
  ],
  get_wallet_history: [
    { wallet, from: '2026-07-01', to: '2026-07-02' },
    `/v2/pnl/wallets/${wallet}/history?from=2026-07-01&to=2026-07-02`,
    `/swaps/trader/${wallet}`,
  ],
  get_wallet_highlights: [
    { wallet },
    `/v2/pnl/wallets/${wallet}/highlights`,
    `/swaps/trader/${wallet}`,
  ],
  get_wallet_tags: [{ wallet }, `/wallets/${wallet}/tags`, `/swaps/trader/${wallet}`],
  get_leaderboard: [{ period: '1d' }, '/v2/pnl/leaderboard/top?period=1d&limit=20', '/swaps'],
  list_pool_events: [{}, '/pool-events?limit=20', '/swaps'],
  get_coverage: [{}, '/api/v1/coverage', '/swaps'],
  list_retractions: [{}, '/api/v1/retractions?limit=20', '/swaps'],
}

async function connected(transport: unknown): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport as Transport)
  return client
}

const overHttp = (headers: Record<string, string> = { 'X-API-Key': key }) =>
  connected(
    new StreamableHTTPClientTransport(new URL(`${under().api.url}/mcp`), {
      requestInit: { headers },
    }),
  )

async function answerOf(client: Client, name: string, given: Json): Promise<Json> {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const [{ text } = { text: '' }] = content as Text[]
  if (isError) throw new Error(text)
  return JSON.parse(text)
}

/** The lag is by the clock of the request. */
const withoutClock = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) => (name === 'indexing_lag_ms' ? null : value))

test('lists its tools, each with a schema of its arguments', async (t) => {
  const client = await overHttp()
  t.like(client.getServerVersion(), { name: 'swaptide' })
  t.regex(client.getInstructions() ?? '', /coverage_gaps/)
  const { tools } = await client.listTools()
  t.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(CALLS).sort())
  for (const { name, description = '', inputSchema, annotations } of tools) {
    t.true(description.length > 10, name)
    t.true(annotations?.readOnlyHint)
    const given = CALLS[name]?.[0] ?? {}
    const known = Object.keys(inputSchema.properties ?? {})
    t.deepEqual(
      Object.keys(given).filter((argument) => !known.includes(argument)),
      [],
      name,
    )
    for (const required of inputSchema.required ?? []) t.true(required in given, name)
    for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
      const { type, items, default: usual, enum: values = [] } = schema as Schema
      t.is(typeof type, 'string', `${name} ${argument}`)
      t.is(type === 'array', typeof items?.type === 'string')
      const isOfType = ajv.compile({ type, ...(items && { items }) })
      for (const each of [...values, ...(usual === undefined ? [] : [usual])])
        t.true(isOfType(each))
      if (argument in given && typeof given[argument] === type) t.true(isOfType(given[argument]))
    }
  }
  await client.close()
})

for (const [name, [given, path, swaps]] of Object.entries(CALLS)) {
  test(`${name} answers what REST does`, async (t) => {
    const client = await overHttp()
    const found = await answerOf(client, name, given)
    const isPost = path === '/v2/backtest/copy' || path === '/v2/sql'
    const rest = await fetch(under().api.url + path, {
      headers: { 'X-API-Key': key, Int64: 'string', 'Content-Type': 'application/json' },
      ...(isPost ? { method: 'POST', body: JSON.stringify(given) } : {}),
    })
    t.is(rest.status, 200, path)
    t.deepEqual(withoutClock(found.answer), withoutClock(await rest.json()))
    t.deepEqual(found.as_of, { slot: SLOT, timestamp: FIRST_MS + 1_000 })
    t.is(found.coverage_gaps, undefined)
    t.is(found.swaps, swaps)
    const made = await under().call(swaps, { 'X-API-Key': key })
    t.is(made.status, 200)
    await client.close()
  })
}

test('integers keep their digits', async (t) => {
  const client = await overHttp()
  const { answer } = await answerOf(client, 'get_transaction', { signature: signatureOf(0) })
  t.is((answer as { swaps: Json[] }).swaps[0]?.token_amount, String(MANY))
  await client.close()
})

test('a refusal is a result that names the argument', async (t) => {
  const client = await overHttp()
  for (const [name, given, expected] of [
    ['get_token_stats', { mint: 'short' }, /INVALID_PARAM: mint "short"/],
    ['get_token_stats', {}, /MISSING_PARAM: mint is required/],
    ['list_whale_swaps', { sol: 5 }, /unknown parameter "sol"/],
    [
      'list_trending_tokens',
      { as_of_slot: 5 },
      /AS_OF_UNSUPPORTED: GET \/trending does not support/,
    ],
    ['get_leaderboard', { as_of_time: '1' }, /AS_OF_UNSUPPORTED.*POST \/v2\/asof\/leaderboard/],
    ['get_token_stats', { mint: mint(9) }, /NOT_FOUND/],
    ['drop_tables', {}, /no tool "drop_tables"/],
  ] as const) {
    await t.throwsAsync(answerOf(client, name, given), { message: expected })
  }
  await client.close()
})

test('needs a key, and counts each message', async (t) => {
  await t.throwsAsync(overHttp({}), { message: /API key/ })
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${under().api.url}/mcp`, {
      method: 'POST',
      headers: { 'X-API-Key': under().key, 'Content-Type': 'application/json', ...headers },
      body,
    })
  const listed = await send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
  t.is(listed.status, 200)
  t.truthy(listed.headers.get('RateLimit-Policy'))
  t.is((await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status, 202)
  t.is((await send('{')).status, 400)
  t.is((await send('{}', { 'Content-Type': 'text/plain' })).status, 415)
  const { status, headers } = await fetch(`${under().api.url}/mcp`)
  t.is(status, 405)
  t.is(headers.get('Allow'), 'POST, OPTIONS')
})

test('swaptide mcp serves a host by standard input and output', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'))
  const file = join(folder, 'key.txt')
  writeFileSync(file, `${key}\n`)
  const start = (url: string) =>
    connected(
      new StdioClientTransport({
        command: SWAPTIDE,
        args: ['mcp', '--url', url, '--key-file', file],
        env: commandEnvironment({ SWAPTIDE_HOME: folder }) as Record<string, string>,
      }),
    )
  const client = await start(under().api.url)
  const { answer } = await answerOf(client, 'get_wallet_summary', { wallet })
  t.is((answer as Json).wallet, wallet)
  t.is((await client.listTools()).tools.length, Object.keys(CALLS).length)
  await client.close()
  await t.throwsAsync(start('http://127.0.0.1:1'), { message: /the API did not answer/ })
})

test('names of tools are the operation ids in lower case', (t) => {
  t.is(toolName('listTrendingTokens'), 'list_trending_tokens')
  t.is(toolName('search'), 'search')
})
