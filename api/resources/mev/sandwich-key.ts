/** Position of a sandwich in its list: that of its first leg, then its tie, from a row and from a cursor. Pure. */
import {
  cursorInteger,
  cursorNumber,
  decodeCursor,
  encodeCursor,
} from '../../routing/reading/cursor.ts'

export type Order = 'asc' | 'desc'

type SandwichKey = {
  slot: number
  block_tx_index: number
  ix_index: number
  signature: string
  tie: string
}

const FIELDS = 5
const IX_MAX = 2 ** 31 - 1

export function sandwichCursor(order: Order, key: SandwichKey): string {
  const { slot, block_tx_index, ix_index, signature, tie } = key
  return encodeCursor(['sandwich', order], [slot, block_tx_index, ix_index, signature, tie])
}

/** The position after which the list continues. Throws ApiError INVALID_PARAM. */
export function keyOfSandwichCursor(order: Order, cursor: string): unknown[] {
  const fields = decodeCursor(['sandwich', order], cursor, FIELDS)
  const [slot = '', blockTxIndex = '', ixIndex = '', signature = '', tie = ''] = fields
  return [
    cursorNumber(slot),
    cursorInteger(blockTxIndex),
    cursorNumber(ixIndex, IX_MAX),
    signature,
    tie,
  ]
}
