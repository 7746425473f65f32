/** Exact integers, and the one rounding of each price, against exact rational arithmetic. */
import test from 'ava'
import fc from 'fast-check'
import {
  divideExact,
  executedPrice,
  INT64_MAX,
  INT64_MIN,
  type Int64,
  int64,
  int64Saturated,
  lamportsToSol,
  powerOfTen,
  pricePerToken,
  reservePrice,
  solToUsd,
  wholeTokens,
} from '../../domain/amount.ts'

const SAFE_MAX = Number.MAX_SAFE_INTEGER

test('an int64 is a number while that is exact and a bigint beyond', (t) => {
  const cases: [bigint, Int64][] = [
    [0n, 0],
    [-1n, -1],
    [2n ** 53n - 1n, SAFE_MAX],
    // 2^53 is a double, but 2^53 + 1 becomes the same one: the two are no longer distinct.
    [2n ** 53n, 2n ** 53n],
    [2n ** 53n + 1n, 2n ** 53n + 1n],
    [-(2n ** 53n) + 1n, -SAFE_MAX],
    [-(2n ** 53n), -(2n ** 53n)],
    [INT64_MAX, INT64_MAX],
    [INT64_MIN, INT64_MIN],
  ]
  for (const [exact, expected] of cases) {
    t.is(int64(exact), expected, `${exact}`)
    t.is(int64Saturated(exact), expected, `${exact}`)
  }
})

test('beyond int64 the one form throws and the other holds at the end', (t) => {
  t.throws(() => int64(INT64_MAX + 1n), { instanceOf: RangeError })
  t.throws(() => int64(INT64_MIN - 1n), { instanceOf: RangeError })
  t.is(int64Saturated(INT64_MAX + 1n), INT64_MAX)
  t.is(int64Saturated(INT64_MIN - 1n), INT64_MIN)
})

test('mixed int64s compare by value', (t) => {
  const ascending: Int64[] = [INT64_MIN, -(2n ** 53n), -SAFE_MAX, -1, 0, SAFE_MAX, 2n ** 53n]
  for (let index = 1; index < ascending.length; index++) {
    t.true(ascending[index - 1]! < ascending[index]!)
  }
})

/** How far a positive double is from n / d: |q * d - n| * 2^1074, exactly. */
function distance(quotient: number, n: bigint, d: bigint): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, quotient)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & (2n ** 52n - 1n)
  const mantissa = exponent === 0n ? fraction : fraction | (1n << 52n)
  const scaled = mantissa << (exponent === 0n ? 0n : exponent - 1n)
  const difference = scaled * d - (n << 1074n)
  return difference < 0n ? -difference : difference
}

/** The double above (step 1) or below (step -1) a positive one. */
function neighbour(of: number, step: bigint): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, of)
  view.setBigUint64(0, view.getBigUint64(0) + step)
  return view.getFloat64(0)
}

const isEven = (double: number): boolean => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, double)
  return (view.getBigUint64(0) & 1n) === 0n
}

function isNearest(quotient: number, n: bigint, d: bigint): boolean {
  const own = distance(quotient, n, d)
  return [1n, -1n].every((step) => {
    const other = distance(neighbour(quotient, step), n, d)
    return own < other || (own === other && isEven(quotient))
  })
}

const positives = fc.oneof(
  fc.bigInt(1n, INT64_MAX),
  fc.bigInt(1n, 100_000n),
  fc.bigInt(2n ** 53n - 5n, 2n ** 53n + 5n),
  fc.bigInt(INT64_MAX - 5n, INT64_MAX),
)

