/** Swaps of one token in the last minute, for pages: eight buys and four sells of two wallets. */
import type { Swap } from '../../../domain/events/swap.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../market/sample-swap.ts'

export const newSwaps = (): Swap[] =>
  Array.from({ length: 12 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 1_000 + n,
      timestamp: Date.now() - 60_000 + n,
      tokenAddress: mint(0),
      pairAddress: pair(0),
      user: trader(n % 2),
      isBuy: n < 8,
    }),
  )
