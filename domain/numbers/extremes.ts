/**
 * The least and the greatest of numbers, however many they are: Math.min(...numbers) is a RangeError from some 125,000
 * on, as each is an argument. Pure.
 */

/** Infinity without values. */
export function leastOf(numbers: readonly number[]): number {
  return numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY)
}

/** -Infinity without values. */
export function greatestOf(numbers: readonly number[]): number {
  return numbers.reduce((greatest, number) => Math.max(greatest, number), Number.NEGATIVE_INFINITY)
}

export const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)
