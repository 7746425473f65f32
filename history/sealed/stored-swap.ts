/** A swap with the columns of table `swap`, wherever it is stored. Pure. */
import type { SealedSwap } from '../codec/row.ts'

/** `signature` is text; `blockhash` is null where the source named none. */
export type StoredSwap = Omit<SealedSwap, 'signature' | 'blockhash'> & {
  signature: string
  blockhash: string | null
}

/** Each swap once, where finders may have found some of them twice. */
export function distinctSwaps(swaps: readonly StoredSwap[]): StoredSwap[] {
  return [...new Map(swaps.map((swap) => [keyOf(swap), swap])).values()]
}

/** No two stored swaps are alike in all of these. */
function keyOf(swap: StoredSwap): string {
  const { slot, block_tx_index, ix_index, dex, pool_id, wallet_id, is_buy, signature } = swap
  const position = `${slot} ${block_tx_index} ${ix_index} ${dex} ${pool_id} ${wallet_id} ${is_buy}`
  return `${position} ${signature} ${swap.sol_amount} ${swap.token_amount}`
}
