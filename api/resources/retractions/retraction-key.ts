/** Place of a retraction in its list: slot, then blockhash, from a row and from a cursor. Pure. */
import { isAddress } from '../../../domain/numbers/base58.ts'
import {
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'

export type Order = 'asc' | 'desc'

const CURSOR_FIELDS = 2

export function retractionCursor(
  order: Order,
  { slot, blockhash }: { slot: number; blockhash: string | null },
): string {
  return encodeCursor(['retraction', order], [slot, blockhash ?? ''])
}

/** Slot and blockhash in the cursor, '' where the retraction names no block. Throws ApiError INVALID_PARAM. */
export function keyOfRetractionCursor(
  order: Order,
  cursor: string,
): [slot: number, blockhash: string] {
  const [slot = '', blockhash = ''] = decodeCursor(['retraction', order], cursor, CURSOR_FIELDS)
  if (blockhash !== '' && !isAddress(blockhash)) throw notOfThisList()
  return [cursorNumber(slot), blockhash]
}
