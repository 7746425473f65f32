// The pools of a market as a copy back-test reads them, without events and gaps unless these are given.

import type { Swap } from '../../../domain/events/swap.ts'
import { type CopiedPool, poolKey } from '../../../domain/market/copy/fill.ts'
import { inExecutionOrder } from '../../../domain/market/order.ts'

export function copiedPools(
  swaps: readonly Swap[],
  changes: Partial<CopiedPool> = {},
): Map<string, CopiedPool> {
  const pools = Map.groupBy(swaps, (swap) => poolKey(swap.pairAddress, swap.tokenAddress))
  return new Map(
    [...pools].map(([key, own]): [string, CopiedPool] => {
      const slots = inExecutionOrder(own)
      const following = new Map(slots.map(({ slot }, n) => [slot, slots.slice(n + 1)]))
      const known = { events: [], migratedAtMs: undefined, closed: undefined, gaps: [] }
      return [key, { slots, following, ...known, ...changes }]
    }),
  )
}
