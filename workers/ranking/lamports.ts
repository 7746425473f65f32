/** Sums of lamports that stay exact: pure. */

/** Exact: a number while it is safe. */
export type Lamports = number | bigint

export function plus(a: Lamports, b: Lamports): Lamports {
  if (typeof a === 'number' && typeof b === 'number') {
    const near = a + b
    if (Number.isSafeInteger(near)) return near
  }
  return BigInt(a) + BigInt(b)
}

/** `a` is the sum of `b` and others. */
export function less(a: Lamports, b: Lamports): Lamports {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const exact = BigInt(a) - BigInt(b)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}
