/**
 * Orders of leaders: their swaps of one transaction, mint and side, in canonical order of the first, then by mint. A transaction in
 * which a leader traded both sides of a mint is one order, which is not copied.
 *
 * Rules: docs/semantics.md#copying-wallets.
 */
import { compareSwaps, type Swap } from '../../events/swap.ts'
import { walletTokens } from '../wallet-legs.ts'

export type Order = {
  readonly leader: string
  readonly mint: string
  readonly isBuy: boolean
  /** In canonical order. */
  readonly swaps: readonly Swap[]
  /** The swap with the largest SOL leg, the first of equals: the copy trades in its pool. */
  readonly main: Swap
  readonly lamports: bigint
  /** Tokens that arrived at the leader or left it. */
  readonly tokens: bigint
  /** Balance of the mint before the order, from the whole history of the leader. */
  readonly balance: bigint
  /** The leader bought and sold the mint in this transaction, which is one order then. */
  readonly isAtomic: boolean
}

/** Orders from one slot to another. `history`: every swap of the leaders up to the last slot, in any order. */
export function ordersOf(history: readonly Swap[], fromSlot: number, toSlot: number): Order[] {
  const orders: Order[] = []
  const own = history.filter(({ slot }) => slot <= toSlot).toSorted(compareSwaps)
  for (const swaps of Map.groupBy(
    own,
    ({ user, tokenAddress }) => `${user} ${tokenAddress}`,
  ).values()) {
    let balance = 0n
    for (const transaction of Map.groupBy(swaps, ({ signature }) => signature).values()) {
      const sides = [...Map.groupBy(transaction, ({ isBuy }) => isBuy).values()]
      const isAtomic = sides.length > 1
      for (const side of isAtomic ? [transaction] : sides) {
        orders.push(orderOf(side, { balance, isAtomic }))
      }
      for (const swap of transaction) balance = balanceAfter(balance, swap)
    }
  }
  return orders
    .filter(({ main }) => main.slot >= fromSlot)
    .sort((a, b) => compareFirst(a, b) || (a.mint < b.mint ? -1 : 1))
}

function orderOf(swaps: readonly Swap[], of: Pick<Order, 'balance' | 'isAtomic'>): Order {
  const [first] = swaps
  if (first === undefined) throw new RangeError('expected a swap of the order')
  const main = swaps.reduce((most, swap) => (swap.solAmount > most.solAmount ? swap : most), first)
  return {
    ...of,
    ...{ leader: first.user, mint: first.tokenAddress, isBuy: first.isBuy, swaps, main },
    lamports: swaps.reduce((sum, swap) => sum + BigInt(swap.solAmount), 0n),
    tokens: swaps.reduce((sum, swap) => sum + walletTokens(swap), 0n),
  }
}

/** The rule of the ledger: tokens sold beyond the balance had no indexed buy. */
function balanceAfter(balance: bigint, swap: Swap): bigint {
  const moved = walletTokens(swap)
  if (swap.isBuy) return balance + (moved > 0n ? moved : 0n)
  return moved < balance ? balance - moved : 0n
}

function compareFirst(a: Order, b: Order): number {
  const [first, other] = [a.swaps[0], b.swaps[0]]
  return first === undefined || other === undefined ? 0 : compareSwaps(first, other)
}
