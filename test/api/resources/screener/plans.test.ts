// Actual reads of the statements of markets, with the settings of the API's connections: each table by an index, only
// one token's pools, and of the day's totals some hundred rows.

import test from 'ava'
import { windowEdges } from '../../../../api/routing/reading/trailing-window.ts'
import type { Connection } from '../../../../sql/db.ts'
import { query } from '../../../../sql/query.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { PLANNINGS, type Plan, planAsRun } from '../../../support/api/plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

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
  await insertLedger(under().db, [])
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

test('pairs of a token read only its pools', async (t) => {
  const edges = [NEWEST_MS - 1_439 * MINUTE_MS, NEWEST_MS, NEWEST_MS]
  const requested = [[mint(7)], null, 100, ...edges, []]
  for (const [name, parameters] of [
    ['pairs/list_token_pairs', [...requested, NEWEST_MS + MINUTE_MS]],
    ['pairs/list_token_pairs_by_slot', [...requested, -1, '', '', NEWEST_MS + MINUTE_MS]],
  ] as const) {
    const nodes = await planAsRun(under().db, name, parameters)
    assertByIndex(t, nodes)
    t.is(rowsOf(nodes, 'pool'), 2, name)
    t.is(rowsOf(nodes, 'token'), 1, name)
  }
})

test('the top pool of a token is looked up, however many pools there are', async (t) => {
  const requested: [string, unknown[]][] = [
    ['tokens/read_profile', [mint(7)]],
    ['token-stats/list_tokens', [[mint(7)]]],
    ['candles/find_top_pool', [mint(7)]],
    ['feed/list_candle_pools', [[pair(7)], [mint(7)]]],
  ]
  for (const [name, parameters] of requested) {
    for (const planning of PLANNINGS) {
      const nodes = await planAsRun(under().db, name, parameters, planning)
      assertByIndex(t, nodes)
      const read = rowsOf(nodes, 'pool')
      // The two pools of the mint, twice, and the top one.
      t.true(read > 0 && read <= 5, `${name}: ${read} pools`)
    }
  }
})

test('a page of pairs ends with the page', async (t) => {
  const { rows } = await under().db.query<{ slot: number }>(
    'select percentile_disc(0.5) within group (order by first_slot) as slot from pool',
  )
  const slot = rows[0]!.slot
  const requested: [string, unknown[]][] = [
    ['pairs/list_pairs', [null, null, 10]],
    ['pairs/list_pairs', [slot, pair(7), 10]],
    ['pairs/list_venue_pairs', [1, null, null, 10]],
    ['pairs/list_venue_pairs', [1, slot, pair(7), 10]],
  ]
  for (const [name, parameters] of requested) {
    for (const planning of PLANNINGS) {
      const nodes = await planAsRun(under().db, name, parameters, planning)
      assertByIndex(t, nodes)
      t.true(rowsOf(nodes, 'pool') <= 40, `${name}: ${rowsOf(nodes, 'pool')}`)
    }
  }
})

test('a search reads the ranges that begin with the text', async (t) => {
  const nodes = await planAsRun(under().db, 'search/list_tokens', [
    's29',
    mint(3).slice(0, 44),
    100,
  ])
  assertByIndex(t, nodes)
  // S29 and S290 to S299, by the index and again for their names; one mint; no other.
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

async function positionRows(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ read: number }>(
    `select coalesce(sum(idx_tup_fetch), 0)::integer as read
     from pg_stat_xact_user_tables where relname = 'position'`,
  )
  return rows[0]?.read ?? 0
}

/** Positions that a page of two tokens of all reads, where choice and order go by these parts of the figures. */
async function positionsRead(
  sort: string,
  parts: string[],
): Promise<{ of: number; tokens: number[] }> {
  const connection = await under().db.connect()
  try {
    await connection.query('begin')
    for (const name of ['enable_seqscan', 'enable_bitmapscan']) {
      await connection.query(`set local ${name} = off`)
    }
    const { rows } = await connection.query<{ ids: number[] }>(
      'select array_agg(id) as ids from token',
    )
    const bounds = Array(17).fill(null)
    // The counter may still include reads of earlier transactions of the connection.
    const before = await positionRows(connection)
    const found = await query<{ token_id: number }>('screener/list_direct')(connection, [
      1_440,
      rows[0]?.ids,
      ...bounds,
      null,
      NEWEST_MS,
      ...[sort, -1, 2, 0],
      parts,
    ])
    const of = (await positionRows(connection)) - before
    return { of, tokens: found.map(({ token_id }) => token_id) }
  } finally {
    await connection.query('rollback')
    connection.release()
  }
}

test('a directly computed screen counts holders only of its page, unless it filters or sorts by them', async (t) => {
  const { rows: all } = await under().db.query<{ token_id: number; positions: number }>(
    'select token_id, count(*)::integer as positions from position group by token_id',
  )
  const sum = (rows: typeof all) => rows.reduce((total, { positions }) => total + positions, 0)
  const byVolume = await positionsRead('volume_usd', ['windows'])
  t.is(byVolume.tokens.length, 2)
  t.is(byVolume.of, sum(all.filter(({ token_id }) => byVolume.tokens.includes(token_id))))
  const byHolders = await positionsRead('holders', ['holders'])
  t.is(
    byHolders.of,
    sum(all) + sum(all.filter(({ token_id }) => byHolders.tokens.includes(token_id))),
  )
})

test('totals of a day are quarters, and the minutes of their edges', async (t) => {
  const { fromMs, quarterMs, quarterEndMs, endMs } = windowEdges(NEWEST_MS, 1_440)
  const edges = [fromMs, quarterMs, quarterEndMs, endMs]
  const nodes = await planAsRun(under().db, 'markets/sum_venues', edges)
  assertByIndex(t, nodes)
  t.true(rowsOf(nodes, 'venue_volume') <= 97 + 2 * 15, String(rowsOf(nodes, 'venue_volume')))
})
