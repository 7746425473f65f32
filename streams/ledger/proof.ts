/**
 * The proof behind a position's figures: for each sell the buys that it matched, so that a person can
 * recompute every lamport. Pure.
 *
 * Law: it is the ledger's own fold that is told here, not a second one: what a proof adds up to is what
 * the position says.
 */
import type { Swap } from '../swap.ts'
import type { LotSlice } from './lots.ts'
import { applyToPosition, emptyPosition, type PositionState, soldQuantity } from './position.ts'

/** What a sell took of one buy: `cost` is all of the lot's remaining cost, or the floor of its share. */
export type MatchedBuy = {
  signature: string
  timestamp: number
  quantity: bigint
  costLamports: bigint
}

export type SellProof = {
  signature: string
  timestamp: number
  /** What left the wallet, and the part of it that the balance covered. */
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
  /** What the average gave up; adjusted realized is the covered proceeds less this. */
  averageCostLamports: bigint
  realizedAdjusted: bigint
}

/** Each sell of a position's whole history in canonical order. Throws when it is not in that order. */
export function proveSells(swaps: readonly Swap[]): SellProof[] {
  const state = emptyPosition()
  /** The buy of each lot, by the lot's ordinal. */
  const buys: Swap[] = []
  const proofs: SellProof[] = []
  for (const swap of swaps) {
    if (swap.isBuy) {
      applyToPosition(state, swap)
      if (state.lots.next > buys.length) buys.push(swap)
    } else proofs.push(proveSell(state, swap, buys))
    // A proof has use for its sells alone.
    state.hours.clear()
  }
  return proofs
}

function proveSell(state: PositionState, swap: Swap, buys: readonly Swap[]): SellProof {
  const before = {
    balance: state.balance,
    basis: state.basis,
    strict: state.realizedStrict,
    adjusted: state.realizedAdjusted,
    uncovered: state.uncoveredLamports,
  }
  const slices: LotSlice[] = []
  applyToPosition(state, swap, slices)
  const proceeds = BigInt(swap.solAmount)
  const covered = before.balance - state.balance
  const coveredProceeds = proceeds - (state.uncoveredLamports - before.uncovered)
  return {
    signature: swap.signature,
    timestamp: swap.timestamp,
    quantity: soldQuantity(swap),
    coveredQuantity: covered,
    proceedsLamports: proceeds,
    coveredProceedsLamports: coveredProceeds,
    matches: slices.map((slice) => matchedBuy(slice, buys[slice.ordinal]!)),
    realizedStrict: state.realizedStrict - before.strict,
    balanceBefore: before.balance,
    basisBefore: before.basis,
    averageCostLamports: before.basis - state.basis,
    realizedAdjusted: state.realizedAdjusted - before.adjusted,
  }
}

function matchedBuy({ quantity, cost }: LotSlice, buy: Swap): MatchedBuy {
  return { signature: buy.signature, timestamp: buy.timestamp, quantity, costLamports: cost }
}
