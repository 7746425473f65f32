/**
 * Readers of untyped values that all forms share: nothing that a node sent is trusted to be of its type. Pure.
 */
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): Json => (isObject(value) ? value : NOTHING)
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const NOTHING: Json = {}

/** A whole number of 0 or more, as a number or in digits; undefined for anything else. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined
}

/** An amount in digits; 0 for anything else. */
export function amountOf(value: unknown): bigint {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : 0n
}

/** A key or signature: base58 text as it is, bytes encoded. */
export function base58Of(value: unknown): string {
  return value instanceof Uint8Array ? encodeBase58(value) : textOf(value)
}

/** A value that is made when it is first asked for: most transactions concern no venue. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The distinct values that `programOf` reads from the outer and inner instructions of a transaction. */
export function programsOf(
  message: Json,
  meta: Json,
  programOf: (entry: Json) => number,
): ReadonlySet<number> {
  const programs = new Set<number>()
  for (const each of listOf(message.instructions)) programs.add(programOf(objectOf(each)))
  for (const group of listOf(meta.innerInstructions)) {
    for (const each of listOf(objectOf(group).instructions)) programs.add(programOf(objectOf(each)))
  }
  return programs
}
