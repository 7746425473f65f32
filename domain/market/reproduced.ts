/**
 * The one test of exactness: a swap is reproduced where the formula of its venue makes its own legs from the reserves that it
 * met. Only a state after such a swap is priced by formula. The test covers fees that are wrong or unknown, pools whose base is SOL,
 * stale reserves and programs that changed, without a list of exceptions.
 *
 * Decision: docs/decisions/0101-a-quote-is-exact-where-a-swap-is-reproduced.md
 */
import type { Swap } from '../events/swap.ts'
import { type Pricing, venueOf } from '../venue.ts'
import { bondingCurve, type Curve, feeOnInput, feeOnSol } from './curve.ts'
import {
  type Reserves,
  realReservesAfter,
  realReservesBefore,
  reservesAfter,
  reservesBefore,
} from './reserves.ts'

/** `price`: reserves that the price follows; `real`: what the pool holds. */
export type Held = { readonly price: Reserves; readonly real: Reserves }

/** A pool's formula with its fee and the SOL that it does not report. */
export type Formula = {
  /** The fee that is part of the formula: basis points or parts of a million, 0 where none is. */
  readonly feeRate: bigint
  readonly curveAt: (held: Held) => Curve
}

const PPM_OF_A_BP = 100n

export const heldAfter = (swap: Swap): Held => ({
  price: reservesAfter(swap),
  real: realReservesAfter(swap),
})

export const heldBefore = (swap: Swap): Held => ({
  price: reservesBefore(swap),
  real: realReservesBefore(swap),
})

/**
 * The formula that made the swap; undefined where none or several did. `unreported`: lamports that the pool holds in addition to
 * its reported reserve.
 */
export function reproducedBy(swap: Swap, unreported: bigint): Formula | undefined {
  const { pricing } = venueOf(swap.dex)
  const before = heldBefore(swap)
  if (pricing === undefined || before.price.sol < 0n || before.price.tokens <= 0n) return undefined
  const legs = { sol: BigInt(swap.solAmount), tokens: BigInt(swap.tokenAmount) }
  if (before.price.sol + unreported <= 0n) return undefined
  const made = formulasOf(pricing, swap, unreported).filter((formula) =>
    formula.curveAt(before).makes(swap.isBuy, legs),
  )
  return made.length === 1 ? made[0] : undefined
}

/**
 * The formula that prices a trade after the swap: that which made it, where the pool may hold what the swap states. A curve without
 * its balances would have held less than nothing, and how much it can sell or pay is not known.
 */
export function pricedBy(swap: Swap, unreported: bigint): Formula | undefined {
  const { sol, tokens } = realReservesBefore(swap)
  return sol < 0n || tokens < 0n ? undefined : reproducedBy(swap, unreported)
}

/** One, or one for each fee that the pool may take. */
function formulasOf(pricing: Pricing, { feeBps }: Swap, unreported: bigint): Formula[] {
  switch (pricing.formula) {
    case 'bonding_curve':
      return [{ feeRate: 0n, curveAt: ({ price, real }) => bondingCurve(price, real) }]
    case 'fee_on_sol': {
      const feeRate = BigInt(feeBps)
      const curveAt: Formula['curveAt'] = ({ price }) =>
        feeOnSol({ ...price, sol: price.sol + unreported }, feeRate)
      return [{ feeRate, curveAt }]
    }
    case 'fee_on_input': {
      const isStated = pricing.statesRate && feeBps > 0
      const rates = isStated ? [BigInt(feeBps) * PPM_OF_A_BP] : pricing.ratesPpm.map(BigInt)
      return rates
        .filter(isRate)
        .map((feeRate) => ({ feeRate, curveAt: ({ price }) => feeOnInput(price, feeRate) }))
    }
    default:
      return pricing satisfies never
  }
}

/** Less than all of the input. */
const isRate = (ratePpm: bigint): boolean => ratePpm < 10_000n * PPM_OF_A_BP
