/** Sums of parts as the API has them: integers exactly, doubles from the smallest on. Pure. */
import type { Int64 } from '../../domain/amount.ts'

export function exactSum(values: readonly Int64[]): bigint {
  return values.reduce((sum: bigint, value) => sum + BigInt(value), 0n)
}

/** Null where there are parts and none is known. */
export function doubleSum(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? [])
  if (known.length === 0 && values.length > 0) return null
  return known.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0)
}
