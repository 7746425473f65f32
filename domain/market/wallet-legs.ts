/** A swap as its wallet sees it: tokens without what the mint withholds, lamports with the fees outside the leg. */
import type { Swap } from '../events/swap.ts'
import { arrivedQuantity, soldQuantity } from '../ledger/position.ts'
import { venueOf } from '../venue.ts'

/** Base units that arrived at the wallet, or left it. */
export const walletTokens = (swap: Swap): bigint =>
  swap.isBuy ? arrivedQuantity(swap) : soldQuantity(swap)

/** Lamports that the wallet paid or got: the leg with the fees outside it that the venue states. */
export function walletLamports(swap: Swap): bigint {
  const leg = BigInt(swap.solAmount)
  if (venueOf(swap.dex).outsideFees !== 'stated') return leg
  const outside = BigInt(swap.fee) + BigInt(swap.creatorFee) - BigInt(swap.cashback)
  return swap.isBuy ? leg + outside : leg - outside
}
