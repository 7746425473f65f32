/** `numerator / denominator`, rounded up, for a denominator > 0. */
export function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return quotient * denominator < numerator ? quotient + 1n : quotient
}
