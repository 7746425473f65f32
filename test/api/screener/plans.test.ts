// What the statements of markets really read, with the settings of the API's connections: each table by an
// index, one token's pools and not the others', and of the day's totals some hundred rows.

import test from 'ava'
import { apiForFile } from '../api-under-test.ts'
import { insertSwaps } from '../insert-swaps.ts'
import { type Plan, planAsRun } from '../plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../sample-swap.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7)
const MINUTE_MS = 60_000
const TOKENS = 300
const under = apiForFile()

test.serial.before(async () => {
  const swaps = Array.from({ length: TOKENS * 4 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 1_000_000 - n,
      timestamp: NEWEST_MS - (n % 1_430) * MINUTE_MS,
      tokenAddress: mint(n % TOKENS),
      pairAddress: pair(n % (TOKENS * 2)),
      user: trader(n % 50),
    }),
  )
  await insertSwaps(under().db, swaps, { hasPrices: true })
  await under().db.query("update token set symbol = 'S' || id, name = 'Name ' || id")
  await under().db.query(
    `insert into screener_token
     select 1440, id, address, 1, id, 1, 1, id, 1, 1, 1, 1, 1, 1, 2 from token`,
  )
  await under().db.query('analyze')
})

function assertByIndex(t: { deepEqual(a: unknown, b: unknown): unknown }, nodes: readonly Plan[]) {
  const whole = nodes.filter((node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'])
  t.deepEqual(
    whole.map((node) => node['Relation Name']),
    [],
  )
}

/** Rows that scans of a table brought, and those that they read in vain. */
function rowsOf(nodes: readonly Plan[], table: string): number {
  return nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => {
      const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
      return sum + rows * (node['Actual Loops'] ?? 0)
    }, 0)
}

test('pairs of a token read its own pools', async (t) => {
  const edges = [NEWEST_MS - 1_439 * MINUTE_MS, NEWEST_MS, NEWEST_MS]
  const nodes = await planAsRun(under().db, 'pairs/list_token_pairs', [
    [mint(7)],
    null,
    100,
    ...edges,
  ])
  assertByIndex(t, nodes)
  t.is(rowsOf(nodes, 'pool'), 2)
  t.is(rowsOf(nodes, 'token'), 1)
})

test('a page of pairs ends with the page', async (t) => {
  const nodes = await planAsRun(under().db, 'pairs/list_pairs', [null, null, 10])
  assertByIndex(t, nodes)
  t.true(rowsOf(nodes, 'pool') <= 40, String(rowsOf(nodes, 'pool')))
})

test('a search reads the ranges that begin with the text', async (t) => {
  const nodes = await planAsRun(under().db, 'search/list_tokens', [
    's29',
    mint(3).slice(0, 44),
    100,
  ])
  assertByIndex(t, nodes)
  // S29 and S290 to S299, by the index and again for their names; one mint; nothing else.
  t.true(rowsOf(nodes, 'token') <= 2 * 12, String(rowsOf(nodes, 'token')))
  for (const name of ['search/list_pools', 'search/list_wallets']) {
    const read = await planAsRun(under().db, name, [pair(3), 20])
    assertByIndex(t, read)
    t.true(rowsOf(read, name.includes('pools') ? 'pool' : 'wallet') <= 1)
  }
})

test('a stored screen is read by its window', async (t) => {
  const parameters = [1_440, null, null, ...Array(16).fill(null), null, NEWEST_MS, 'trades', -1]
  const nodes = await planAsRun(under().db, 'screener/list_screened', [...parameters, 20, 0])
  assertByIndex(t, nodes)
  // Once for the page, once for the number of matches, and the page's own rows.
  t.is(rowsOf(nodes, 'screener_token'), 2 * TOKENS + 20)
  t.is(rowsOf(nodes, 'token'), 20)
  const other = await planAsRun(under().db, 'screener/list_screened', [
    60,
    ...parameters.slice(1),
    20,
    0,
  ])
  t.is(rowsOf(other, 'screener_token'), 0)
})

test('totals of a day are quarters, and the minutes of their edge', async (t) => {
  const fromMs = NEWEST_MS - 1_439 * MINUTE_MS
  const quarterMs = Math.ceil(fromMs / 900_000) * 900_000
  const nodes = await planAsRun(under().db, 'markets/sum_venues', [fromMs, quarterMs])
  assertByIndex(t, nodes)
  t.true(rowsOf(nodes, 'venue_volume') <= 97 + 15, String(rowsOf(nodes, 'venue_volume')))
})
