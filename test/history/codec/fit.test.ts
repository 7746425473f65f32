/** Blocks that fill a page each, and the bytes that a swap takes with everything that finds it. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import { decodeBlock } from '../../../history/codec/block.ts'
import { BLOCK_BYTES_MAX, firstDifference, fitBlocks } from '../../../history/codec/fit.ts'
import { segmentPostings } from '../../../history/codec/postings/segment.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { ROW, signature } from '../../support/history/row-cases.ts'
import { type Segment, segmentOf } from '../../support/history/sealed-rows.ts'
import { storedBytes } from '../../support/history/stored-bytes.ts'
import { swapsOf } from '../../support/real-swaps.ts'

/** Above these sealed history is not worth its machinery. */
const BYTES_MAX = 130

const market = (): Segment =>
  segmentOf(simulate({ seed: 20_260_601, swaps: 20_000, fromMs: Date.UTC(2026, 8, 1) }))

test('every block fits a page, is nearly full, and all rows come back', (t) => {
  const { rows } = market()
  const blocks = [...fitBlocks(rows)]
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
  t.deepEqual([...fitBlocks([])], [])
  const same = Array.from({ length: 5_000 }, () => ROW)
  const [first, second, ...others] = fitBlocks(same)
  t.is(first!.rowCount + second!.rowCount, 5_000)
  t.deepEqual(others, [])
})

test('a segment is cut the same way each time', (t) => {
  const rows = Array.from({ length: 300 }, (_, n) => ({
    ...ROW,
    signature: signature(n),
    wallet_id: n * 7_919,
  }))
  t.deepEqual([...fitBlocks(rows)], [...fitBlocks(rows)])
})

test('a swap of the simulated chain takes at most 130 bytes with all postings', (t) => {
  const bytes = storedBytes(market())
  t.true(bytes.all < BYTES_MAX && bytes.all > 64, JSON.stringify(bytes))
})

test('a recorded swap takes at most 130 bytes with all postings that grow with the swaps', (t) => {
  const text = readFileSync(new URL('../../data/venue_1_2025-09.ndjson', import.meta.url), 'utf8')
  const segment = segmentOf(swapsOf(text).map((swap) => ({ kind: 'swap', swap })))
  const { blocks, signature: bySignature, wallet } = storedBytes(segment)
  t.true(blocks + bySignature! + wallet! < BYTES_MAX)
  t.true([...segmentPostings(segment)].length > 3)
})
