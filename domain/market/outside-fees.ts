/**
 * Fees that a trader pays in SOL outside the legs, each rounded up by itself. Rebates (`cashback`) are not credited.
 */

import type { Swap } from '../events/swap.ts'
import { ceilDivide } from '../numbers/ceil-divide.ts'
import { venueOf } from '../venue.ts'

/** Basis points of each fee. */
type FeeRates = readonly bigint[]

const BPS = 10_000n

/** The fees of a trade in the state after this swap; `assumedBps` where its venue's are in no stored field. */
export function outsideRates(swap: Swap, assumedBps: bigint): FeeRates {
  switch (venueOf(swap.dex).outsideFees) {
    case 'stated':
      return [BigInt(swap.feeBps), BigInt(swap.creatorFeeBps)]
    case 'assumed':
      return [assumedBps]
    default:
      return []
  }
}

export function outsideFees(leg: bigint, rates: FeeRates): bigint {
  return rates.reduce((sum, bps) => sum + ceilDivide(leg * bps, BPS), 0n)
}

/** The greatest leg that is, with its fees, within the budget. */
export function greatestLeg(budget: bigint, rates: FeeRates): bigint {
  let leg = (budget * BPS) / (BPS + rates.reduce((sum, bps) => sum + bps, 0n))
  // Each fee rounds up by less than one lamport.
  while (leg > 0n && leg + outsideFees(leg, rates) > budget) leg--
  return leg
}
