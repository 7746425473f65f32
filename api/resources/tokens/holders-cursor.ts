/** Cursor of a list of holders: it continues after a balance and its wallet. Pure. */
import { isAddress } from '../../../domain/numbers/base58.ts'
import {
  type CursorList,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'

/** Base units as digits: they may pass int64. */
export type HolderPosition = { balance: string; wallet: string }

const listOf = (mint: string): CursorList => ['holders', mint]

export function holdersCursor(mint: string, { balance, wallet }: HolderPosition): string {
  return encodeCursor(listOf(mint), [balance, wallet])
}

/** Throws ApiError for a text that is no cursor of the mint's holders. */
export function readHoldersCursor(mint: string, text: string): HolderPosition {
  const [balance = '', wallet = ''] = decodeCursor(listOf(mint), text, 2)
  if (!/^[1-9]\d{0,39}$/.test(balance) || !isAddress(wallet)) throw notOfThisList()
  return { balance, wallet }
}
