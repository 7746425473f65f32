// Swaps of few wallets and mints over 110 days, some of them arbitrage.

import type { Swap } from '../../../../domain/events/swap.ts'
import type { Prng } from '../../../../streams/simulator/prng.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { START_MS } from '../pnl/ledger-swaps.ts'

const DAY_MS = 86_400_000

/**
 * Transactions of one to four swaps, over 110 days, the later the denser. `skewMs`: by how much times and slots may disagree;
 * absent: not at all.
 */
export function randomTransactions(
  prng: Prng,
  { count, skewMs = 0 }: { count: number; skewMs?: number },
): Swap[] {
  const swaps: Swap[] = []
  for (let n = 0; swaps.length < count; n++) {
    const user = prng.between(0, 40)
    const at = START_MS - Math.floor(110 * DAY_MS * prng.unit() ** 3)
    const timestamp = skewMs === 0 ? at : at - prng.below(skewMs)
    // Every third wallet is fond of both sides of one mint.
    const isTwoSided = user % 3 === 0 && prng.unit() < 0.7
    const first = prng.between(0, 5)
    for (let part = 0; part < prng.between(isTwoSided ? 2 : 1, 4); part++) {
      const m = isTwoSided && part < 2 ? first : prng.between(0, 5)
      swaps.push(
        sampleSwap({
          signature: signatureOf(n),
          slot: Math.floor((at - START_MS) / 60_000) + 400_000_000,
          ixIndex: part,
          timestamp,
          user: trader(user),
          tokenAddress: mint(m),
          pairAddress: pair(m),
          isBuy: isTwoSided ? part % 2 === 0 : prng.unit() < 0.6,
          solAmount: prng.between(0, 3) * 10 ** prng.between(0, 12),
          tokenAmount: prng.between(1, 1_000),
        }),
      )
    }
  }
  return swaps
}
