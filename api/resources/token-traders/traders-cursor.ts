/** Cursor of a list of traders: it continues after what one realized, and its wallet. Pure. */
import { isAddress } from '../../../domain/numbers/base58.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import {
  type CursorList,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'

/** Lamports as digits: they may pass int64, and be negative. */
export type TraderPosition = { realized: string; wallet: string }

/** The mode orders the list: a cursor of another is refused. */
const listOf = (token: string, mode: PnlMode): CursorList => ['traders', token, mode]

export function tradersCursor(
  token: string,
  mode: PnlMode,
  { realized, wallet }: TraderPosition,
): string {
  return encodeCursor(listOf(token, mode), [realized, wallet])
}

/** Throws ApiError for a text that is no cursor of the token's traders in the mode. */
export function readTradersCursor(token: string, mode: PnlMode, text: string): TraderPosition {
  const [realized = '', wallet = ''] = decodeCursor(listOf(token, mode), text, 2)
  if (!/^(0|-?[1-9]\d{0,39})$/.test(realized) || !isAddress(wallet)) throw notOfThisList()
  return { realized, wallet }
}
