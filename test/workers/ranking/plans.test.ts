// Actual reads of the statements of the ranking over two days of trades: each table by its index, and of chunked tables
// only the chunks of the requested time.

import test from 'ava'
import { recountAll } from '../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { type Plan, planAsRun } from '../../support/api/plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { type TestDatabase, testDatabase } from '../../support/servers/database.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7)
const NEVER_MS = Number.MAX_SAFE_INTEGER
const HOURS = 100
const TOKENS = 50
const REQUESTED = [1, 2, 3]

let database: TestDatabase

test.before(async () => {
  database = await testDatabase()
  const swaps = Array.from({ length: HOURS * TOKENS }, (_, n) => {
    const hour = Math.floor(n / TOKENS)
    return sampleSwap({
      signature: signatureOf(n),
      slot: 1_000_000 - hour * 9_000,
      ixIndex: n % TOKENS,
      timestamp: NEWEST_MS - hour * HOUR_MS,
      tokenAddress: mint(n % TOKENS),
      pairAddress: pair(n % TOKENS),
      user: trader(n % 7),
      isBuy: n % 2 === 0,
      solAmount: 20_000 + n,
    })
  })
  await insertSwaps(database.db, swaps, { hasPrices: true })
  await recountAll(database.db)
  await database.db.query('analyze')
})

test.after.always(() => database.drop())

const planOf = (name: string, ...parameters: unknown[]): Promise<Plan[]> =>
  planAsRun(database.db, `ranking/${name}`, parameters)

/** The index by which each chunk of the plan is read, its chunk's prefix aside. */
function chunks(nodes: readonly Plan[]): string[] {
  return nodes
    .filter((node) => /^_hyper_\d+_\d+_chunk$/.test(node['Relation Name'] ?? ''))
    .map((node) => (node['Index Name'] ?? node['Node Type']).replace(/^\d+_\d+_/, ''))
}

/** How many rows scans of a plan brought or left out, tables of some rows aside. */
function rowsRead(nodes: readonly Plan[]): number {
  return nodes
    .filter((node) => node['Relation Name'] !== undefined)
    .map((node) => {
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
      return rows * (node['Actual Loops'] ?? 0)
    })
    .reduce((sum, rows) => sum + rows, 0)
}

test('there are as many chunks as days', async (t) => {
  for (const table of ['candle_1m', 'trader_minute']) {
    const { rows } = await database.db.query('select count(*) as chunks from show_chunks($1)', [
      table,
    ])
    t.is(rows[0].chunks, 5, table)
  }
})

test('the newest minutes of tokens are read from one chunk, a day and its edge from two', async (t) => {
  const creators = REQUESTED.map(() => null)
  for (const [from, count] of [
    [NEWEST_MS - 3 * MINUTE_MS, 1],
    [NEWEST_MS - DAY_MS, 2],
  ] as const) {
    const minutes = await planOf('list_minutes', REQUESTED, from, NEVER_MS)
    t.deepEqual(chunks(minutes), Array(count).fill('candle_1m_pkey'))
    const buyers = await planOf('list_buyer_minutes', REQUESTED, creators, from, NEVER_MS)
    t.deepEqual(chunks(buyers), Array(count).fill('trader_minute_pkey'))
    // At most a trade an hour of each requested token.
    const hours = Math.floor((NEWEST_MS - from) / HOUR_MS) + 1
    t.true(rowsRead(buyers) <= REQUESTED.length * hours)
  }
})

test('reads hours of tokens and sells of their creators by their indexes', async (t) => {
  const hours = await planOf('list_buyer_hours', REQUESTED, NEWEST_MS - DAY_MS, NEVER_MS)
  t.deepEqual([...new Set(chunks(hours))], ['trader_hour_pkey'])
  const minutes = REQUESTED.map(() => NEWEST_MS)
  const edges = [NEWEST_MS, NEWEST_MS]
  const wanted = [REQUESTED, [1, 2, 3], minutes, ...edges]
  const sales = await planAsRun(database.db, 'swap-history/list_creator_sales', wanted)
  t.is(chunks(sales).filter((index) => index === 'candle_1m_pkey').length, 1)
  t.true(sales.every((node) => node['Node Type'] !== 'Seq Scan'))
  // The slots of the minute are known only from the candle: other chunks are probed without a match.
  t.true(rowsRead(sales) <= 3 * REQUESTED.length, `${rowsRead(sales)}`)
})

test('buckets that a batch touches are loaded from their chunk', async (t) => {
  const minutes = REQUESTED.map(() => NEWEST_MS)
  const nodes = await planOf('load_traders_minute', REQUESTED, minutes, NEWEST_MS, NEWEST_MS)
  t.deepEqual(chunks(nodes), ['trader_minute_pkey'])
  t.is(rowsRead(nodes), REQUESTED.length)
})

test('names, holders and words of changes are read by index', async (t) => {
  for (const [name, index, ...parameters] of [
    ['list_tokens', 'token_pkey', REQUESTED],
    ['estimate_minutes', 'pool_token', REQUESTED, NEWEST_MS - 2 * DAY_MS],
    ['list_holdings', 'position_token', REQUESTED],
    ['list_holder_positions', 'position_token', REQUESTED],
    ['list_token_changes', 'token_change_pkey', 100],
    ['list_market_traders', 'market_trader_pkey', false, NEWEST_MS, 1_025],
  ] as const) {
    const nodes = await planOf(name, ...parameters)
    t.true(
      nodes.some((node) => node['Index Name'] === index),
      name,
    )
    t.false(
      nodes.some((node) => node['Node Type'] === 'Seq Scan'),
      name,
    )
  }
})