test('a quotient of exact integers is the nearest double', (t) => {
  fc.assert(
    fc.property(positives, positives, (n, d) => {
      const quotient = divideExact(int64(n), int64(d))
      return isNearest(quotient, n, d)
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

test('rounds a quotient halfway between two doubles to the even one', (t) => {
  // 2^54 + 2 halves to 2^53 + 1, between 2^53 (even) and 2^53 + 2.
  t.is(divideExact(2n ** 54n + 2n, 2), 2 ** 53)
  // 2^54 + 6 halves to 2^53 + 3, between 2^53 + 2 and 2^53 + 4 (even).
  t.is(divideExact(2n ** 54n + 6n, 2), 2 ** 53 + 4)
})

test('price per token at the ends of int64', (t) => {
  const cases: [Int64, Int64, number][] = [
    [0, 30_000, 0],
    [0, INT64_MAX, 0],
    [20_000, 30_000, 2 / 3],
    [INT64_MAX, INT64_MAX, 1],
    // 2^63 - 1 is nearest to 2^63 = 9223372036854775808.
    [INT64_MAX, 1, 2 ** 63],
    // 1 / (2^63 - 1) is nearest to 2^-63: the next double above is 2^-63 * (1 + 2^-52).
    [1, INT64_MAX, 2 ** -63],
    // Through doubles both are 2^53 and the quotient 1; exactly it is 1 + 2^-53, a tie, to even: 1.
    [2n ** 53n + 1n, 2n ** 53n, 1],
    // 3 * 2^53 / 2^53: exact in any form.
    [3n * 2n ** 53n, 2n ** 53n, 3],
  ]
  for (const [sol, token, expected] of cases) {
    t.is(pricePerToken(sol, token), expected, `${sol} / ${token}`)
  }
})

test('where both pass through doubles first the quotient would be another', (t) => {
  // (2^53 + 1) / 3 = 3002399751580331 exactly; 2^53 / 3 is 3002399751580330.66..
  t.is(divideExact(2n ** 53n + 1n, 3), 3_002_399_751_580_331)
  t.not(Number(2n ** 53n + 1n) / 3, 3_002_399_751_580_331)
})

test('refuses big quotients of values that are no amounts', (t) => {
  t.throws(() => divideExact(-(2n ** 60n), 3), { instanceOf: RangeError })
  t.throws(() => divideExact(2n ** 60n, 0), { instanceOf: RangeError })
})

test('powers of ten are the literals', (t) => {
  t.is(powerOfTen(-3), 0.001)
  t.is(powerOfTen(0), 1)
  t.is(powerOfTen(9), 1e9)
  t.is(powerOfTen(-18), 1e-18)
  t.is(powerOfTen(18), 1e18)
  t.throws(() => powerOfTen(19), { instanceOf: RangeError })
  t.throws(() => powerOfTen(0.5), { instanceOf: RangeError })
})

test('the executed price is SOL per whole token by the decimals of the row', (t) => {
  // 0.002 SOL for 4 tokens of 6 decimals: 2e6 / 4e6 lamports a unit = 0.0005 SOL a token.
  t.is(executedPrice(2_000_000, 4_000_000, 6), 0.0005)
  // 9 decimals: lamports a unit are SOL a token.
  t.is(executedPrice(3_000_000, 4_000_000, 9), 0.75)
  // 0 decimals: 5 lamports for 2 tokens: 2.5e-9.
  t.is(executedPrice(5, 2, 0), 2.5e-9)
  // 18 decimals: 1 lamport for 10^15 units, a thousandth of a token: 1e-9 SOL / 0.001 = 1e-6.
  t.is(executedPrice(1, 1_000_000_000_000_000, 18), 1e-15 * 1e9)
})

test('a reserve price is SOL over whole tokens', (t) => {
  // 30 SOL over 1,000,000 tokens of 6 decimals.
  t.is(reservePrice(30_000_000_000, 1_000_000_000_000, 6), 30 / 1_000_000)
  // 2.42 SOL and 17.58 that are not reported, over 4 tokens of 9 decimals: 20 / 4.
  t.is(reservePrice(2_420_000_000, 4_000_000_000, 9, 17.58), (2.42 + 17.58) / 4)
  // No tokens: 0, not infinity; also with SOL that is not reported.
  t.is(reservePrice(30_000_000_000, 0, 6), 0)
  t.is(reservePrice(0, 0, 6, 17.58), 0)
  // The ends of int64 stay finite: 2^63 lamports over one unit of 18 decimals.
  t.is(reservePrice(INT64_MAX, 1, 18), 9223372036.854776 / 1e-18)
})

test('lamports become SOL in one division, below zero too', (t) => {
  t.is(lamportsToSol(1), 1e-9)
  t.is(lamportsToSol(-1_500_000_000), -1.5)
  t.is(lamportsToSol(0), 0)
  t.is(lamportsToSol(INT64_MAX), 9223372036.854776)
  t.is(lamportsToSol(INT64_MIN), -9223372036.854776)
  // A sum in a numeric's text, beyond int64: 10^20 lamports and one.
  t.is(lamportsToSol('100000000000000000001'), 100_000_000_000)
  t.is(lamportsToSol('-100000000000000000000'), -100_000_000_000)
  t.throws(() => lamportsToSol('1.5'), { instanceOf: SyntaxError })
  // 2^53 + 1 lamports: 9007199.254740993, where a double of them is ..992.
  t.is(lamportsToSol(2n ** 53n + 1n), 9007199.254740993)
})

test('converts base units to whole tokens in one division for any decimals', (t) => {
  t.is(wholeTokens('1500000', 6), 1.5)
  t.is(wholeTokens(7, 0), 7)
  t.is(wholeTokens(1, 18), 1e-18)
  // 0.3 whole tokens: as doubles 3e17 / 1e18 rounds once here too.
  t.is(wholeTokens(300_000_000_000_000_000n, 18), 0.3)
  t.is(wholeTokens('36893488147419103232', 18), 36.893488147419106)
})

test('dollars are known where SOL and the rate are', (t) => {
  t.is(solToUsd(2, 150), 300)
  t.is(solToUsd(null, 150), null)
  t.is(solToUsd(2, null), null)
})
