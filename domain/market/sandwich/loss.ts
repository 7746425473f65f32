/**
 * Losses of the swaps between the legs of a sandwich, in lamports of their legs: exactly by running the pool again without the
 * attacker, every other swap keeping its tokens, where the formula reproduces all of them; else within bounds.
 *
 * Law: without legs of an attacker every loss is 0. Rules: docs/semantics.md#sandwiches.
 */
import { changesLiquidity, type PoolEvent } from '../../events/pool-event.ts'
import { liesBetween, type Swap } from '../../events/swap.ts'
import { ceilDivide } from '../../numbers/ceil-divide.ts'
import type { Ratio } from '../../numbers/exact-ratio.ts'
import { least } from '../../numbers/extremes.ts'
import { unreportedLamports } from '../../venue.ts'
import { lamportsPerUnit, marginalPrice } from '../evidence.ts'
import { type Formula, reproducedBy } from '../reproduced.ts'
import { type Reserves, reservesAfter, reservesBefore } from '../reserves.ts'
import type { Placed } from './leg.ts'

/** `high` undefined: not known. A negative exact loss is a gain. */
export type Loss = {
  readonly basis: 'exact' | 'bounded'
  readonly low: bigint
  readonly high: bigint | undefined
}

type Span = {
  /** From the first leg to the last, in execution order. */
  readonly all: readonly Placed[]
  readonly isLeg: (each: Placed) => boolean
  /** The swap before the first leg. */
  readonly before: Placed | undefined
  readonly events: readonly PoolEvent[]
  readonly migratedAtMs: number | undefined
}

/** By swap: of every swap that is no leg where exact, else of those on the side of the first leg. */
export function lossesOf(span: Span): Map<Placed, Loss> {
  return exactLosses(span) ?? boundedLosses(span)
}

const ENOUGH: Reserves = { sol: 10n ** 30n, tokens: 10n ** 30n }

type Reproduced = { placed: Placed; formula: Formula }

function exactLosses({ all, isLeg, events, migratedAtMs }: Span): Map<Placed, Loss> | undefined {
  const made: Reproduced[] = []
  for (const [index, placed] of all.entries()) {
    const { swap } = placed
    const previous = all[index - 1]?.swap
    if (previous !== undefined && !isContinuous(previous, swap)) return undefined
    const unreported = unreportedLamports(swap.dex, migratedAtMs, swap.virtualQuoteReserves)
    const formula = reproducedBy(swap, BigInt(unreported))
    if (formula === undefined || formula.feeRate !== (made[0]?.formula ?? formula).feeRate)
      return undefined
    made.push({ placed, formula })
  }
  const [first, last] = [all[0]?.swap, all.at(-1)?.swap]
  if (first === undefined || last === undefined || isChanged(events, first, last)) return undefined
  return runAgain(made, reservesBefore(first), isLeg)
}

function runAgain(
  made: readonly Reproduced[],
  start: Reserves,
  isLeg: Span['isLeg'],
): Map<Placed, Loss> | undefined {
  const losses = new Map<Placed, Loss>()
  let { sol, tokens } = start
  for (const { placed, formula } of made) {
    if (isLeg(placed)) continue
    const { isBuy, solAmount, tokenAmount } = placed.swap
    const [paid, traded] = [BigInt(solAmount), BigInt(tokenAmount)]
    const recorded = formula.curveAt({ price: reservesBefore(placed.swap), real: ENOUGH })
    const alone = formula.curveAt({ price: { sol, tokens }, real: ENOUGH })
    const [cost, costAlone] = [recorded.cost(traded), alone.cost(traded)]
    if (isBuy && (cost === undefined || costAlone === undefined)) return undefined
    const loss = isBuy
      ? (cost ?? 0n) - (costAlone ?? 0n)
      : alone.proceeds(traded) - recorded.proceeds(traded)
    losses.set(placed, { basis: 'exact', low: loss, high: loss })
    sol += isBuy ? paid - loss : -(paid + loss)
    tokens += isBuy ? -traded : traded
  }
  return losses
}

function isContinuous(before: Swap, after: Swap): boolean {
  const [left, met] = [reservesAfter(before), reservesBefore(after)]
  return left.sol === met.sol && left.tokens === met.tokens
}

const isChanged = (events: readonly PoolEvent[], from: Swap, to: Swap): boolean =>
  events.some((event) => changesLiquidity(event) && liesBetween(event, from, to))

function boundedLosses(span: Span): Map<Placed, Loss> {
  const losses = new Map<Placed, Loss>()
  const front = span.all[0]?.swap
  if (front === undefined) return losses
  const price = priceBefore(front, span)
  let isDirect = true
  for (const placed of span.all) {
    if (span.isLeg(placed)) continue
    const { swap } = placed
    if (swap.isBuy === front.isBuy)
      losses.set(placed, boundsOfLoss(front, swap, { price, isDirect }))
    isDirect = false
  }
  return losses
}

/** Before the first leg, in lamports per base unit. */
function priceBefore(front: Swap, { before, events }: Span): Ratio | undefined {
  const own = lamportsPerUnit(front.priceBefore, front.quoteDecimals)
  if (own !== undefined || before === undefined) return own
  return isChanged(events, before.swap, front) ? undefined : marginalPrice(before.swap)
}

/** `isDirect`: nothing lies between the front legs and the swap. */
function boundsOfLoss(
  front: Swap,
  swap: Swap,
  { price, isDirect }: { price: Ratio | undefined; isDirect: boolean },
): Loss {
  const [paid, traded] = [BigInt(swap.solAmount), BigInt(swap.tokenAmount)]
  const [frontPaid, frontTraded] = [BigInt(front.solAmount), BigInt(front.tokenAmount)]
  const common = least(traded, frontTraded)
  const atLeast = swap.isBuy
    ? (paid * common) / traded - ceilDivide(frontPaid * common, frontTraded)
    : (frontPaid * common) / frontTraded - ceilDivide(paid * common, traded)
  return {
    basis: 'bounded',
    low: isDirect && atLeast > 0n ? atLeast : 0n,
    high: price === undefined ? undefined : atMost(swap.isBuy, { paid, traded }, price),
  }
}

function atMost(
  isBuy: boolean,
  { paid, traded }: { paid: bigint; traded: bigint },
  price: Ratio,
): bigint {
  const worth = traded * price.numerator
  return isBuy ? paid - worth / price.denominator : ceilDivide(worth, price.denominator) - paid
}
