/**
 * Quantity and cost of a wallet's holding in a mint. Pure.
 *
 * Cost is known only for the ledger's lots. A wallet that holds less than its lots (tokens left by a transfer) has
 * that share of their cost, rounded down; one that holds more has their whole cost, because the rest came from
 * outside: cost is scaled down, never up.
 */

/** Tokens that buys of ours brought and sells left over, and what they cost in lamports, FIFO. */
export type HeldLots = { balance: bigint; cost: bigint }

export type Holding = {
  mint: string
  /** Base units. */
  quantity: bigint
  decimals: number
  lots: HeldLots
  /** SOL a whole token, null without one. */
  price: number | null
  priceIsStale: boolean
}

/** Lamports; null where no lot is left. */
export function costOfHeld(quantity: bigint, { balance, cost }: HeldLots): bigint | null {
  if (balance === 0n) return null
  return quantity >= balance ? cost : (cost * quantity) / balance
}
