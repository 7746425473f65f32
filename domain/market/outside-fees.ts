/**
 * Fees that a trader pays in SOL outside the legs, each rounded up by itself. Rebates (`cashback`) are not credited.
 *
 * Fees are taken of the SOL leg, or of the leg without the pool's fee (`net`), as where a source states the rates of protocol and
 * creator. They are then the fees that the venue charges, to the lamport.
 *
 * Decision: docs/decisions/0127-rates-outside-the-legs-are-stored.md
 */

import type { Swap } from '../events/swap.ts'
import { ceilDivide } from '../numbers/ceil-divide.ts'
import { venueOf } from '../venue.ts'
import type { Bounds } from './evidence.ts'

/** Sources of the rates. `none`: the venue takes no fee outside the legs; `assumed`: its swap states none, and the request assumes them. */
export const OUTSIDE_FEE_SOURCES = ['none', 'stated', 'assumed'] as const

/** Basis points of each fee, and of the pool's fee, which is within the leg. */
type Rates = {
  readonly ofLeg: readonly bigint[]
  readonly ofNet: readonly bigint[]
  readonly poolFeeBps: bigint
}

export type OutsideRates = Rates & { readonly source: (typeof OUTSIDE_FEE_SOURCES)[number] }

const BPS = 10_000n
const NONE: OutsideRates = { source: 'none', ofLeg: [], ofNet: [], poolFeeBps: 0n }
const STATED = { ...NONE, source: 'stated' } as const

/** The fees of a trade in the state after this swap; `assumedBps` where no source stated those of its venue. */
export function outsideRates(swap: Swap, assumedBps: bigint): OutsideRates {
  const { outsideProtocolBps, outsideCreatorBps } = swap
  switch (venueOf(swap.dex).outsideFees) {
    case 'stated':
      return { ...STATED, ofLeg: [BigInt(swap.feeBps), BigInt(swap.creatorFeeBps)] }
    case 'assumed':
      if (outsideProtocolBps === undefined || outsideCreatorBps === undefined)
        return { ...NONE, source: 'assumed', ofLeg: [assumedBps] }
      return {
        ...STATED,
        ofNet: [BigInt(outsideProtocolBps), BigInt(outsideCreatorBps)],
        poolFeeBps: BigInt(swap.feeBps),
      }
    default:
      return NONE
  }
}

export function outsideFees(leg: bigint, net: bigint, { ofLeg, ofNet }: Rates): bigint {
  const charge = (from: bigint, rates: readonly bigint[]): bigint =>
    rates.reduce((sum, bps) => sum + ceilDivide(from * bps, BPS), 0n)
  return charge(leg, ofLeg) + charge(net, ofNet)
}

/** The leg of a buy without the pool's fee: the greatest amount that makes at most this leg with it. */
const netOfBuy = (leg: bigint, poolFeeBps: bigint): bigint => (leg * BPS) / (BPS + poolFeeBps)

/** The same of any trade. Several amounts make one leg of a sell, because its fee is rounded up. */
export function netOf(isBuy: boolean, leg: bigint, { poolFeeBps }: Rates): Bounds {
  if (isBuy || poolFeeBps >= BPS) {
    const net = netOfBuy(leg, poolFeeBps)
    return { low: net, high: net }
  }
  const least = (from: bigint): bigint => ceilDivide(from * BPS, BPS - poolFeeBps)
  return { low: least(leg), high: least(leg + 1n) - 1n }
}

/** The greatest leg of a buy that is, with its fees, within the budget. */
export function greatestLeg(budget: bigint, rates: Rates): bigint {
  const { ofLeg, ofNet, poolFeeBps } = rates
  const sum = (each: readonly bigint[]): bigint => each.reduce((total, bps) => total + bps, 0n)
  // At least the leg, since a net that is rounded down by a lamport carries less than that much of each fee.
  const gross = BPS + poolFeeBps
  const most = budget + BigInt(ofNet.length)
  let leg = (most * BPS * gross) / ((BPS + sum(ofLeg)) * gross + sum(ofNet) * BPS)
  const total = (): bigint => leg + outsideFees(leg, netOfBuy(leg, poolFeeBps), rates)
  // Each fee rounds up by less than one lamport.
  while (leg > 0n && total() > budget) leg--
  return leg
}
