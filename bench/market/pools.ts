/** Pools of a market's swaps. */
import type { Event } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'

type Pool = Pick<Swap, 'tokenAddress' | 'pairAddress' | 'dex' | 'quoteDecimals'>

/** The pools of each mint, the mint with the most pools first. */
export function poolsByMint(events: readonly Event[]): Pool[][] {
  const pools = new Map<string, Pool>()
  for (const event of events) {
    if (event.kind !== 'swap') continue
    const { tokenAddress, pairAddress, dex, quoteDecimals } = event.swap
    pools.set(pairAddress, { tokenAddress, pairAddress, dex, quoteDecimals })
  }
  const byMint = Map.groupBy(pools.values(), ({ tokenAddress }) => tokenAddress)
  return [...byMint.values()].sort((a, b) => b.length - a.length)
}
