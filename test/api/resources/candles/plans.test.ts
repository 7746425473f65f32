// Actual reads of the statements of candles, with the settings of the API's connections: only the chunks of the range,
// each by its index. A year of candles must not slow down a page of an hour.

import test from 'ava'
import { query } from '../../../../sql/query.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'

const DAY = 86_400_000
const FROM_MS = Date.UTC(2026, 5, 1)
/** A chunk of minutes is a day. */
const DAYS = 40
const POOLS = 2
const SETTINGS = ['enable_seqscan', 'enable_bitmapscan']

const under = apiForFile()

test.serial.before(async () => {
  const swaps = Array.from({ length: DAYS * 24 * POOLS }, (_, n) => {
    const hour = Math.floor(n / POOLS)
    return sampleSwap({
      signature: signatureOf(n),
      slot: 1_000 + hour * 9_000,
      timestamp: FROM_MS + hour * 3_600_000,
      tokenAddress: mint(0),
      pairAddress: pair(n % POOLS),
      solAmount: 20_000 + n,
      tokenAmount: 30_000,
    })
  })
  await insertSwaps(under().db, swaps, { hasPrices: true })
  await under().db.query('analyze')
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops'?: number
  Plans?: Plan[]
}

async function planOf(name: string, parameters: readonly unknown[]): Promise<Plan[]> {
  const connection = await under().db.connect()
  try {
    await connection.query('begin')
    for (const setting of SETTINGS) await connection.query(`set local ${setting} = off`)
    const text = `explain (analyze, timing off, format json) ${query(name).text}`
    const { rows } = await connection.query(text, [...parameters])
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await connection.query('rollback')
    connection.release()
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Chunks in the plan, with the index that each is read by, its chunk's prefix aside. */
function chunks(nodes: readonly Plan[]): string[] {
  return nodes
    .filter((node) => /^_hyper_\d+_\d+_chunk$/.test(node['Relation Name'] ?? ''))
    .map((node) => (node['Index Name'] ?? node['Node Type']).replace(/^\d+_\d+_/, ''))
}

test('there are as many chunks as days', async (t) => {
  const { rows } = await under().db.query("select count(*) as chunks from show_chunks('candle_1m')")
  t.is(rows[0].chunks, DAYS)
})

test('minutes of two days are read from two chunks', async (t) => {
  const from = FROM_MS + 20 * DAY
  const nodes = await planOf('candles/list_candles_1m', [1, from, from + 2 * DAY, 500, false])
  t.deepEqual(chunks(nodes), ['candle_1m_pkey', 'candle_1m_pkey'])
})

test('five minutes merged and a range of time, too', async (t) => {
  const from = FROM_MS + 20 * DAY
  for (const [name, parameters] of [
    ['candles/list_merged_1m', [1, from, from + 2 * DAY, 500, false, 300_000]],
    ['candles/read_range_1m', [1, from, from + 2 * DAY, 300_000]],
  ] as const) {
    t.deepEqual(chunks(await planOf(name, parameters)), ['candle_1m_pkey', 'candle_1m_pkey'], name)
  }
})

test('quarters of a day are read from the chunk of their week', async (t) => {
  const from = FROM_MS + 20 * DAY
  const nodes = await planOf('candles/list_merged_15m', [
    1,
    from,
    from + DAY,
    500,
    false,
    3_600_000,
  ])
  t.deepEqual(chunks(nodes), ['candle_15m_pkey'])
})

test('searches the close before a time in three tables', async (t) => {
  const at = FROM_MS + 20 * DAY + 5 * 3_600_000 + 20 * 60_000
  const quarter = at - (at % 900_000)
  const nodes = await planOf('candles/find_close_before', [1, at, quarter, at - (at % 14_400_000)])
  const read = chunks(nodes)
  t.is(read.filter((index) => index === 'candle_1m_pkey').length, 1)
  t.is(read.filter((index) => index === 'candle_15m_pkey').length, 1)
  t.true(read.length <= 4, read.join())
})

test('the busiest pool of a month is found from few chunks of minutes', async (t) => {
  // 7 minutes, 3 quarters, 30 days of four hours, and the reverse after them.
  const first = FROM_MS + 3 * DAY + 8 * 60_000
  const four = FROM_MS + 4 * DAY
  const end = FROM_MS + 34 * DAY
  const parameters = [
    ...[mint(0), first, first + 6 * 60_000, end + 1_800_000, end + 1_860_000],
    ...[first + 7 * 60_000, four - 900_000, end, end + 900_000, four, end - 14_400_000],
  ]
  const nodes = await planOf('candles/find_top_pool_between', parameters)
  const read = chunks(nodes)
  t.is(read.filter((index) => index === 'candle_1m_pkey').length, 2)
  t.true(read.filter((index) => index === 'candle_15m_pkey').length <= 3)
  t.is(nodes[0]?.['Actual Loops'], 1)
})
