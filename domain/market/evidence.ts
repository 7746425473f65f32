/**
 * Bounds of a trade by what the pool gave just afterwards, for pools whose formula is not known.
 *
 * While liquidity does not change, the output of a pool is concave in its input. The swaps that follow a state on one side are
 * points of that function: a chord between two of them lies below it, and its continuation above. They show the depth that
 * existed, and no decision depends on them. Rules: docs/semantics.md#pricing-a-trade.
 */
import { LAMPORTS_PER_SOL } from '../amount.ts'
import type { PoolEvent } from '../events/pool-event.ts'
import { compareChainPositions, type Swap } from '../events/swap.ts'
import { ceilDivide } from '../numbers/ceil-divide.ts'
import { exactRatio, type Ratio } from '../numbers/exact-ratio.ts'
import type { OrderedSlot } from './order.ts'

/** Input and output of the pool so far. */
type Point = { readonly input: bigint; readonly output: bigint }

export type Bounds = { readonly low: bigint; readonly high: bigint }
/** `no_depth`: less was traded; `no_marginal_price`: no price at the state; `inconsistent`: the fee changed. */
export type NoBounds = 'no_depth' | 'no_marginal_price' | 'inconsistent'

/** Swaps of evidence, and slots after the state's from which they come. */
export const EVIDENCE_SWAPS_MAX = 64
export const EVIDENCE_SLOTS_MAX = 64

/**
 * The swaps that directly follow the state on one side: until the other side trades, the liquidity changes, the order is unknown
 * or a maximum is reached. `following`: the pool after the state, in execution order.
 */
export function evidenceRun(
  state: Swap,
  following: readonly OrderedSlot[],
  { isBuy, liquidity }: { isBuy: boolean; liquidity: readonly PoolEvent[] },
): Swap[] {
  const [change] = liquidity
    .filter((event) => compareChainPositions(event, state) >= 0)
    .toSorted(compareChainPositions)
  const run: Swap[] = []
  for (const { slot, swaps, isOrdered } of following) {
    if (!isOrdered || slot > state.slot + EVIDENCE_SLOTS_MAX) return run
    for (const swap of swaps) {
      const isChanged = change !== undefined && compareChainPositions(swap, change) >= 0
      if (isChanged || swap.isBuy !== isBuy || run.length === EVIDENCE_SWAPS_MAX) return run
      run.push(swap)
    }
  }
  return run
}

/** Cumulative legs of the run, from nothing on. A swap without an input is no point. */
export function pointsOf(run: readonly Swap[]): Point[] {
  const points: Point[] = [{ input: 0n, output: 0n }]
  let [input, output] = [0n, 0n]
  for (const swap of run) {
    const { input: paid, output: got } = legsOf(swap)
    if (paid === 0n) continue
    input += paid
    output += got
    points.push({ input, output })
  }
  return points
}

/** Output for an input of more than 0. `marginal`: output for one unit of input at the state, undefined where unknown. */
export function boundsOf(
  points: readonly Point[],
  input: bigint,
  marginal: Ratio | undefined,
): Bounds | NoBounds {
  const next = points.findIndex((point) => point.input > input)
  const from = points.at(next < 0 ? -1 : next - 1)
  if (from?.input === input) return { low: from.output, high: from.output }
  const to = points[next]
  if (from === undefined || to === undefined) return 'no_depth'
  const beyond = input - from.input
  const low = from.output + ((to.output - from.output) * beyond) / (to.input - from.input)
  const before = points[next - 2]
  const slope: Ratio | undefined =
    before === undefined
      ? marginal
      : { numerator: from.output - before.output, denominator: from.input - before.input }
  if (slope === undefined) return 'no_marginal_price'
  const high = from.output + ceilDivide(slope.numerator * beyond, slope.denominator)
  return low > high ? 'inconsistent' : { low, high }
}

/**
 * Output for one unit of input in the state after a swap, without impact and fee: by the price that the venue published, else by
 * the swap itself if it is of the same side.
 */
export function marginalOutput(state: Swap, isBuy: boolean): Ratio | undefined {
  const price = marginalPrice(state)
  if (price !== undefined) {
    return isBuy ? { numerator: price.denominator, denominator: price.numerator } : price
  }
  if (state.isBuy !== isBuy) return undefined
  const { input, output } = legsOf(state)
  return input > 0n ? { numerator: output, denominator: input } : undefined
}

/** The published price after a swap, in lamports per base unit; undefined where it published none. */
export function marginalPrice({ priceAfter, quoteDecimals }: Swap): Ratio | undefined {
  return lamportsPerUnit(priceAfter, quoteDecimals)
}

/** SOL per whole token as lamports per base unit; undefined where there is no price. */
export function lamportsPerUnit(
  price: number | undefined,
  quoteDecimals: number,
): Ratio | undefined {
  if (price === undefined || !Number.isFinite(price) || price <= 0) return undefined
  const { numerator, denominator } = exactRatio(price)
  const unitsOfToken = 10n ** BigInt(quoteDecimals)
  return {
    numerator: numerator * BigInt(LAMPORTS_PER_SOL),
    denominator: denominator * unitsOfToken,
  }
}

function legsOf({ isBuy, solAmount, tokenAmount }: Swap): Point {
  const [sol, tokens] = [BigInt(solAmount), BigInt(tokenAmount)]
  return isBuy ? { input: sol, output: tokens } : { input: tokens, output: sol }
}
