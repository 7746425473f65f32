/**
 * The proof of a position's figures: for each sell the buys that it matched, so that a person can recompute every
 * lamport. Pure.
 *
 * Law: it reports the ledger's fold, not a second one: a proof adds up to the position's figures. Only the open lots
 * are in memory, however long the history.
 */
import type { LotSlice } from './lots.ts'
import {
  applyToPosition,
  emptyPosition,
  type LedgerSwap,
  type PositionState,
  soldQuantity,
} from './position.ts'

/** A buy, and the remainder of its lot after sells. */
export type ProvenLot = {
  readonly buy: LedgerSwap
  /** Quantity bought, and its cost. */
  readonly boughtQuantity: bigint
  readonly boughtLamports: bigint
  quantity: bigint
  costLamports: bigint
}

/** The part of one buy that a sell consumed: `cost` is all of the lot's remaining cost, or the floor of its share. */
export type MatchedBuy = {
  signature: string
  timestamp: number
  quantity: bigint
  costLamports: bigint
  /** The lot before the sell: cost = floor(lotCostBefore * quantity / lotQuantityBefore). */
  lotQuantityBefore: bigint
  lotCostBefore: bigint
}

export type SellProof = {
  readonly sell: LedgerSwap
  /** Quantity sold, and the part of it that the balance covered. */
  quantity: bigint
  coveredQuantity: bigint
  proceedsLamports: bigint
  coveredProceedsLamports: bigint
  /** Oldest first; their quantities add up to the covered one. */
  matches: MatchedBuy[]
  realizedStrict: bigint
  /** The running average before the sell is `basisBefore / balanceBefore`, in lamports a base unit. */
  balanceBefore: bigint
  basisBefore: bigint
  /** Cost removed from the average; adjusted realized is the covered proceeds less this. */
  averageCostLamports: bigint
  realizedAdjusted: bigint
}

/** A position's fold from its first swap on, which reports the effect of each sell. */
export class PositionProof {
  readonly state: PositionState = emptyPosition()
  /** By the lot's ordinal, oldest first; used-up ones are removed. */
  readonly #lots = new Map<number, ProvenLot>()

  /** Applies the canonically next swap; returns the proof of a sell. Throws when it is not in that order. */
  take(swap: LedgerSwap): SellProof | undefined {
    const proof = swap.isBuy ? this.#takeBuy(swap) : this.#takeSell(swap)
    // A proof has use for its sells only.
    this.state.hours.clear()
    return proof
  }

  /** Oldest first. */
  openLots(): Iterable<ProvenLot> {
    return this.#lots.values()
  }

  get openLotCount(): number {
    return this.#lots.size
  }

  #takeBuy(buy: LedgerSwap): undefined {
    const { state } = this
    const ordinal = state.lots.next
    const { balance, basis } = state
    applyToPosition(state, buy)
    // A buy of no tokens has no lot.
    if (state.lots.next === ordinal) return
    const quantity = state.balance - balance
    const costLamports = state.basis - basis
    this.#lots.set(ordinal, {
      buy,
      boughtQuantity: quantity,
      boughtLamports: costLamports,
      quantity,
      costLamports,
    })
  }

  #takeSell(sell: LedgerSwap): SellProof {
    const { state } = this
    const { balance, basis, realizedStrict, realizedAdjusted, uncoveredLamports } = state
    const slices: LotSlice[] = []
    applyToPosition(state, sell, slices)
    const proceedsLamports = BigInt(sell.solAmount)
    return {
      sell,
      quantity: soldQuantity(sell),
      coveredQuantity: balance - state.balance,
      proceedsLamports,
      coveredProceedsLamports: proceedsLamports - (state.uncoveredLamports - uncoveredLamports),
      matches: slices.map((slice) => this.#match(slice)),
      realizedStrict: state.realizedStrict - realizedStrict,
      balanceBefore: balance,
      basisBefore: basis,
      averageCostLamports: basis - state.basis,
      realizedAdjusted: state.realizedAdjusted - realizedAdjusted,
    }
  }

  #match({ ordinal, quantity, cost }: LotSlice): MatchedBuy {
    const lot = this.#lots.get(ordinal)
    if (lot === undefined) throw new Error(`lot ${ordinal} was consumed and has no buy`)
    const { signature, timestamp } = lot.buy
    const { quantity: lotQuantityBefore, costLamports: lotCostBefore } = lot
    lot.quantity -= quantity
    lot.costLamports -= cost
    if (lot.quantity === 0n) this.#lots.delete(ordinal)
    return { signature, timestamp, quantity, costLamports: cost, lotQuantityBefore, lotCostBefore }
  }
}
