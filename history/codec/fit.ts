/**
 * Cuts the rows of a segment into blocks that each fill one heap page of PostgreSQL. Pure.
 *
 * Law: each block is decoded and compared with its rows, to the bit, before it is returned. Sealed rows are dropped from
 * `swap`, so an error of the codec would lose them.
 */
import { counted } from '../../domain/text/plural.ts'
import { BLOCK_ROWS_MAX, decodeBlock, encodeBlock } from './block.ts'
import {
  DOUBLES,
  INTEGERS,
  type IntegerName,
  NULLABLE,
  type NullableName,
  type SealedSwap,
} from './row.ts'

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

/** Blocks of rows in the order of the segment. Throws where a block decodes to something else. */
export function* fitBlocks(rows: readonly SealedSwap[]): Generator<FittedBlock> {
  let guess = FIRST_GUESS
  for (let firstRow = 0; firstRow < rows.length; ) {
    const block = fitted(rows, firstRow, guess)
    requireSame(rows, block)
    yield block
    firstRow += block.rowCount
    guess = block.rowCount
  }
}

/** By the size of each try the next is estimated, between what fits and what does not. */
function fitted(rows: readonly SealedSwap[], firstRow: number, guess: number): FittedBlock {
  const left = Math.min(rows.length - firstRow, BLOCK_ROWS_MAX)
  let best: FittedBlock | undefined
  let tooMany = left + 1
  let rowCount = Math.min(guess, left)
  for (let tries = 1; ; tries++) {
    const bytes = encodeBlock(rows.slice(firstRow, firstRow + rowCount))
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

function requireSame(
  rows: readonly SealedSwap[],
  { firstRow, rowCount, bytes }: FittedBlock,
): void {
  const decoded = decodeBlock(bytes, `block of row ${firstRow}`)
  if (decoded.length !== rowCount) {
    throw new Error(
      `a block of ${counted(rowCount, 'row')} decodes to ${decoded.length}: it is not stored`,
    )
  }
  for (let index = 0; index < rowCount; index++) {
    const name = firstDifference(rows[firstRow + index]!, decoded[index]!)
    if (name === undefined) continue
    throw new Error(
      `${name} of row ${firstRow + index} changes by encoding: its block is not stored`,
    )
  }
}

/** The first column in which two rows differ, bits of doubles included. */
export function firstDifference(row: SealedSwap, other: SealedSwap): keyof SealedSwap | undefined {
  for (const name of NAMES) {
    if (name === 'signature') {
      if (Buffer.compare(row.signature, other.signature) !== 0) return name
    } else if (!Object.is(row[name], other[name])) return name
  }
  return undefined
}

const NAMES: readonly (keyof SealedSwap)[] = [
  ...(Object.keys(INTEGERS) as IntegerName[]),
  ...(Object.keys(NULLABLE) as NullableName[]),
  ...DOUBLES,
  'is_buy',
  'signature',
]
