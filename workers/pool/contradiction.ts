/** Whether a second delivery of a swap says the same as the first. */
import type { Swap } from '../../streams/swap.ts'
import { poolPrice } from './pool.ts'

/** Fields outside the identity that a second delivery may contradict. */
const CONTRADICTABLE = [
  'slot',
  'timestamp',
  'tokenAddress',
  'fee',
  'feeBps',
  'creatorFee',
  'creatorFeeBps',
  'quoteDecimals',
  'virtualSolReserves',
  'virtualTokenReserves',
  'realSolReserves',
  'realTokenReserves',
  'transferFeeIn',
  'transferFeeOut',
  'cashback',
  'cashbackBps',
  'blockTxIndex',
  'timeSource',
  'agentTrade',
  'priceBefore',
  'priceAfter',
] as const satisfies (keyof Swap)[]

/** Whether two deliveries of one identity differ in what they say of it. */
export function isContradiction(first: Swap, second: Swap): boolean {
  return (
    CONTRADICTABLE.some((field) => first[field] !== second[field]) ||
    poolPrice(first) !== poolPrice(second)
  )
}
