// Actual reads of the statements of a wallet's PnL: only its rows, by the index that begins with the wallet, and of the
// swaps only the newest chunk.

import test from 'ava'
import { pastForm } from '../../../../api/resources/wallets/past-statement.ts'
import { query } from '../../../../sql/query.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { PLANNINGS, type Plan, planAsRun, planOfText } from '../../../support/api/plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const USERS = 40
const MINTS = 30
/** 54,000 slots are a chunk of swaps, 7 days one of hours. */
const CHUNKS = 4
const FIRST_MS = Date.UTC(2026, 6, 1)
const WEEK_MS = 7 * 86_400_000
const HOT = 7

const under = apiForFile()
let walletId = 0

test.serial.before(async () => {
  const swaps = Array.from({ length: CHUNKS * USERS * MINTS }, (_, n) => {
    const [user, held, chunk] = [
      n % USERS,
      Math.floor(n / USERS) % MINTS,
      Math.floor(n / USERS / MINTS),
    ]
    return sampleSwap({
      signature: signatureOf(n),
      slot: chunk * 54_000 + held * 100 + user,
      timestamp: FIRST_MS + chunk * WEEK_MS + held * 1_000,
      user: trader(user),
      tokenAddress: mint(held),
      pairAddress: pair(held),
    })
  })
  const { db } = under()
  await insertLedger(db, swaps)
  await db.query('analyze')
  const { rows } = await db.query('select id from wallet where address = $1', [trader(HOT)])
  walletId = rows[0].id
})

const scansOf = (nodes: readonly Plan[], relation: RegExp): Plan[] =>
  nodes.filter(
    (node) => relation.test(node['Relation Name'] ?? '') && (node['Actual Loops'] ?? 0) > 0,
  )
const indexesOf = (nodes: readonly Plan[]): string[] => [
  ...new Set(
    nodes.map((node) =>
      (node['Index Name'] ?? 'none').replace(/^_hyper_\d+_\d+_chunk_|^\d+_\d+_/, ''),
    ),
  ),
]
const sumOf = (nodes: readonly Plan[], field: 'Actual Rows' | 'Rows Removed by Filter'): number =>
  nodes.reduce((sum, node) => sum + (node[field] ?? 0) * (node['Actual Loops'] ?? 0), 0)

test.serial('a page of positions reads the wallet only, wide rows for the page', async (t) => {
  const parameters = [trader(HOT), 'open', null, null, 'adjusted', 'value', 4, 5]
  const nodes = await planAsRun(under().db, 'pnl/list_positions', parameters)
  const scans = scansOf(nodes, /^position$/)
  t.deepEqual(indexesOf(scans), ['position_pkey'])
  t.is(sumOf(scans, 'Actual Rows'), MINTS + 4)
  t.is(sumOf(scans, 'Rows Removed by Filter'), 0)
})

test.serial('the position of a mint is one row, however many hold it', async (t) => {
  const { db } = under()
  // Most mints have one holder, by the statistics; this one has all of them.
  await db.query(`insert into token (address) select 'only ' || n from generate_series(1, 20000) n`)
  await db.query(
    `insert into position
     select changed.* from position, token, lateral (
       select (jsonb_populate_record(position, jsonb_build_object(
         'token_id', token.id, 'wallet_id', 1000 + token.id % 40))).*
     ) changed
     where position.wallet_id = $1 and token.address like 'only %'
       and position.token_id = (select min(token_id) from position)`,
    [walletId],
  )
  await db.query('analyze')
  const parameters = [trader(HOT), 'all', mint(3), null, 'adjusted', 'value', 4, 0]
  const scans = scansOf(await planAsRun(db, 'pnl/list_positions', parameters), /^position$/)
  t.deepEqual(indexesOf(scans), ['position_pkey'])
  // To be chosen, and to be shown.
  t.is(sumOf(scans, 'Actual Rows'), 2)
  t.is(sumOf(scans, 'Rows Removed by Filter'), 0)
})

// Handed rows and prices: none. Slots of the last two chunks are later.
const PAST = [2 * 54_000 - 1, '[]', '{}', '{}', '{}', '{}', null, null, null, null, null]

test.serial(
  'statements as of a slot read the wallets only, however many hold a mint',
  async (t) => {
    const { db } = under()
    const page = [trader(HOT), 'all', null, null, 'adjusted', 'value', 4, 5]
    const one = [trader(HOT), 'all', mint(3), null, 'adjusted', 'value', 4, 0]
    const pairs = [
      [trader(HOT), trader(HOT + 1)],
      [mint(3), mint(4)],
    ]
    const reads: readonly [string, readonly unknown[], number][] = [
      ['pnl/list_positions', page, MINTS],
      ['pnl/list_positions', one, 1],
      ['pnl/read_exposure', [trader(HOT), []], MINTS],
      ['summary/list_summaries', [[trader(HOT), trader(HOT + 1)]], 2 * MINTS],
      ['summary/list_highlights', [trader(HOT), 'adjusted'], MINTS],
      ['batches/list_pairs', pairs, 2],
      ['holdings/list_open', [walletId], MINTS],
    ]
    for (const [name, parameters, rows] of reads) {
      for (const planning of PLANNINGS) {
        // Statements that are planned for the values of each call.
        const isAnew = parameters === one || /batches|summaries/.test(name)
        if (isAnew && planning === 'force_generic_plan') continue
        const nodes = await planOfText(
          db,
          pastForm(query(name).text),
          [...parameters, ...PAST],
          planning,
        )
        const scans = scansOf(nodes, /^position$/)
        t.deepEqual(indexesOf(scans), ['position_pkey'], `${name} ${planning}`)
        const read = sumOf(scans, 'Actual Rows') + sumOf(scans, 'Rows Removed by Filter')
        t.true(read >= rows - 1 && read <= rows + 5, `${name} ${planning}: ${read}`)
      }
    }
  },
)

