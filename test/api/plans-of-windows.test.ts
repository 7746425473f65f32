// Reads of lists over a window of slots amid very many others, for any cursor: as many pages of the index as for so few
// rows, not all between the window and the cursor.

import test from 'ava'
import { apiForFile } from '../support/api/api-under-test.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { PLANNINGS, type Plan, planAsRun } from '../support/api/plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'

/** Swaps of one chunk, a slot each: their index has some hundred pages. */
const SWAPS = 20_000
const WINDOW = [10_000, 10_049]
const ROWS = 5
const LONG_MS = 600_000
const WHALE_LAMPORTS = 10_000_000_000
const END = '9223372036854775807'
/** A page for each row, and the way down the index: twice that. */
const PAGES_MAX = 20

const under = apiForFile()

test.serial.before(async () => {
  const swaps = Array.from({ length: SWAPS }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: n,
      timestamp: Date.UTC(2026, 6, 1) + n * 400,
      solAmount: WHALE_LAMPORTS,
      pairAddress: pair(0),
      tokenAddress: mint(0),
      user: trader(0),
    }),
  )
  await insertSwaps(under().db, swaps)
  await under().db.query('analyze')
})

const isSwapChunk = (node: Plan): boolean => /^_hyper_\d+_/.test(node['Relation Name'] ?? '')
const pagesOf = (nodes: readonly Plan[]): number =>
  nodes
    .filter(isSwapChunk)
    .reduce(
      (sum, node) => sum + (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0),
      0,
    )

for (const planning of PLANNINGS) {
  test(`a list enters its index at the window, not at its cursor, by ${planning}`, async (t) => {
    const { rows } = await under().db.query(
      'select (select id from wallet) as wallet, (select id from pool) as pool',
    )
    const { wallet, pool } = rows[0]
    for (const [name, minSol, parameters] of [
      ['list_swaps', null, []],
      ['list_whale_swaps', WHALE_LAMPORTS, []],
      ['list_wallet_swaps', null, [wallet, null]],
      ['list_pool_swaps', null, [[pool]]],
    ] as const) {
      for (const [order, beyond, within] of [
        ['desc', END, 10_020],
        ['asc', -1, 10_030],
      ] as const) {
        for (const slot of [beyond, within]) {
          const traits = [null, null, minSol, null, null, LONG_MS]
          const given = [slot, 0, 0, 0, ...WINDOW, ROWS, ...traits, ...parameters]
          const nodes = await planAsRun(
            under().db,
            `swap-history/${name}_${order}`,
            given,
            planning,
          )
          const reported = `${name}_${order} from ${slot}`
          t.is(nodes[0]?.['Actual Rows'], ROWS, reported)
          t.true(pagesOf(nodes) <= PAGES_MAX, `${reported}: ${pagesOf(nodes)} pages`)
        }
      }
    }
  })
}
