/** A swap with the columns of table `swap`, wherever it is stored. Pure. */
import type { SealedSwap } from '../codec/row.ts'

/** `signature` is text; `blockhash` is null where the source named none. */
export type StoredSwap = Omit<SealedSwap, 'signature' | 'blockhash'> & {
  signature: string
  blockhash: string | null
}
