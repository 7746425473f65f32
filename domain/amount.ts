/**
 * Amounts and prices: the only rounding in the system.
 *
 * Law: an int64 never passes through a double where it can exceed 2^53. `Int64` is a number while
 * that is exact and a bigint beyond, in one canonical form, so `===` compares and `<` orders it,
 * and TypeScript refuses arithmetic on it until the code narrows it to one of the two.
 *
 * Decision: docs/decisions/0014-interned-addresses-and-exact-int64.md
 */
import { ceilDivide } from './numbers/ceil-divide.ts'

/** An integer of -2^63..2^63-1: a number when it is a safe integer, else a bigint. Canonical. */
export type Int64 = number | bigint

export const INT64_MAX = 2n ** 63n - 1n
export const INT64_MIN = -(2n ** 63n)
/** 1 SOL in lamports. */
export const LAMPORTS_PER_SOL = 1_000_000_000
const DECIMALS_OF_SOL = 9
/** Decimals that a token has at most. */
export const TOKEN_DECIMALS_MAX = 18

/** The canonical form of an exact integer. Throws RangeError beyond int64. */
export function int64(exact: bigint): Int64 {
  if (exact > INT64_MAX || exact < INT64_MIN) throw new RangeError(`${exact} is not an int64`)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

/** The same, held at the ends of int64 instead of thrown. */
export function int64Saturated(exact: bigint): Int64 {
  if (exact > INT64_MAX) return INT64_MAX
  if (exact < INT64_MIN) return INT64_MIN
  return int64(exact)
}

/** The exact sum of two amounts, which are not negative; it may pass int64. A number while that is safe. */
export function sum(a: Int64, b: Int64): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const near = a + b
    if (near <= Number.MAX_SAFE_INTEGER) return near
  }
  return BigInt(a) + BigInt(b)
}

/** A whole number of any size, written in decimal: a number where it is a safe integer, else a bigint. */
export function exactOf(text: string): number | bigint {
  const near = Number(text)
  return Number.isSafeInteger(near) ? near : BigInt(text)
}

/** `numerator / denominator` as the nearest double (ties to even), from the exact integers. */
export function divideExact(numerator: Int64, denominator: Int64): number {
  if (typeof numerator === 'number' && typeof denominator === 'number') {
    return numerator / denominator
  }
  return divideBig(BigInt(numerator), BigInt(denominator))
}

/**
 * Non-negative big division, rounded once: 66 or more quotient bits with a sticky last bit make the
 * conversion to double the only rounding; the scaling back by a power of two is exact.
 */
function divideBig(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n || denominator <= 0n) {
    throw new RangeError(`cannot divide ${numerator} by ${denominator}: amounts are not negative`)
  }
  if (numerator === 0n) return 0
  const shift = 66n + bitLength(denominator) - bitLength(numerator)
  const scaled = shift > 0n ? numerator << shift : numerator
  const divisor = shift > 0n ? denominator : denominator << -shift
  const quotient = scaled / divisor
  const sticky = quotient * divisor === scaled ? 0n : 1n
  return Number((quotient << 1n) | sticky) * 2 ** -Number(shift + 1n)
}

function bitLength(positive: bigint): bigint {
  return BigInt(positive.toString(2).length)
}

/** 10^-18..10^18 as the nearest doubles, by literal: `10 ** -3` may differ in the last bit. */
const POWERS_OF_TEN = new Map<number, number>(
  Array.from({ length: 37 }, (_, index) => [index - 18, Number(`1e${index - 18}`)]),
)

export function powerOfTen(exponent: number): number {
  const power = POWERS_OF_TEN.get(exponent)
  if (power === undefined) throw new RangeError(`10^${exponent} is not in -18..18`)
  return power
}

/** Lamports per token base unit: `price_per_token` of the interface. 0 for 0 lamports. */
export function pricePerToken(solAmount: Int64, tokenAmount: Int64): number {
  return divideExact(solAmount, tokenAmount)
}

/** Executed price in SOL per whole token (candles, valuations, movers). */
export function executedPrice(solAmount: Int64, tokenAmount: Int64, quoteDecimals: number): number {
  return pricePerToken(solAmount, tokenAmount) * powerOfTen(quoteDecimals - 9)
}

/** Reported SOL reserve over reported token reserve, SOL per whole token; 0 without tokens. */
export function reservePrice(
  solReserve: Int64,
  tokenReserve: Int64,
  quoteDecimals: number,
  extraSol = 0,
): number {
  if (tokenReserve === 0) return 0
  const sol = Number(solReserve) / LAMPORTS_PER_SOL + extraSol
  return sol / (Number(tokenReserve) / powerOfTen(quoteDecimals))
}

/** An exact integer as rows bring it: the text of a numeric, or a number or bigint of any size. */
export type Exact = Int64 | string

/** Lamports as SOL, divided once: only at the edge. Sums beyond int64 too. */
export function lamportsToSol(lamports: Exact): number {
  return divideSigned(lamports, BigInt(LAMPORTS_PER_SOL))
}

/** Lamports of 10^12 SOL: no text means more. */
const READ_LAMPORTS_MAX = 10n ** 21n

/**
 * SOL as a decimal text, with an exponent or without, into lamports, from its digits; those past the ninth
 * round up: the bound is a least one.
 */
export function readLamports(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction)
  const shift = DECIMALS_OF_SOL + Number(exponent) - fraction.length
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  const lamports = ceilDivide(digits * 10n ** BigInt(Math.max(0, shift)), divisor)
  return lamports > READ_LAMPORTS_MAX ? undefined : lamports
}

/** Base units as whole tokens, divided once: only at the edge. */
export function wholeTokens(baseUnits: Exact, decimals: number): number {
  return divideSigned(baseUnits, 10n ** BigInt(decimals))
}

/** SOL in US dollars; null where either is not known. */
export function solToUsd(sol: number | null, rate: number | null): number | null {
  return sol === null || rate === null ? null : sol * rate
}

/** `numerator / denominator` as the nearest double, for a denominator > 0. */
export function divideSigned(numerator: Exact, denominator: bigint): number {
  const near = Number(numerator)
  if (Number.isSafeInteger(near) && denominator <= Number.MAX_SAFE_INTEGER) {
    return near / Number(denominator)
  }
  const exact = BigInt(numerator)
  return exact < 0n ? -divideBig(-exact, denominator) : divideBig(exact, denominator)
}
