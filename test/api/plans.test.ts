// Actual reads of the statements of lists: each uses its index, few chunks, no row in vain. A hundred chunks or a pool
// that fell silent must not turn a page into a scan.

import test from 'ava'
import { signatureHash } from '../../domain/numbers/signature-hash.ts'
import { apiForFile } from '../support/api/api-under-test.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { PLANNINGS, type Plan, planAsRun } from '../support/api/plan.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'

/** 54,000 slots are a chunk. */
const CHUNKS = 12
const SWAPS_A_CHUNK = 400
const POOLS = 6
const USERS = 40
/** Every hundredth swap is one of it, and large. */
const RARE_EVERY = 100
const RARE_DEX = 10
const WHALE_LAMPORTS = 10_000_000_000
const END = '9223372036854775807'

const under = apiForFile()

test.serial.before(async () => {
  const swaps = Array.from({ length: CHUNKS * SWAPS_A_CHUNK }, (_, n) => {
    const chunk = Math.floor(n / SWAPS_A_CHUNK)
    const pool = n % POOLS
    const isRare = n % RARE_EVERY === 0
    return sampleSwap({
      ...(isRare ? { dex: RARE_DEX, solAmount: WHALE_LAMPORTS } : {}),
      signature: signatureOf(n),
      slot: chunk * 54_000 + (n % SWAPS_A_CHUNK) * 100,
      timestamp: Date.UTC(2026, 6, 1) + n * 1_000,
      // The last pool traded in the first chunk only.
      pairAddress: pair(pool === POOLS - 1 && chunk > 0 ? 0 : pool),
      tokenAddress: mint(pool === POOLS - 1 && chunk > 0 ? 0 : Math.floor(pool / 2)),
      user: trader(n % USERS),
    })
  })
  await insertSwaps(under().db, swaps)
  await under().db.query('analyze')
})

const ran = (node: Plan): boolean => (node['Actual Loops'] ?? 0) > 0
const isSwapChunk = (node: Plan): boolean => /^_hyper_\d+_/.test(node['Relation Name'] ?? '')

/** Names of the indexes of chunks that were really read, without the chunk's own prefix. */
function chunkIndexes(nodes: readonly Plan[]): string[] {
  return nodes
    .filter((node) => isSwapChunk(node) && ran(node))
    .map((node) => (node['Index Name'] ?? 'none').replace(/^_hyper_\d+_\d+_chunk_/, ''))
}

/** Rows of chunks that were read in vain. */
function rowsInVain(nodes: readonly Plan[]): number {
  return nodes
    .filter(isSwapChunk)
    .reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0)
}

/** And ten minutes to search for matches. */
const LONG_MS = 600_000
const anyTrait = [null, null, null, null, null, LONG_MS]

