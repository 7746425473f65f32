/**
 * Profit on the quantity that was both bought and sold, each side at its own price, rounded against the trader.
 *
 * Rules: docs/semantics.md#sandwiches.
 */
import type { Swap } from '../../events/swap.ts'
import { ceilDivide } from '../../numbers/ceil-divide.ts'
import { walletLamports, walletTokens } from '../wallet-legs.ts'

/** Lamports; undefined where less than half of the larger side matches. */
export function matchedProfit(bought: readonly Swap[], sold: readonly Swap[]): bigint | undefined {
  const [tokensBought, tokensSold] = [sumOf(bought, walletTokens), sumOf(sold, walletTokens)]
  const [less, more] =
    tokensBought < tokensSold ? [tokensBought, tokensSold] : [tokensSold, tokensBought]
  if (less <= 0n || 2n * less < more) return undefined
  const [paid, got] = [sumOf(bought, walletLamports), sumOf(sold, walletLamports)]
  return -ceilDivide(-got * less, tokensSold) - ceilDivide(paid * less, tokensBought)
}

const sumOf = (swaps: readonly Swap[], figure: (swap: Swap) => bigint): bigint =>
  swaps.reduce((sum, swap) => sum + figure(swap), 0n)
