/** A double as the quotient of two integers, which it is exactly. */

export type Ratio = { readonly numerator: bigint; readonly denominator: bigint }

/** The exact value of a finite double that is not negative. Throws RangeError for any other. */
export function exactRatio(double: number): Ratio {
  if (!Number.isFinite(double) || double < 0) throw new RangeError(`${double} is no exact ratio`)
  let scaled = double
  let doublings = 0n
  // A product with 2 is exact.
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    doublings++
  }
  return { numerator: BigInt(scaled), denominator: 1n << doublings }
}
