// The price impact of a swap relative to exact reserves, by the definition.

import type { Swap } from '../../../domain/events/swap.ts'

/** The definition, by fractions: `round` half away from zero and never 0, else toward zero. */
export function byFractions(
  swap: Swap,
  refSol: bigint,
  refToken: bigint,
  isRounded: boolean,
): bigint {
  const above = BigInt(swap.solAmount) * refToken
  const below = BigInt(swap.tokenAmount) * refSol
  const twice = 20_000n * (swap.isBuy ? above - below : below - above)
  if (!isRounded) return twice / (2n * below)
  const rounded = (twice + (twice < 0n ? -below : below)) / (2n * below)
  if (rounded !== 0n) return rounded
  // Within 1e-7 bp of 0 an impact is stored as +1.
  return twice < 0n && -twice * 10_000_000n > 2n * below ? -1n : 1n
}
