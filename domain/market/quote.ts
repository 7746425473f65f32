/**
 * Outcome of a trade in a pool after its newest swap: exactly where the venue's formula reproduces that swap, else within
 * bounds by the swaps that followed, else not at all, with the reason.
 *
 * Rules: docs/semantics.md#pricing-a-trade.
 */

import { changesLiquidity, type PoolEvent } from '../events/pool-event.ts'
import { compareChainPositions, type Swap } from '../events/swap.ts'
import { ceilDivide } from '../numbers/ceil-divide.ts'
import type { Ratio } from '../numbers/exact-ratio.ts'
import { unreportedLamports, venueOf } from '../venue.ts'
import type { Curve, Legs } from './curve.ts'
import {
  type Bounds,
  boundsOf,
  evidenceRun,
  marginalOutput,
  marginalPrice,
  type NoBounds,
  pointsOf,
} from './evidence.ts'
import type { OrderedSlot } from './order.ts'
import { greatestLeg, netOf, type OutsideRates, outsideFees, outsideRates } from './outside-fees.ts'
import { type Held, heldAfter, pricedBy } from './reproduced.ts'

/** A pool as its stored events show it at the end of a slot, and afterwards. */
export type QuotedPool = {
  /** The slots up to this one in execution order; the last holds the state. */
  readonly slots: readonly OrderedSlot[]
  /** Later slots, for evidence. */
  readonly following: readonly OrderedSlot[]
  /** Pool events from the state's slot on. */
  readonly events: readonly PoolEvent[]
  /** The end of the slot for which the trade is quoted. */
  readonly slot: number
  /** Index of the last transaction of this slot before the trade; absent: the trade follows all of them. */
  readonly lastTxIndex?: number | undefined
  /** Unix ms of its migration from a curve. */
  readonly migratedAtMs: number | undefined
  /** A curve whose liquidity has moved to another pool. */
  readonly isClosed: boolean
  /** Slots of its venue between the state and `slot` were not read. */
  readonly hasGap: boolean
}

/** A buy for all of `lamports`, outside fees included, or a sell of `tokens`. */
export type Trade =
  | { readonly isBuy: true; readonly lamports: bigint }
  | { readonly isBuy: false; readonly tokens: bigint }

/** Basis points. `assumedFeeBps`: outside fees where the venue's are not stated; `extraFeeBps`: a further fee on every venue. */
export type Assumptions = { readonly assumedFeeBps: bigint; readonly extraFeeBps?: bigint }

export const QUOTE_BASES = ['exact', 'bounded', 'none'] as const
export const NO_QUOTE_REASONS = [
  'no_swap',
  'pool_closed',
  'coverage',
  'order_unknown',
  'liquidity',
  'no_depth',
  'no_marginal_price',
  'inconsistent',
] as const
type NoQuoteReason = (typeof NO_QUOTE_REASONS)[number]

/** Legs and what is outside them; every range is low to high, equal where exact. */
export type Priced = {
  readonly basis: 'exact' | 'bounded'
  readonly state: Swap
  /** The reserves that priced it; undefined where bounded. */
  readonly held: Held | undefined
  readonly unreported: bigint
  readonly sol: Bounds
  readonly tokens: Bounds
  /** The pool's fee within the legs; undefined where bounded. */
  readonly poolFee: Legs | undefined
  readonly outside: Bounds
  readonly outsideSource: OutsideRates['source']
  /** The leg with the outside fees: paid for a buy, received for a sell. */
  readonly total: Bounds
  /** Basis points against the trader, rounded up; undefined without a price at the state. */
  readonly impactBps: Bounds | undefined
  /** Number of swaps that the bounds follow from; 0 where exact. */
  readonly evidence: number
}
export type NotPriced = {
  readonly basis: 'none'
  readonly reason: NoQuoteReason
  readonly state: Swap | undefined
}

export function quote(pool: QuotedPool, trade: Trade, assumed: Assumptions): Priced | NotPriced {
  const last = pool.slots.at(-1)
  const state = last?.swaps.at(-1)
  if (last === undefined || state === undefined) return none('no_swap')
  if (pool.isClosed) return none('pool_closed', state)
  if (pool.hasGap) return none('coverage', state)
  if (!last.isOrdered) return none('order_unknown')
  const liquidity = pool.events.filter(changesLiquidity)
  const unreported = BigInt(
    unreportedLamports(state.dex, pool.migratedAtMs, state.virtualQuoteReserves),
  )
  const { assumedFeeBps, extraFeeBps = 0n } = assumed
  const own = outsideRates(state, assumedFeeBps)
  const rates = { ...own, ofLeg: [...own.ofLeg, extraFeeBps] }
  const input = trade.isBuy ? greatestLeg(trade.lamports, rates) : trade.tokens
  const quoted = { state, input, isBuy: trade.isBuy, unreported }
  const changes = liquidity.filter(
    (event) => precedesTrade(event, pool) && compareChainPositions(event, state) >= 0,
  )
  const priced =
    byFormula(quoted, changes) ?? byEvidence(quoted, changes, pool.following, liquidity)
  if (typeof priced === 'string') return none(priced, state)
  return withOutside(quoted, priced, rates)
}

