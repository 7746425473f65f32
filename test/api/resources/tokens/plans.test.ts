// Actual reads of the statements of token pages: the holders of the one mint, by its index; of the swaps the chunks of
// its first day; of smart money no other holder than itself.

import test from 'ava'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { PLANNINGS, type Plan, planAsRun } from '../../../support/api/plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const USERS = 120
const MINTS = 80
/** 54,000 slots are a chunk of swaps. */
const CHUNKS = 2
const CHUNK_SLOTS = 54_000
const FIRST_MS = Date.UTC(2026, 6, 1)
const SLOT_MS = 400
const HOT = 7
const SMART = [3, 4]

const under = apiForFile()
let tokenId = 0

test.serial.before(async () => {
  const swaps = Array.from({ length: CHUNKS * USERS * MINTS }, (_, n) => {
    const user = n % USERS
    const held = Math.floor(n / USERS) % MINTS
    const slot = Math.floor(n / USERS / MINTS) * CHUNK_SLOTS + held * 100 + user
    return sampleSwap({
      signature: signatureOf(n),
      slot,
      timestamp: FIRST_MS + slot * SLOT_MS,
      user: trader(user),
      tokenAddress: mint(held),
      pairAddress: pair(held),
    })
  })
  const { db } = under()
  await insertSwaps(db, swaps, { hasPrices: true })
  await insertLedger(db, [])
  await db.query(
    `insert into wallet_tag (wallet_id, token_id, tag, score, computed_ms)
     select wallet.id, token.id, 'smart_money', 1, 0
     from wallet, token where wallet.address = any ($1) and token.address = any ($2)`,
    [SMART.map(trader), [mint(0), mint(1)]],
  )
  await db.query('update token set creator = $1 where address = $2', [trader(5), mint(HOT)])
  // All were looked at, and hold all.
  await db.query('insert into reconciliation select id, 1 from wallet')
  await db.query('insert into held_token select wallet.id, token.address, 1, 6 from wallet, token')
  await db.query('analyze')
  const { rows } = await db.query('select id from token where address = $1', [mint(HOT)])
  tokenId = rows[0].id
})

const planOf = (name: string, parameters: readonly unknown[]): Promise<Plan[]> =>
  planAsRun(under().db, `tokens/${name}`, [tokenId, ...parameters])

const ran = (node: Plan): boolean => (node['Actual Loops'] ?? 0) > 0
const scansOf = (nodes: readonly Plan[], relation: RegExp): Plan[] =>
  nodes.filter((node) => relation.test(node['Relation Name'] ?? '') && ran(node))
const indexesOf = (nodes: readonly Plan[]): string[] => [
  ...new Set(nodes.map((node) => node['Index Name'] ?? 'none')),
]
const rowsOf = (nodes: readonly Plan[]): number =>
  nodes.reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), 0)
const vainRowsOf = (nodes: readonly Plan[]): number =>
  nodes.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0)

test('a page of holders reads only holders of the mint, once', async (t) => {
  const scans = scansOf(await planOf('list_holders', [null, null, 11]), /^position$/)
  t.deepEqual(indexesOf(scans), ['position_token'])
  t.is(rowsOf(scans), USERS)
})

test('a profile reads the holders of the mint once, and one position of its creator', async (t) => {
  const { db } = under()
  for (const planning of PLANNINGS) {
    const nodes = await planAsRun(db, 'tokens/read_profile', [mint(HOT)], planning)
    const scans = scansOf(nodes, /^position$/)
    const [held, own] = ['position_token', 'position_pkey'].map((index) =>
      scans.filter((node) => node['Index Name'] === index),
    )
    t.is(scans.length, (held?.length ?? 0) + (own?.length ?? 0))
    t.is(rowsOf(held ?? []), USERS)
    t.is(rowsOf(own ?? []), 1)
    t.is(vainRowsOf(own ?? []), 0)
  }
})

test('whales are found among the positions of the mint', async (t) => {
  const nodes = await planOf('list_whales', [null, 50_000_000_000n, 250e9, 10])
  const scans = scansOf(nodes, /^position$/)
  t.deepEqual(indexesOf(scans).sort(), ['position_token'])
  t.is(rowsOf(scans), 0)
})

test('looks up balances on chain for large positions only, one by one', async (t) => {
  const none = [250e9, 250e9]
  const all = [0, 0]
  for (const planning of PLANNINGS) {
    for (const [name, parameters, held] of [
      ['tokens/list_whales', [tokenId, 1, ...none, 10], 0],
      ['tokens/list_whales', [tokenId, 1, ...all, 10], USERS],
      ['tags/list_values', [1, ...none], 0],
      ['tags/list_values', [1, ...all], MINTS],
    ] as const) {
      const nodes = await planAsRun(under().db, name, parameters, planning)
      const scans = scansOf(nodes, /^held_token$/)
      t.deepEqual(indexesOf(scans), held === 0 ? [] : ['held_token_pkey'])
      t.is(rowsOf(scans), held)
      t.is(vainRowsOf(scans), 0)
    }
  }
})

test('smart money is found from its tags, and has one position of the mint each', async (t) => {
  const nodes = await planOf('list_smart', [10])
  t.deepEqual(indexesOf(scansOf(nodes, /^wallet_tag$/)), ['wallet_tag_smart'])
  const own = scansOf(nodes, /^position$/).filter((node) => node['Index Name'] === 'position_pkey')
  t.is(rowsOf(own), SMART.length)
  t.is(vainRowsOf(own), 0)
})

test('early buyers are found among the first swaps, with one position each', async (t) => {
  for (const planning of PLANNINGS) {
    const parameters = [tokenId, 0, CHUNK_SLOTS - 1, 40, 5, null]
    const nodes = await planAsRun(under().db, 'swap-history/list_early', parameters, planning)
    const swaps = scansOf(nodes, /^_hyper_/)
    t.true(indexesOf(swaps).every((name) => name.endsWith('swap_pool')))
    t.true(rowsOf(swaps) <= 41)
    const scans = scansOf(nodes, /^position$/)
    t.deepEqual(indexesOf(scans), ['position_pkey'])
    t.is(rowsOf(scans), 5)
    t.is(vainRowsOf(scans), 0)
    const held = scansOf(nodes, /^held_token$/)
    t.deepEqual(indexesOf(held), ['held_token_pkey'])
    t.is(rowsOf(held), 5)
  }
})

test('reads the first swaps of a mint from few chunks, by its pool', async (t) => {
  const wanted = [tokenId, 0, CHUNK_SLOTS - 1, 10]
  const nodes = await planAsRun(under().db, 'swap-history/list_first_swaps', wanted)
  const scans = scansOf(nodes, /^_hyper_/)
  t.true(scans.length >= 1 && scans.length <= 2)
  t.true(indexesOf(scans).every((name) => name.endsWith('swap_pool')))
  t.true(rowsOf(scans) <= 11)
})
