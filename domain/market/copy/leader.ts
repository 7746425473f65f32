/** Figures of the leaders themselves, over the orders that a back-test copies, by the rules of the ledger. */
import { compareSwaps, type Swap } from '../../events/swap.ts'
import { isArbitrageur } from '../../ledger/arbitrage.ts'
import { PositionProof } from '../../ledger/proof.ts'
import type { Order } from './order.ts'

export type LeaderFigures = {
  /** SOL legs of their sells less those of their buys. */
  readonly cashFlow: bigint
  readonly realizedStrict: bigint
  /** One of them is an arbitrageur. */
  readonly isArbitrageur: boolean
}

/** `history`: every swap of the leaders up to the last slot, in any order. */
export function leaderFigures(
  history: readonly Swap[],
  orders: readonly Order[],
  fromSlot: number,
): LeaderFigures {
  let [cashFlow, realizedStrict] = [0n, 0n]
  const positions = Map.groupBy(history, ({ user, tokenAddress }) => `${user} ${tokenAddress}`)
  for (const swaps of positions.values()) {
    const proof = new PositionProof()
    let before = 0n
    for (const swap of swaps.toSorted(compareSwaps)) {
      proof.take(swap)
      if (swap.slot < fromSlot) {
        before = proof.state.realizedStrict
        continue
      }
      const lamports = BigInt(swap.solAmount)
      cashFlow += swap.isBuy ? -lamports : lamports
    }
    realizedStrict += proof.state.realizedStrict - before
  }
  const byLeader = [...Map.groupBy(orders, ({ leader }) => leader).values()]
  return {
    cashFlow,
    realizedStrict,
    isArbitrageur: byLeader.some((own) =>
      isArbitrageur(own.filter(({ isAtomic }) => isAtomic).length, own.length),
    ),
  }
}
