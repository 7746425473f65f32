/** Position of a sandwich in its list: that of its first leg, then its id, from a row and from a cursor. Pure. */
import type { Int64 } from '../../../domain/amount.ts'
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
  id: Int64
}

const FIELDS = 5
const IX_MAX = 2 ** 31 - 1

export function sandwichCursor(order: Order, key: SandwichKey): string {
  const { slot, block_tx_index, ix_index, signature, id } = key
  return encodeCursor(['sandwich', order], [slot, block_tx_index, ix_index, signature, id])
}

/** The position after which the list continues. Throws ApiError INVALID_PARAM. */
export function keyOfSandwichCursor(order: Order, cursor: string): unknown[] {
  const fields = decodeCursor(['sandwich', order], cursor, FIELDS)
  const [slot = '', blockTxIndex = '', ixIndex = '', signature = '', id = ''] = fields
  return [
    cursorNumber(slot),
    cursorInteger(blockTxIndex),
    cursorNumber(ixIndex, IX_MAX),
    signature,
    cursorInteger(id),
  ]
}
