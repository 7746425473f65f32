/**
 * Cuts the rows of a segment into blocks that each fill one heap page of PostgreSQL. Pure.
 *
 * Law: each block is decoded and compared with its rows, to the bit, before it is returned. Sealed rows are dropped from
 * `swap`, so an error of the codec would lose them.
 */
import { counted } from '../../domain/text/plural.ts'
import { BlockEncoder, decodeBlockColumns } from './block.ts'
import { BLOCK_ROWS_MAX } from './columns/block-columns.ts'
import type { SwapColumns } from './columns/swap-columns.ts'

/** 8,192 bytes less the page's header, the line pointer, and the header and keys of the row. */
export const BLOCK_BYTES_MAX = 8_120
/** A block this full is not tried again: two rows at most would fit, and each try costs as much as the block. */
const FULL_BYTES = BLOCK_BYTES_MAX - 180
/** Left free by an estimate, so that it fits more often than not. */
const MARGIN_BYTES = 60
const FIRST_GUESS = 90
const TRIES_MAX = 4

export type FittedBlock = {
  /** Number of its first row in the segment. */
  firstRow: number
  rowCount: number
  bytes: Uint8Array
}

/** Blocks of the rows of a table, which are in the order of the segment. Throws where a block decodes to something else. */
export function* fitBlocks(table: SwapColumns): Generator<FittedBlock> {
  const encoder = new BlockEncoder(table)
  let guess = FIRST_GUESS
  for (let firstRow = 0; firstRow < table.count; ) {
    const block = fitted(encoder, firstRow, table.count - firstRow, guess)
    requireSame(table, block)
    yield block
    firstRow += block.rowCount
    guess = block.rowCount
  }
}

/** By the size of each try the next is estimated, between what fits and what does not. */
function fitted(
  encoder: BlockEncoder,
  firstRow: number,
  rowsLeft: number,
  guess: number,
): FittedBlock {
  const left = Math.min(rowsLeft, BLOCK_ROWS_MAX)
  let best: FittedBlock | undefined
  let tooMany = left + 1
  let rowCount = Math.min(guess, left)
  for (let tries = 1; ; tries++) {
    const bytes = encoder.encode(firstRow, rowCount)
    if (bytes.length <= BLOCK_BYTES_MAX) best = { firstRow, rowCount, bytes }
    else tooMany = rowCount
    const fits = best?.rowCount ?? 0
    const isFull = best !== undefined && best.bytes.length > FULL_BYTES
    if (best !== undefined && (isFull || fits + 1 >= tooMany || tries >= TRIES_MAX)) return best
    if (tooMany === 1) {
      throw new RangeError(
        `row ${firstRow} takes ${bytes.length} bytes: a block has ${BLOCK_BYTES_MAX} at most`,
      )
    }
    const free = BLOCK_BYTES_MAX - MARGIN_BYTES - bytes.length
    const estimate = rowCount + Math.floor((free * rowCount) / bytes.length)
    rowCount = Math.min(tooMany - 1, Math.max(fits + 1, estimate))
  }
}

function requireSame(table: SwapColumns, { firstRow, rowCount, bytes }: FittedBlock): void {
  const decoded = decodeBlockColumns(bytes, `block of row ${firstRow}`)
  if (decoded.count !== rowCount) {
    throw new Error(
      `a block of ${counted(rowCount, 'row')} decodes to ${decoded.count}: it is not stored`,
    )
  }
  const difference = table.difference(firstRow, decoded)
  if (difference === undefined) return
  const { index, name } = difference
  throw new Error(`${name} of row ${firstRow + index} changes by encoding: its block is not stored`)
}