test.serial('exposure reads the wallet only', async (t) => {
  const nodes = await planAsRun(under().db, 'pnl/read_exposure', [trader(HOT), []])
  const scans = scansOf(nodes, /^position$/)
  t.deepEqual(indexesOf(scans), ['position_pkey'])
  t.is(sumOf(scans, 'Actual Rows'), MINTS)
})

test.serial('days are read from the hours of the wallet only', async (t) => {
  const nodes = await planAsRun(under().db, 'pnl/list_days', [trader(HOT), 'adjusted', null])
  const scans = scansOf(nodes, /^_hyper_/)
  t.is(scans.length, CHUNKS)
  t.deepEqual(indexesOf(scans), ['position_hour_pkey'])
  t.is(sumOf(scans, 'Actual Rows'), CHUNKS * MINTS)
  t.is(sumOf(scans, 'Rows Removed by Filter'), 0)
})

test.serial('whether a wallet trades just now is one look at the newest chunk', async (t) => {
  const sinceMs = FIRST_MS + (CHUNKS - 1) * WEEK_MS
  const [range] = await query('swaps/find_slot_range')(under().db, [sinceMs, '9223372036854775807'])
  const slots = [range?.low_slot, range?.high_slot]
  const parameters = [trader(HOT), ...slots, sinceMs]
  const nodes = await planAsRun(under().db, 'swap-history/find_recent_swap', parameters)
  const scans = scansOf(nodes, /^_hyper_/)
  t.is(scans.length, 1)
  t.deepEqual(indexesOf(scans), ['swap_wallet'])
  t.is(sumOf(scans, 'Actual Rows'), 1)
})

test.serial(
  'a summary and highlights read the wallets only, wide rows where they are shown',
  async (t) => {
    const { db } = under()
    const wallets = [trader(HOT), trader(HOT + 1), trader(HOT)]
    const nodes = await planAsRun(db, 'summary/list_summaries', [wallets])
    const scans = scansOf(nodes, /^position$/)
    t.deepEqual(indexesOf(scans), ['position_pkey'])
    t.is(sumOf(scans, 'Actual Rows'), 2 * MINTS)
    const highlights = await planAsRun(db, 'summary/list_highlights', [trader(HOT), 'adjusted'])
    const read = scansOf(highlights, /^position$/)
    t.deepEqual(indexesOf(read), ['position_pkey'])
    t.true(sumOf(read, 'Actual Rows') <= MINTS + 5)
  },
)

test.serial('days of a range are read from the hours of the wallet in its weeks', async (t) => {
  const range = [FIRST_MS + WEEK_MS, FIRST_MS + 2 * WEEK_MS - 86_400_000]
  const parameters = [trader(HOT), 'adjusted', ...range, null]
  const nodes = await planAsRun(under().db, 'wallet-days/list_days', parameters)
  const scans = scansOf(nodes, /^_hyper_/)
  t.deepEqual(indexesOf(scans), ['position_hour_pkey'])
  t.is(sumOf(scans, 'Actual Rows'), MINTS)
  t.is(sumOf(scans, 'Rows Removed by Filter'), 0)
})

test.serial('the sold mints of a page are one row each, however many hold them', async (t) => {
  const nodes = await planAsRun(under().db, 'trades/list_sold', [trader(HOT), [3, 4].map(mint)])
  const scans = scansOf(nodes, /^position$/)
  t.deepEqual(indexesOf(scans), ['position_pkey'])
  t.is(sumOf(scans, 'Actual Rows'), 2)
})

test.serial('totals of a trader read the wallet only', async (t) => {
  const nodes = await planAsRun(under().db, 'totals/sum_trader', [trader(HOT), null])
  const scans = scansOf(nodes, /^position$/)
  t.deepEqual(indexesOf(scans), ['position_pkey'])
  t.is(sumOf(scans, 'Actual Rows'), MINTS)
})

test.serial(
  'traders of a mint are read by the index of mints, wide rows for the page',
  async (t) => {
    const { db } = under()
    const { rows } = await db.query('select id from token where address = $1', [mint(3)])
    const parameters = [rows[0].id, 'adjusted', null, null, 5]
    const nodes = await planAsRun(db, 'token-traders/list_traders', parameters)
    const scans = scansOf(nodes, /^position$/)
    t.deepEqual(indexesOf(scans).toSorted(), ['position_pkey', 'position_token'])
    const read = sumOf(
      scans.filter((node) => node['Index Name'] === 'position_token'),
      'Actual Rows',
    )
    t.is(read, USERS)
    t.is(sumOf(scans, 'Actual Rows'), USERS + 5)
  },
)
