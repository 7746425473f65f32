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

/** The texts of a list; undefined where it is none. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined
}
