/**
 * Price impact of a swap relative to its pool (docs/semantics.md#price-impact): pure.
 *
 * Law: where the venue publishes integers (reserves or a curve) the result is exact; doubles take part
 * only where a published price does. Positive means that the price moved against the trader.
 */
import { executedPrice, type Int64, int64Saturated } from '../../../domain/amount.ts'
import { isDust, type Swap } from '../../../domain/events/swap.ts'
import { sumOf, withoutLegs } from '../../../domain/market/reserves.ts'
import { AGENT_TRADE, unreportedLamports, type Venue, venueOf } from '../../../domain/venue.ts'
import type { PoolState } from '../pool-state.ts'

/** Context that a price impact needs in addition to the swap itself. */
export type ImpactContext = {
  /** Unix ms of the pool's migration from a bonding curve; undefined: it did not migrate. */
  migratedAtMs: number | undefined
  /** SOL per whole token just before the trade, where the venue is measured by it. */
  priceBefore: number | undefined
}

export function impactContext(state: PoolState, priceBefore: number | undefined): ImpactContext {
  return { migratedAtMs: state.migration?.timestamp, priceBefore }
}

/** Whether swaps of a venue are measured by the price before them. */
export function isMeasuredByPriceBefore(dex: number): boolean {
  return venueOf(dex).impactReference === 'price_before'
}

/** Whether the impact of a swap depends on the swap before it. */
export function needsPredecessor(swap: Swap): boolean {
  return isMeasuredByPriceBefore(swap.dex) && swap.priceBefore === undefined
}

const BPS = 10_000n
/** An impact that would round to 0 is stored as 1, or as -1 if it is below minus this. */
const NEAR_ZERO_BPS = 1e-7
const NEAR_ZERO_SCALE = 10_000_000n

/** Impact in basis points, or null where the venue or the trade has none by the rules. */
export function priceImpactBps(swap: Swap, context: ImpactContext): Int64 | null {
  const venue = venueOf(swap.dex)
  if (venue.impactReference === 'none') return null
  if (swap.agentTrade === AGENT_TRADE || isUnmarkedAgentTrade(swap, venue)) return null
  if (isDust(swap)) return null
  if (venue.impactFromMs !== undefined && swap.timestamp < venue.impactFromMs) return null
  switch (venue.impactReference) {
    case 'curve_after':
      return integerImpact(swap, swap.virtualSolReserves, swap.virtualTokenReserves, venue)
    case 'reserves_before': {
      const { sol, token } = reservesBefore(swap, context.migratedAtMs)
      return integerImpact(swap, sol, token, venue)
    }
    case 'price_before':
      return publishedImpact(swap, context.priceBefore)
    default:
      return venue.impactReference satisfies never
  }
}

/** A trade of the venue's agent program before the program marked its trades: it has no fee of any kind. */
function isUnmarkedAgentTrade(swap: Swap, { agentMarksFromMs }: Venue): boolean {
  return (
    agentMarksFromMs !== undefined &&
    swap.timestamp < agentMarksFromMs &&
    swap.fee === 0 &&
    swap.feeBps === 0 &&
    swap.creatorFee === 0 &&
    swap.creatorFeeBps === 0
  )
}

/** Real reserves with the legs undone, and the SOL that the venue does not report. */
function reservesBefore(swap: Swap, migratedAtMs: number | undefined) {
  const missing = unreportedLamports(swap.dex, migratedAtMs, swap.virtualQuoteReserves)
  const { sol, tokens } = withoutLegs(swap, swap.realSolReserves, swap.realTokenReserves)
  return { sol: sumOf(sol, missing), token: tokens }
}

/**
 * By doubles where they determine the rounded result, else by integers. Of four safe integers the quotient of the two
 * products is within 4 ulp, so basis points below 10^9 are within 10^-6.
 */
function integerImpact(swap: Swap, refSol: Int64, refToken: Int64, venue: Venue): Int64 | null {
  const { solAmount, tokenAmount } = swap
  if (
    typeof solAmount === 'number' &&
    typeof tokenAmount === 'number' &&
    typeof refSol === 'number' &&
    typeof refToken === 'number' &&
    refSol > 0 &&
    refToken > 0
  ) {
    const ratio = (solAmount * refToken) / (tokenAmount * refSol)
    const bps = (swap.isBuy ? ratio - 1 : 1 - ratio) * 10_000
    const rounded = venue.impactRounding === 'truncate' ? Math.trunc(bps) : Math.round(bps)
    // Truncated results change at integers, rounded ones half-way between them.
    const edge = venue.impactRounding === 'truncate' ? Math.round(bps) : Math.floor(bps) + 0.5
    if (rounded !== 0 && Math.abs(bps) < 1e9 && Math.abs(bps - edge) > 1e-5) return rounded
  }
  return exactImpact(swap, BigInt(refSol), BigInt(refToken), venue)
}

/**
 * side * (executed / reference - 1) * 10,000 with executed = sol / token and reference = refSol /
 * refToken: the fraction side * (sol * refToken - token * refSol) * 10,000 / (token * refSol).
 */
function exactImpact(swap: Swap, refSol: bigint, refToken: bigint, venue: Venue): Int64 | null {
  if (refSol <= 0n || refToken <= 0n) return null
  const bySol = BigInt(swap.solAmount) * refToken
  const byToken = BigInt(swap.tokenAmount) * refSol
  const numerator = (swap.isBuy ? bySol - byToken : byToken - bySol) * BPS
  if (venue.impactRounding === 'truncate') return int64Saturated(numerator / byToken)
  const magnitude = numerator < 0n ? -numerator : numerator
  const rounded = (2n * magnitude + byToken) / (2n * byToken)
  if (rounded !== 0n) return int64Saturated(numerator < 0n ? -rounded : rounded)
  return numerator < 0n && magnitude * NEAR_ZERO_SCALE > byToken ? -1 : 1
}

/** Against a published price: doubles, rounded half away from zero, never 0. */
function publishedImpact(swap: Swap, priceBefore: number | undefined): Int64 | null {
  if (priceBefore === undefined || !Number.isFinite(priceBefore) || priceBefore <= 0) return null
  const executed = executedPrice(swap.solAmount, swap.tokenAmount, swap.quoteDecimals)
  const impact = (swap.isBuy ? 1 : -1) * (executed / priceBefore - 1) * 10_000
  if (!Number.isFinite(impact)) return null
  const rounded = Math.sign(impact) * Math.round(Math.abs(impact))
  if (rounded !== 0) return int64Saturated(BigInt(rounded))
  return impact < -NEAR_ZERO_BPS ? -1 : 1
}
