/** Exact arithmetic for the model, the slow way: fractions of bigints, and one rounding to a double. */

/** Toward zero. */
export function truncated(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator
}

/** To the nearest integer, a half away from zero. */
export function roundedHalfAway(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) return -roundedHalfAway(-numerator, denominator)
  const whole = numerator / denominator
  return (numerator % denominator) * 2n >= denominator ? whole + 1n : whole
}

/** The double nearest to a quotient of positive integers, ties to the even one. */
export function exactQuotient(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  const near = Number(numerator) / Number(denominator)
  let best = near
  for (const candidate of [neighbour(near, -1n), neighbour(near, 1n)]) {
    const nearer = compareDistance(candidate, best, numerator, denominator)
    if (nearer < 0 || (nearer === 0 && isEven(candidate))) best = candidate
  }
  return best
}

const view = new DataView(new ArrayBuffer(8))

function bitsOf(double: number): bigint {
  view.setFloat64(0, double)
  return view.getBigUint64(0)
}

function neighbour(double: number, step: bigint): number {
  view.setBigUint64(0, bitsOf(double) + step)
  return view.getFloat64(0)
}

function isEven(double: number): boolean {
  return bitsOf(double) % 2n === 0n
}

/** A positive normal double as an exact fraction. */
function fractionOf(double: number): { over: bigint; under: bigint } {
  const bits = bitsOf(double)
  const exponent = ((bits >> 52n) & 0x7ffn) - 1075n
  const mantissa = (bits & 0xfffffffffffffn) | 0x10000000000000n
  return exponent >= 0n
    ? { over: mantissa << exponent, under: 1n }
    : { over: mantissa, under: 1n << -exponent }
}

/** Negative when `a` is nearer to the quotient than `b`. */
function compareDistance(a: number, b: number, numerator: bigint, denominator: bigint): number {
  const distance = (double: number) => {
    const { over, under } = fractionOf(double)
    const difference = over * denominator - numerator * under
    return { over: difference < 0n ? -difference : difference, under }
  }
  const left = distance(a)
  const right = distance(b)
  const difference = left.over * right.under - right.over * left.under
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
