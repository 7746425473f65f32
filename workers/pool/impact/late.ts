/**
 * Effects of late arrivals on venues that are measured by the price before a trade. Pure.
 *
 * A late swap is measured by the price that the swap before it left, and its own price becomes the reference of the
 * swap after it; after a late change of liquidity the next swap has no reference. No other swap changes.
 *
 *   stored:   A ----------- B ------ C            the late swap S is measured by A's price after,
 *   late:          S              E               B again by S's; C loses its reference to E
 */
import type { Int64 } from '../../../domain/amount.ts'
import {
  type ChainPosition,
  compareSwaps,
  liesBetween,
  type Swap,
} from '../../../domain/events/swap.ts'
import type { AcceptedSwap, PoolState } from '../pool-state.ts'
import { impactContext, needsPredecessor, priceImpactBps } from './impact.ts'

/** A stored swap near a late arrival, and whether it is before it, after it, or in the same position. */
export type StoredNeighbour = {
  swap: Swap
  priceImpactBps: Int64 | null
  side: 'below' | 'same' | 'above'
}

export type LateArrivals = {
  state: PoolState
  /** New swaps older than the pool's newest; their impact is set here. */
  swaps: AcceptedSwap[]
  /** Chain positions of new changes of liquidity at or before the newest swap. */
  liquidity: ChainPosition[]
  neighbours: readonly StoredNeighbour[]
}

export type LateProbe = { state: PoolState; chainPosition: ChainPosition }

/** Two adjacent swaps; the caller queries whether liquidity changed between them. */
export type AdjacentPair = {
  state: PoolState
  /** Chain positions of this batch's changes of liquidity: they are not stored yet. */
  liquidity: readonly ChainPosition[]
  before: Swap
  after: Swap
  stored: StoredNeighbour | undefined
  accepted: AcceptedSwap | undefined
}

export type ImpactUpdate = { state: PoolState; swap: Swap; priceImpactBps: Int64 | null }

type OrderedSwap = { swap: Swap; stored?: StoredNeighbour; accepted?: AcceptedSwap }

/** The chain positions whose stored neighbours are to be loaded. */
export function probesOf({ state, swaps, liquidity }: LateArrivals): LateProbe[] {
  return [...swaps.map(({ swap }) => swap), ...liquidity].map((chainPosition) => ({
    state,
    chainPosition,
  }))
}

/**
 * The pairs to be settled: every late swap, and every stored swap at or just after a late position, each with the swap
 * before it. They include every swap that can lie between a late position and its neighbours.
 */
export function adjacentPairs(late: LateArrivals): AdjacentPair[] {
  const line = lineUp(late)
  const pairs: AdjacentPair[] = []
  for (let index = 1; index < line.length; index++) {
    const before = line[index - 1]!
    const after = line[index]!
    if (after.stored?.side === 'below' || !needsPredecessor(after.swap)) continue
    pairs.push({
      state: late.state,
      liquidity: late.liquidity,
      before: before.swap,
      after: after.swap,
      stored: after.stored,
      accepted: after.accepted,
    })
  }
  return pairs
}

/**
 * Late swaps and their stored neighbours in order. Each neighbour appears once, as `below` only if it is that to all
 * late positions.
 */
function lineUp(late: LateArrivals): OrderedSwap[] {
  const line: OrderedSwap[] = late.swaps.map((accepted) => ({ swap: accepted.swap, accepted }))
  const sorted = [...late.neighbours].sort(
    (a, b) =>
      compareSwaps(a.swap, b.swap) || Number(a.side === 'below') - Number(b.side === 'below'),
  )
  let previous: Swap | undefined
  for (const stored of sorted) {
    if (previous !== undefined && compareSwaps(previous, stored.swap) === 0) continue
    previous = stored.swap
    line.push({ swap: stored.swap, stored })
  }
  return line.sort((a, b) => compareSwaps(a.swap, b.swap))
}

/**
 * Settles a pair; `isDisturbed`: a stored change of liquidity lies between. Sets the impact of a new
 * swap; answers with the update that a stored one needs, if its impact is another than before.
 */
export function settlePair(pair: AdjacentPair, isDisturbed: boolean): ImpactUpdate | undefined {
  const { before, after } = pair
  const isReferenceLost =
    isDisturbed || pair.liquidity.some((chainPosition) => liesBetween(chainPosition, before, after))
  const priceBefore = isReferenceLost ? undefined : before.priceAfter
  const impact = priceImpactBps(pair.after, impactContext(pair.state, priceBefore))
  if (pair.accepted !== undefined) {
    pair.accepted.priceImpactBps = impact
    return undefined
  }
  if (pair.stored?.priceImpactBps === impact) return undefined
  return { state: pair.state, swap: pair.after, priceImpactBps: impact }
}
