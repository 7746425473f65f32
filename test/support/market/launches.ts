// The recorded launches of 2025 (`test/data/`), and the wallets that won the most in them.
import { readFileSync } from 'node:fs'
import { compareSwaps } from '../../../domain/events/swap.ts'
import { PositionProof } from '../../../domain/ledger/proof.ts'
import { swapsOf } from '../real-swaps.ts'

export const LAUNCHES = swapsOf(
  readFileSync(new URL('../../data/venue_1_2025-09.ndjson', import.meta.url), 'utf8'),
)

/** The wallets with the most realized PnL, chosen with hindsight. */
export function bestWallets(count: number): string[] {
  const realized = [...Map.groupBy(LAUNCHES, ({ user }) => user)].map(([user, own]) => {
    const positions = [...Map.groupBy(own, ({ tokenAddress }) => tokenAddress).values()]
    const sum = positions.reduce((total, swaps) => {
      const proof = new PositionProof()
      for (const swap of swaps.toSorted(compareSwaps)) proof.take(swap)
      return total + proof.state.realizedStrict
    }, 0n)
    return { user, sum }
  })
  return realized
    .sort((a, b) => Number(b.sum - a.sum))
    .slice(0, count)
    .map(({ user }) => user)
}
