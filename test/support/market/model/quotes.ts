// Quotes of the second model: docs/semantics.md#pricing-a-trade.

import { changesLiquidity, type PoolEvent } from '../../../../domain/events/pool-event.ts'
import { compareChainPositions, type Swap } from '../../../../domain/events/swap.ts'
import { exactRatio } from '../../../../domain/numbers/exact-ratio.ts'
import { type Formula, formulaOf, hiddenOf, plus } from './formulas.ts'
import {
  after,
  down,
  legsOf,
  type ModelPool,
  type Pair,
  type Range,
  realAfter,
  realBefore,
  slotsOf,
  up,
} from './slots.ts'

/** The end of a slot, or of a transaction in it. `since`: slots from there on must have been read. */
export type ModelMoment = { slot: number; within?: string; since?: number }
export type ModelFees = { assumed: bigint; extra: bigint; toSlot: number }
type Quoted = {
  basis: 'exact' | 'bounded'
  state: Swap
  tokens: Range
  outside: Range
  total: Range
}
type Unquoted = { reason: string; state: Swap | undefined }

const BPS = 10_000n
const EVIDENCE = 64
const only = (exact: bigint): Range => [exact, exact]

export function modelQuote(
  pool: ModelPool,
  moment: ModelMoment,
  { isBuy, input: given }: Wanted,
  fees: ModelFees,
): Quoted | Unquoted {
  const found = stateAt(pool, moment, fees.toSlot)
  if ('reason' in found) return found
  const { state, changes, between, following } = found
  const charge = chargeOf(state, fees)
  const input = isBuy ? legWithin(given, charge) : given
  const shown = (basis: Quoted['basis'], sol: Range, tokens: Range): Quoted => {
    const outside: Range = [charge(sol[0]), charge(sol[1])]
    const sign = isBuy ? 1n : -1n
    const total: Range = [sol[0] + sign * outside[0], sol[1] + sign * outside[1]]
    return { basis, state, tokens, outside, total }
  }
  const held = realBefore(state)
  const formula =
    held[0] < 0n || held[1] < 0n ? undefined : formulaOf(state, hiddenOf(state, pool.migratedAtMs))
  if (formula !== undefined) {
    const legs = byFormula(pool, state, formula, { isBuy, input, between })
    return legs === undefined ? { reason: 'liquidity', state } : shown('exact', ...legs)
  }
  if (between.length > 0) return { reason: 'liquidity', state }
  const end = following.findIndex(
    ({ swap, isOrdered }) =>
      !isOrdered ||
      swap.isBuy !== isBuy ||
      (changes[0] !== undefined && compareChainPositions(swap, changes[0]) >= 0),
  )
  const run = following.slice(0, end < 0 ? EVIDENCE : Math.min(end, EVIDENCE))
  const evidence = run.map(({ swap }) => swap)
  const bounds = byEvidence(state, evidence, { isBuy, input })
  if (typeof bounds === 'string') return { reason: bounds, state }
  return isBuy ? shown('bounded', only(input), bounds) : shown('bounded', bounds, only(input))
}

/** `changes`: of liquidity since the state, `between` those before the moment. */
type StateAt = {
  state: Swap
  changes: PoolEvent[]
  between: PoolEvent[]
  following: { swap: Swap; isOrdered: boolean }[]
}

function stateAt(pool: ModelPool, moment: ModelMoment, toSlot: number): StateAt | Unquoted {
  const slots = slotsOf(pool.swaps.filter(({ slot }) => slot <= toSlot))
  const last = slots.findLast(({ slot }) => slot <= moment.slot)
  if (last === undefined) return { reason: 'no_swap', state: undefined }
  const cut = last.swaps.findLastIndex(({ signature }) => signature === moment.within) + 1
  const own = cut > 0 ? last.swaps.slice(0, cut) : last.swaps
  const state = own.at(-1)!
  const first = Math.min(state.slot, moment.since ?? state.slot)
  if (pool.gaps.some(({ from, to }) => from <= moment.slot && to >= first))
    return { reason: 'coverage', state }
  if (!last.isOrdered) return { reason: 'order_unknown', state: undefined }
  const changes = pool.events
    .filter((event) => changesLiquidity(event) && compareChainPositions(event, state) >= 0)
    .sort(compareChainPositions)
  const isBefore = ({ slot, blockTxIndex }: PoolEvent): boolean =>
    slot < moment.slot ||
    (slot === moment.slot && (cut === 0 || blockTxIndex <= state.blockTxIndex))
  const unread = Math.min(
    ...pool.gaps.map(({ from }) => (from > state.slot ? from : Number.POSITIVE_INFINITY)),
  )
  const rest = { ...last, swaps: last.swaps.slice(own.length) }
  const following = [rest, ...slots.filter(({ slot }) => slot > last.slot)]
    .flatMap(({ swaps, isOrdered }) => swaps.map((swap) => ({ swap, isOrdered })))
    .filter(({ swap }) => swap.slot <= state.slot + EVIDENCE && swap.slot < unread)
  return { state, changes, between: changes.filter(isBefore), following }
}