const precedesTrade = (
  event: PoolEvent,
  { slot, lastTxIndex = Number.POSITIVE_INFINITY }: QuotedPool,
): boolean => event.slot < slot || (event.slot === slot && event.blockTxIndex <= lastTxIndex)

type Quoted = {
  readonly state: Swap
  readonly isBuy: boolean
  readonly input: bigint
  readonly unreported: bigint
}
type Outcome = Pick<Priced, 'basis' | 'held' | 'sol' | 'tokens' | 'poolFee' | 'evidence'> & {
  /** Lamports per base unit before the trade. */
  price: Ratio | undefined
}

/** Undefined where no formula prices the state. */
function byFormula(
  { state, isBuy, input, unreported }: Quoted,
  changes: readonly PoolEvent[],
): Outcome | 'liquidity' | undefined {
  const formula = pricedBy(state, unreported)
  if (formula === undefined) return undefined
  const held = changedBy(state, changes)
  if (held === undefined) return 'liquidity'
  const curve: Curve = formula.curveAt(held)
  const legs = isBuy ? curve.buy(input) : { sol: curve.proceeds(input), tokens: input }
  return {
    basis: 'exact',
    held,
    sol: only(legs.sol),
    tokens: only(legs.tokens),
    poolFee: curve.fee(isBuy, legs),
    evidence: 0,
    price: { numerator: held.price.sol + unreported, denominator: held.price.tokens },
  }
}

/**
 * The reserves after the state's swap and these changes of liquidity; undefined where one of them lacks an amount, may precede the
 * swap, or is of a curve, which has no liquidity providers.
 */
function changedBy(state: Swap, changes: readonly PoolEvent[]): Held | undefined {
  const held = heldAfter(state)
  if (changes.length === 0) return held
  if (venueOf(state.dex).kind === 'bonding_curve') return undefined
  let { sol, tokens } = held.price
  for (const change of changes) {
    const { solAmount, tokenAmount, event } = change
    if (solAmount === undefined || tokenAmount === undefined) return undefined
    if (compareChainPositions(change, state) === 0) return undefined
    const sign = event === 'liquidity_added' ? 1n : -1n
    sol += sign * BigInt(solAmount)
    tokens += sign * BigInt(tokenAmount)
  }
  const reserves = { sol, tokens }
  return sol > 0n && tokens > 0n ? { price: reserves, real: reserves } : undefined
}

function byEvidence(
  { state, isBuy, input }: Quoted,
  changes: readonly PoolEvent[],
  following: readonly OrderedSlot[],
  liquidity: readonly PoolEvent[],
): Outcome | NoBounds | 'liquidity' {
  if (changes.length > 0) return 'liquidity'
  const run = evidenceRun(state, following, { isBuy, liquidity })
  const bounds = boundsOf(pointsOf(run), input, marginalOutput(state, isBuy))
  if (typeof bounds === 'string') return bounds
  const [sol, tokens] = isBuy ? [only(input), bounds] : [bounds, only(input)]
  const price = marginalPrice(state)
  const unknown = { held: undefined, poolFee: undefined }
  return { basis: 'bounded', ...unknown, sol, tokens, evidence: run.length, price }
}

function withOutside(
  { state, isBuy, unreported }: Quoted,
  { price, ...outcome }: Outcome,
  rates: OutsideRates,
): Priced {
  const { sol, poolFee } = outcome
  const sign = isBuy ? 1n : -1n
  const exactNet = poolFee && sol.low - sign * poolFee.sol
  const outside = {
    low: outsideFees(sol.low, exactNet ?? netOf(isBuy, sol.low, rates).low, rates),
    high: outsideFees(sol.high, exactNet ?? netOf(isBuy, sol.high, rates).high, rates),
  }
  const total = { low: sol.low + sign * outside.low, high: sol.high + sign * outside.high }
  const impactBps = price && impactOf(isBuy, outcome, price)
  const { source: outsideSource } = rates
  return { ...outcome, state, unreported, outside, outsideSource, total, impactBps }
}

/** How much worse the price of the legs is than that before the trade. */
function impactOf(
  isBuy: boolean,
  { sol, tokens }: Pick<Priced, 'sol' | 'tokens'>,
  price: Ratio,
): Bounds | undefined {
  if (tokens.low === 0n || price.numerator === 0n || price.denominator === 0n) return undefined
  const bps = (lamports: bigint, units: bigint): bigint => {
    const executed = lamports * price.denominator
    const reference = units * price.numerator
    const worse = isBuy ? executed - reference : reference - executed
    return ceilDivide(worse * 10_000n, reference)
  }
  return isBuy
    ? { low: bps(sol.low, tokens.high), high: bps(sol.high, tokens.low) }
    : { low: bps(sol.high, tokens.low), high: bps(sol.low, tokens.high) }
}

const only = (exact: bigint): Bounds => ({ low: exact, high: exact })

const none = (reason: NoQuoteReason, state?: Swap): NotPriced => ({ basis: 'none', reason, state })
