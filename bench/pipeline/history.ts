/**
 * Sealed history: an hour of the simulated chain or as many of its swaps as the run has, cut into blocks and postings without
 * servers of the stack. Bytes a swap in PostgreSQL, and CPU a swap of the codec; then what sealed-history.ts measures on the stack.
 */
import { decodeBlock, encodeBlock } from '../../history/codec/block.ts'
import { columnsOf } from '../../history/codec/columns/swap-columns.ts'
import { type FittedBlock, fitBlocks } from '../../history/codec/fit.ts'
import { segmentPostings } from '../../history/codec/postings/segment.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, type Sample } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { type Segment, segmentOf, storedBytes, withBlockhashes } from '../test-support.ts'
import { sealedFigures } from './sealed-figures.ts'
import { measureSealed } from './sealed-history.ts'

const BLOCKS = 'sealed history: blocks'
const POSTINGS = 'sealed history: postings'
const ALL = 'sealed history: all'
const FIT = 'sealed history: fit, encode and verify blocks'
const ENCODE = 'sealed history: encode blocks'
const DECODE = 'sealed history: decode blocks'
const INDEX = 'sealed history: make postings'
const BYTES = 'B a swap'
const CPU = 'us CPU a swap'

export const history: Measurement = {
  name: 'history',
  figures: [
    ...[BLOCKS, POSTINGS, ALL].map((figure) => ({ figure, unit: BYTES, digits: 1 })),
    ...[FIT, ENCODE, DECODE, INDEX].map((figure) => ({ figure, unit: CPU, digits: 1 })),
    ...sealedFigures,
  ],
  async round(context) {
    return [...measureCodec(context.swaps), ...(await measureSealed(context))]
  },
}

function measureCodec(swaps: number): Sample[] {
  const fromMs = Date.UTC(2026, 8, 1)
  const segment = withBlockhashes(segmentOf(simulate({ seed: 20_260_601, swaps, fromMs })))
  expectEqual('rows', segment.rows.length, swaps)
  const { blocks, all } = storedBytes(segment)
  return [
    { figure: BLOCKS, value: blocks },
    { figure: POSTINGS, value: all - blocks },
    { figure: ALL, value: all },
    ...measureCpu(segment),
  ]
}

function measureCpu(segment: Segment): Sample[] {
  const { rows } = segment
  let blocks: FittedBlock[] = []
  const fit = microsOf(rows.length, () => {
    blocks = [...fitBlocks(columnsOf(rows))]
  })
  const encode = microsOf(rows.length, () => {
    for (const { firstRow, rowCount } of blocks) {
      encodeBlock(rows.slice(firstRow, firstRow + rowCount))
    }
  })
  let decoded = 0
  const decode = microsOf(rows.length, () => {
    for (const { bytes } of blocks) decoded += decodeBlock(bytes, 'block').length
  })
  expectEqual('decoded rows', decoded, rows.length)
  const index = microsOf(rows.length, () => {
    for (const { bytes } of segmentPostings(segment)) decoded += bytes.length
  })
  return [
    { figure: FIT, value: fit },
    { figure: ENCODE, value: encode },
    { figure: DECODE, value: decode },
    { figure: INDEX, value: index },
  ]
}

function microsOf(swaps: number, run: () => void): number {
  const meter = startMeter({ codec: 0 })
  run()
  return meter.perSwap(swaps).codec ?? 0
}
