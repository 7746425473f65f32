// Actual reads of the statements of a wallet's positions: only its own, and only the tokens that it holds.

import test from 'ava'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { type Plan, planAsRun } from '../../../support/api/plan.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { swapsOf } from '../pnl/ledger-swaps.ts'

const USERS = 100
const MINTS_EACH = 20

const under = apiForFile()
let walletId = 0

test.serial.before(async () => {
  const { db } = under()
  const trades = Array.from({ length: USERS * MINTS_EACH }, (_, n) => {
    return { user: n % USERS, mint: n, isBuy: true, tokens: 5, sol: 1 }
  })
  await insertLedger(db, swapsOf(trades))
  await db.query('analyze')
  const { rows } = await db.query('select id from wallet where address = $1', [trader(7)])
  walletId = rows[0].id
})

/** Indexes by which the table was read, and how many rows came. */
function readsOf(nodes: readonly Plan[], table: string): { indexes: string[]; rows: number } {
  const reads = nodes.filter((node) => node['Relation Name'] === table)
  const rowsOf = (node: Plan): number =>
    ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) *
    (node['Actual Loops'] ?? 0)
  return {
    indexes: [...new Set(reads.map((node) => node['Index Name'] ?? 'none'))],
    rows: reads.reduce((sum, node) => sum + rowsOf(node), 0),
  }
}

test('open positions are read of the wallet only', async (t) => {
  const nodes = await planAsRun(under().db, 'holdings/list_open', [walletId])
  t.deepEqual(readsOf(nodes, 'position'), { indexes: ['position_pkey'], rows: MINTS_EACH })
  t.deepEqual(readsOf(nodes, 'token'), { indexes: ['token_pkey'], rows: MINTS_EACH })
})

test('probes each held mint once, and its position once', async (t) => {
  const mints = [mint(7), mint(107), mint(207)]
  const nodes = await planAsRun(under().db, 'holdings/list_mints', [walletId, mints])
  t.deepEqual(readsOf(nodes, 'token'), { indexes: ['token_address_key'], rows: 3 })
  t.deepEqual(readsOf(nodes, 'position'), { indexes: ['position_pkey'], rows: 3 })
})

test('cash flow without a cost basis is looked for in the positions of the wallet only', async (t) => {
  const nodes = await planAsRun(under().db, 'wallet-days/list_uncosted', [trader(7)])
  t.deepEqual(readsOf(nodes, 'position'), { indexes: ['position_pkey'], rows: MINTS_EACH })
})
