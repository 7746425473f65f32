/** Exact sums of lamports. Pure. */

/** A number while it is a safe integer, else a bigint. */
export type Lamports = number | bigint

export function plus(a: Lamports, b: Lamports): Lamports {
  if (typeof a === 'number' && typeof b === 'number') {
    const near = a + b
    if (Number.isSafeInteger(near)) return near
  }
  return BigInt(a) + BigInt(b)
}

/** `a` minus `b`, where `b` is a part of the sum `a`: no less than 0. */
export function minus(a: Lamports, b: Lamports): Lamports {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const exact = BigInt(a) - BigInt(b)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}