for (const planning of PLANNINGS) {
  const planOf = (name: string, parameters: readonly unknown[]): Promise<Plan[]> =>
    planAsRun(under().db, name, parameters, planning)

  test(`a signature is one probe of one index and one chunk, by ${planning}`, async (t) => {
    const slot = 7 * 54_000 + 5 * 100
    const signature = signatureOf(7 * SWAPS_A_CHUNK + 5)
    const found = await planOf('swap-history/find_signature', [signatureHash(signature)])
    t.deepEqual(
      found
        .filter((node) => node['Index Name'])
        .map((node) => [node['Index Name'], node['Actual Loops']]),
      [['swap_signature_key', 1]],
    )
    const read = await planOf('swap-history/list_transaction_swaps', [slot, 0, signature])
    t.deepEqual(chunkIndexes(read), ['swap_order'])
    t.is(read[0]?.['Actual Rows'], 1)
  })

  test(`a list of all stops in the chunk that fills the page, by ${planning}`, async (t) => {
    const newest = await planOf('swap-history/list_swaps_desc', [
      END,
      0,
      0,
      0,
      0,
      END,
      102,
      ...anyTrait,
    ])
    t.deepEqual(chunkIndexes(newest), ['swap_order'])
    t.is(newest[0]?.['Actual Rows'], 102)
    t.is(rowsInVain(newest), 0)
    const oldest = await planOf('swap-history/list_swaps_asc', [
      -1,
      0,
      0,
      0,
      0,
      END,
      102,
      ...anyTrait,
    ])
    t.deepEqual(chunkIndexes(oldest), ['swap_order'])
  })

  test(`reads only swaps of the requested venue, by ${planning}`, async (t) => {
    const ofVenue = [RARE_DEX, null, null, null, null, LONG_MS]
    const nodes = await planOf('swap-history/list_swaps_desc', [
      END,
      0,
      0,
      0,
      0,
      END,
      7,
      ...ofVenue,
    ])
    t.deepEqual([...new Set(chunkIndexes(nodes))], ['swap_order'])
    t.is(nodes[0]?.['Actual Rows'], 7)
    t.is(rowsInVain(nodes), 0)
  })

  test(`reads whales from the index of whales, by ${planning}`, async (t) => {
    for (const [order, after] of [
      ['desc', END],
      ['asc', -1],
    ]) {
      const traits = [null, null, WHALE_LAMPORTS, null, null, LONG_MS]
      const parameters = [after, 0, 0, 0, 0, END, 7, ...traits]
      const nodes = await planOf(`swap-history/list_whale_swaps_${order}`, parameters)
      t.deepEqual([...new Set(chunkIndexes(nodes))], ['swap_large'])
      t.is(nodes[0]?.['Actual Rows'], 7)
      t.is(rowsInVain(nodes), 0)
    }
  })

  test(`a list reads only the chunks of its window of slots, by ${planning}`, async (t) => {
    const low = 5 * 54_000
    const window = [low, low + 53_999]
    for (const [name, parameters] of [
      ['list_swaps_desc', []],
      ['list_wallet_swaps_desc', [await idOfTrader(3), null]],
      ['list_pool_swaps_desc', [await idsOfPools(0, 1)]],
    ] as const) {
      const given = [END, 0, 0, 0, ...window, 900, ...anyTrait, ...parameters]
      const nodes = await planOf(`swap-history/${name}`, given)
      const chunks = nodes.filter(isSwapChunk)
      // The cached plan of a wallet probes the index of each chunk, without a match.
      if (planning === 'force_custom_plan') t.is(chunks.length, 1, name)
      t.is(chunks.filter((node) => (node['Actual Rows'] ?? 0) > 0).length, 1, name)
    }
  })

  test(`reads a wallet from the index of wallets, one range a chunk, no row in vain, by ${planning}`, async (t) => {
    const id = await idOfTrader(3)
    for (const [order, after] of [
      ['desc', END],
      ['asc', -1],
    ]) {
      const parameters = [after, 0, 0, 0, 0, END, 22, ...anyTrait, id, null]
      const nodes = await planOf(`swap-history/list_wallet_swaps_${order}`, parameters)
      t.deepEqual([...new Set(chunkIndexes(nodes))], ['swap_wallet'])
      t.is(rowsInVain(nodes), 0)
      t.is(nodes[0]?.['Actual Rows'], 22)
    }
  })

  test(`reads pools from the index of pools, one that was busy long ago too, by ${planning}`, async (t) => {
    const ids = await idsOfPools(1, POOLS - 1)
    for (const [order, after] of [
      ['desc', END],
      ['asc', -1],
    ]) {
      const parameters = [after, 0, 0, 0, 0, END, 22, ...anyTrait, ids]
      const nodes = await planOf(`swap-history/list_pool_swaps_${order}`, parameters)
      t.deepEqual([...new Set(chunkIndexes(nodes))], ['swap_pool'])
      t.is(rowsInVain(nodes), 0)
      t.is(nodes[0]?.['Actual Rows'], 22)
    }
  })
}

test('totals of everything find the newest slot by one row of one chunk', async (t) => {
  const nodes = await planAsRun(under().db, 'swap-history/read_totals', [])
  t.deepEqual(chunkIndexes(nodes), ['swap_order'])
  t.is(nodes.filter((node) => isSwapChunk(node) && ran(node))[0]?.['Actual Rows'], 1)
})

test('without time left a list returns the next rows instead of searching for matches', async (t) => {
  const none = [null, null, '9000000000000', null, null, 0]
  for (const [name, parameters] of [
    ['list_swaps', []],
    ['list_whale_swaps', []],
    ['list_wallet_swaps', [await idOfTrader(0), null]],
    ['list_pool_swaps', [await idsOfPools(0)]],
  ] as const) {
    for (const [order, after] of [
      ['desc', END],
      ['asc', -1],
    ]) {
      const given = [after, 0, 0, 0, 0, END, 5, ...none, ...parameters]
      const nodes = await planAsRun(under().db, `swap-history/${name}_${order}`, given)
      t.is(nodes[0]?.['Actual Rows'], 5, name)
      // The first that does not fit begins the time that there is none of.
      t.true(rowsInVain(nodes) <= 1, name)
    }
  }
})

async function idOfTrader(n: number): Promise<number> {
  const { rows } = await under().db.query('select id from wallet where address = $1', [trader(n)])
  return rows[0].id
}

async function idsOfPools(...positions: readonly number[]): Promise<number[]> {
  const { rows } = await under().db.query('select id from pool where pair_address = any ($1)', [
    positions.map(pair),
  ])
  return rows.map(({ id }) => id)
}
