/** Blocks that fill a page each, and the bytes that a swap takes with everything that finds it. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import { decodeBlock } from '../../../history/codec/block.ts'
import { columnsOf } from '../../../history/codec/columns/swap-columns.ts'
import { BLOCK_BYTES_MAX, fitBlocks } from '../../../history/codec/fit.ts'
import { segmentPostings } from '../../../history/codec/postings/segment.ts'
import { INTEGERS, type IntegerName, type SealedSwap } from '../../../history/codec/row.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { chainLines, decodeChainFile } from '../../support/chain/real-chain.ts'
import { firstDifference, ROW, signature } from '../../support/history/row-cases.ts'
import { type Segment, segmentOf } from '../../support/history/sealed-rows.ts'
import { storedBytes } from '../../support/history/stored-bytes.ts'
import { swapsOf } from '../../support/real-swaps.ts'

/** Above these sealed history is not worth its machinery. */
const BYTES_MAX = 130

const INTEGER_NAMES = Object.keys(INTEGERS) as IntegerName[]

const market = (): Segment =>
  segmentOf(simulate({ seed: 20_260_601, swaps: 20_000, fromMs: Date.UTC(2026, 8, 1) }))

test('every block fits a page, is nearly full, and all rows come back', (t) => {
  const { rows } = market()
  const blocks = [...fitBlocks(columnsOf(rows))]
  let next = 0
  for (const { firstRow, rowCount, bytes } of blocks) {
    t.is(firstRow, next)
    t.true(bytes.length <= BLOCK_BYTES_MAX)
    const decoded = decodeBlock(bytes, 'block')
    t.is(decoded.length, rowCount)
    for (const [index, row] of decoded.entries()) {
      if (firstDifference(row, rows[firstRow + index]!) !== undefined)
        t.fail(`row ${firstRow + index}`)
    }
    next += rowCount
  }
  t.is(next, rows.length)
  const full = blocks.slice(0, -1).filter(({ bytes }) => bytes.length > 0.97 * BLOCK_BYTES_MAX)
  t.true(full.length > 0.95 * blocks.length, `${full.length} of ${blocks.length}`)
})

test('no rows make no block, and rows that compress well are bounded by their count', (t) => {
  t.deepEqual([...fitBlocks(columnsOf([]))], [])
  const same = Array.from({ length: 5_000 }, () => ROW)
  const [first, second, ...others] = fitBlocks(columnsOf(same))
  t.is(first!.rowCount + second!.rowCount, 5_000)
  t.deepEqual(others, [])
})

test('a comparison names the column in which a row differs, for each column', (t) => {
  const changed: Partial<SealedSwap>[] = [
    ...INTEGER_NAMES.map((name) => ({ [name]: Number(ROW[name]) ^ 1 })),
    { token_amount: 5_000_000 + 2 ** 40 },
    { price_impact_bps: null },
    { virtual_quote_reserves: 0 },
    { wallet_tags: 1 },
    { pool_price: 0.2 + 2 ** -54 },
    { price_before: 0 },
    { price_after: Number.NaN },
    { is_buy: false },
    { signature: signature(1).fill(0, 63) },
  ]
  for (const change of changed) {
    const [table, others] = [columnsOf([ROW, ROW]), columnsOf([{ ...ROW, ...change }])]
    const [name] = Object.keys(change)
    t.deepEqual(table.difference(1, others), { index: 0, name })
    t.deepEqual(others.difference(0, columnsOf([ROW])), { index: 0, name })
  }
  const zeros = columnsOf([{ ...ROW, pool_price: 0 }])
  const negative = columnsOf([{ ...ROW, pool_price: -0 }])
  t.deepEqual(zeros.difference(0, negative), { index: 0, name: 'pool_price' })
  t.is(zeros.difference(0, zeros), undefined)
})

test('a segment is cut the same way each time', (t) => {
  const rows = Array.from({ length: 300 }, (_, n) => ({
    ...ROW,
    signature: signature(n),
    wallet_id: n * 7_919,
  }))
  t.deepEqual([...fitBlocks(columnsOf(rows))], [...fitBlocks(columnsOf(rows))])
})

test('a swap of the simulated chain takes at most 130 bytes with all postings', (t) => {
  const bytes = storedBytes(market())
  t.true(bytes.all < BYTES_MAX && bytes.all > 64, JSON.stringify(bytes))
})

test('rates outside the legs take less than half a byte of a recorded swap', (t) => {
  const files = chainLines('EXPECTED.ndjson').map(({ test }) => (test as { file: string }).file)
  const { rows } = segmentOf(
    [...new Set(files)].flatMap((file) =>
      decodeChainFile(file).events.filter(({ kind }) => kind === 'swap'),
    ),
  )
  const without = { outside_protocol_bps: null, outside_creator_bps: null }
  const bytesOf = (some: readonly SealedSwap[]): number =>
    [...fitBlocks(columnsOf(some))].reduce((sum, { bytes }) => sum + bytes.length, 0)
  t.true(rows.some((row) => row.outside_protocol_bps !== null))
  const added = bytesOf(rows) - bytesOf(rows.map((row) => ({ ...row, ...without })))
  t.log(`${(added / rows.length).toFixed(2)} bytes a swap`)
  t.true(added > 0 && added < rows.length / 2)
})

test('a recorded swap takes at most 130 bytes with all postings that grow with the swaps', (t) => {
  const text = readFileSync(new URL('../../data/venue_1_2025-09.ndjson', import.meta.url), 'utf8')
  const segment = segmentOf(swapsOf(text).map((swap) => ({ kind: 'swap', swap })))
  const { blocks, signature: bySignature, wallet } = storedBytes(segment)
  t.true(blocks + bySignature! + wallet! < BYTES_MAX)
  t.true([...segmentPostings(segment)].length > 3)
})
