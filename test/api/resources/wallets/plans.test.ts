// Actual reads of the statements of a wallet: its hours in the window, its swaps in the chunks of the requested slots,
// and no row in vain.

import test from 'ava'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { PLANNINGS, type Plan, planAsRun } from '../../../support/api/plan.ts'
import { SWAP } from '../../../support/events/sample-event.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

/** A swap each 10 minutes and 1,500 slots: a day, 216,000 slots, is four chunks. */
const DAYS = 20
const SWAPS = DAYS * 144
const USERS = 12
const DAY_MS = 86_400_000
const FIRST_MS = Math.floor(Date.UTC(2026, 7, 1) / (7 * DAY_MS)) * 7 * DAY_MS

const under = apiForFile()
let walletId = 0

test.serial.before(async () => {
  const { db } = under()
  const swaps = Array.from({ length: SWAPS }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: n * 1_500,
      timestamp: FIRST_MS + n * 600_000,
      user: trader(n % USERS),
      tokenAddress: mint(n % 5),
      pairAddress: pair(2 * (n % 5)),
    }),
  )
  await insertLedger(db, swaps)
  await db.query('analyze')
  const { rows } = await db.query('select id from wallet where address = $1', [trader(7)])
  walletId = rows[0].id
})

/** Reads of chunks: their indexes without the chunk's prefix, rows, and rows in vain. */
function chunkReads(nodes: readonly Plan[]) {
  const read = nodes.filter(
    (node) => /^_hyper_/.test(node['Relation Name'] ?? '') && (node['Actual Loops'] ?? 0) > 0,
  )
  const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)
  return {
    chunks: read.length,
    indexes: [
      ...new Set(read.map((node) => (node['Index Name'] ?? 'none').replace(/^.*chunk_/, ''))),
    ],
    rows: sum(read.map((node) => node['Actual Rows'] ?? 0)),
    inVain: sum(read.map((node) => node['Rows Removed by Filter'] ?? 0)),
  }
}

test('sums of a window read the hours of the wallet in the weeks of the window', async (t) => {
  // Chunks are weeks: the last six days of twenty lie in the third.
  const fromMs = FIRST_MS + 14 * DAY_MS
  for (const planning of PLANNINGS) {
    const hours = [walletId, fromMs, FIRST_MS + 20 * DAY_MS, null]
    const nodes = await planAsRun(under().db, 'wallets/sum_hours', hours, planning)
    const { chunks, rows, inVain } = chunkReads(nodes)
    t.deepEqual({ chunks, inVain }, { chunks: 1, inVain: 0 })
    // A swap each two hours.
    t.is(rows, 6 * 12)
  }
})

test('reads swaps of a wallet by the index of wallets, only from the chunks of the slots', async (t) => {
  const nodes = await planAsRun(under().db, 'swap-history/open_wallet_swaps', [
    walletId,
    4 * 54_000,
    6 * 54_000 - 1,
    null,
    null,
  ])
  const { indexes, ...read } = chunkReads(nodes)
  t.deepEqual(indexes, ['swap_wallet'])
  t.deepEqual(read, { chunks: 2, rows: 6, inVain: 0 })
})

test('reads only the swaps of the slot in which sells tie', async (t) => {
  const position = [7 * 1_500, SWAP.blockTxIndex, SWAP.ixIndex, SWAP.dex]
  const requested = [walletId, [1, 2, 3, 4, 5], 0, ...position, FIRST_MS + 20 * DAY_MS]
  for (const planning of PLANNINGS) {
    const nodes = await planAsRun(under().db, 'swap-history/find_tied_mint', requested, planning)
    const { indexes, chunks, rows, inVain } = chunkReads(nodes)
    t.deepEqual({ indexes, chunks }, { indexes: ['swap_wallet'], chunks: 1 })
    // The wallet's one swap in the slot.
    t.is(rows + inVain, 1)
  }
})