function chargeOf(state: Swap, { assumed, extra }: ModelFees): (leg: bigint) => bigint {
  const isStated = state.dex === 1 || state.dex === 8
  const stated = isStated ? [BigInt(state.feeBps), BigInt(state.creatorFeeBps)] : []
  const rates = [...stated, ...(state.dex === 2 ? [assumed] : []), extra]
  return (leg) => rates.reduce((sum, rate) => sum + up(leg * rate, BPS), 0n)
}

/** The greatest leg that is within the budget with its fees, by halves. */
function legWithin(budget: bigint, charge: (leg: bigint) => bigint): bigint {
  let [low, high] = [0n, budget + 1n]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle + charge(middle) <= budget) low = middle
    else high = middle
  }
  return low
}

type Wanted = { isBuy: boolean; input: bigint }

function byFormula(
  pool: ModelPool,
  state: Swap,
  formula: Formula,
  { isBuy, input, between }: Wanted & { between: readonly PoolEvent[] },
): [sol: Range, tokens: Range] | undefined {
  if (between.length > 0 && state.dex === 1) return undefined
  let at = after(state)
  let most = realAfter(state)
  for (const event of between) {
    const { solAmount, tokenAmount } = event
    if (solAmount === undefined || tokenAmount === undefined) return undefined
    if (compareChainPositions(event, state) === 0) return undefined
    const sign = event.event === 'liquidity_added' ? 1n : -1n
    at = [at[0] + sign * BigInt(solAmount), at[1] + sign * BigInt(tokenAmount)]
    most = at
  }
  if (between.length > 0 && (at[0] <= 0n || at[1] <= 0n)) return undefined
  const whole = plus(at, hiddenOf(state, pool.migratedAtMs))
  if (!isBuy) return [only(formula.proceeds(input, whole, most)), only(input)]
  const [sol, tokens] = formula.buy(input, whole, most)
  return [only(sol), only(tokens)]
}

const sidesOf = (swap: Swap): Pair => {
  const [sol, tokens] = legsOf(swap)
  return swap.isBuy ? [sol, tokens] : [tokens, sol]
}

/** Lamports for a base unit, as a fraction. */
export function priceOf(price: number | undefined, decimals: number): Pair | undefined {
  if (price === undefined || !(price > 0)) return undefined
  const { numerator, denominator } = exactRatio(price)
  return [numerator * 10n ** 9n, denominator * 10n ** BigInt(decimals)]
}

function byEvidence(state: Swap, run: readonly Swap[], { isBuy, input }: Wanted): Range | string {
  const points: Pair[] = [[0n, 0n]]
  for (const swap of run) {
    const [paid, got] = sidesOf(swap)
    const [all, output] = points.at(-1)!
    if (paid > 0n) points.push([all + paid, output + got])
  }
  const k = points.findLastIndex(([paid]) => paid <= input)
  const [from, next] = [points[k]!, points[k + 1]]
  if (from[0] === input) return only(from[1])
  if (next === undefined) return 'no_depth'
  const beyond = input - from[0]
  const low = from[1] + down((next[1] - from[1]) * beyond, next[0] - from[0])
  const slope = k > 0 ? slopeOf(points[k - 1]!, from) : marginal(state, isBuy)
  if (slope === undefined) return 'no_marginal_price'
  const high = from[1] + up(beyond * slope[0], slope[1])
  return low > high ? 'inconsistent' : [low, high]
}

const slopeOf = (a: Pair, b: Pair): Pair => [b[1] - a[1], b[0] - a[0]]

function marginal(state: Swap, isBuy: boolean): Pair | undefined {
  const price = priceOf(state.priceAfter, state.quoteDecimals)
  if (price !== undefined) return isBuy ? [price[1], price[0]] : price
  const [paid, got] = sidesOf(state)
  return state.isBuy === isBuy && paid > 0n ? [got, paid] : undefined
}
