/** Where a list of holders goes on: behind a balance and the wallet that has it. Pure. */
import { isAddress } from '../../streams/base58.ts'
import { decodeCursor, encodeCursor, notOfThisList } from '../cursor.ts'

const KIND = 'holders'

/** Base units as digits: they may pass int64. */
export type HolderPlace = { balance: string; wallet: string }

export function holdersCursor({ balance, wallet }: HolderPlace): string {
  return encodeCursor(KIND, [balance, wallet])
}

/** Throws ApiError for any other text. */
export function readHoldersCursor(text: string): HolderPlace {
  const [balance = '', wallet = ''] = decodeCursor(KIND, text, 2)
  if (!/^[1-9]\d{0,39}$/.test(balance) || !isAddress(wallet)) throw notOfThisList()
  return { balance, wallet }
}
