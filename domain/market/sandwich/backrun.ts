/**
 * Back-runs: a transaction of one wallet that buys and sells one mint in two or more pools with a profit, one leg of which directly
 * follows another wallet's swap of the opposite side in its pool and slot. They take nothing from that swap.
 *
 * Rules: docs/semantics.md#sandwiches.
 */
import { isSameSwap, type Swap } from '../../events/swap.ts'
import type { OrderedSlot } from '../order.ts'
import { matchedProfit } from './profit.ts'

/** `after`: the swap that the leg follows. Lamports. */
export type BackRun = { readonly leg: Swap; readonly after: Swap; readonly profit: bigint }

/** `transaction`: its swaps of any wallet; `slotOf`: the slot of its pool in execution order, undefined where unknown. */
export function backRunsOf(
  transaction: readonly Swap[],
  slotOf: (swap: Swap) => OrderedSlot | undefined,
): BackRun[] {
  const found: BackRun[] = []
  const byTrader = Map.groupBy(transaction, ({ user, tokenAddress }) => `${user} ${tokenAddress}`)
  for (const own of byTrader.values()) {
    if (new Set(own.map(({ pairAddress }) => pairAddress)).size < 2) continue
    const bought = own.filter(({ isBuy }) => isBuy)
    const sold = own.filter(({ isBuy }) => !isBuy)
    const profit = matchedProfit(bought, sold)
    if (profit === undefined || profit <= 0n) continue
    for (const leg of own) {
      const after = followed(leg, slotOf(leg))
      if (after !== undefined) found.push({ leg, after, profit })
    }
  }
  return found
}

function followed(leg: Swap, slot: OrderedSlot | undefined): Swap | undefined {
  if (slot === undefined || !slot.isOrdered) return undefined
  const at = slot.swaps.findIndex((swap) => isSameSwap(swap, leg))
  const before = slot.swaps[at - 1]
  return before === undefined || before.isBuy === leg.isBuy || before.user === leg.user
    ? undefined
    : before
}
