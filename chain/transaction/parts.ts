/**
 * Readers of untyped values that all forms share: nothing that a node sent is trusted to be of its type. Pure.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import { isObject } from '../../domain/text/exact-json.ts'
import type { ChainInstruction } from './transaction.ts'

export type Json = Readonly<Record<string, unknown>>

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

/**
 * An amount in digits, or as a number that a double holds exactly; undefined for anything else: a greater number has
 * lost digits.
 */
export function amountOf(value: unknown): bigint | undefined {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : undefined
  const count = countOf(value)
  return count === undefined ? undefined : BigInt(count)
}

/** A key or signature: base58 text unchanged, bytes encoded. */
export function base58Of(value: unknown): string {
  return value instanceof Uint8Array ? encodeBase58(value) : textOf(value)
}

/** A lazily computed value: most transactions concern no venue. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Reads one instruction of a form; `height` is 0 where the source lacks the height of an inner one. */
type InstructionReader = (entry: Json, outer: number, height: number) => ChainInstruction

/** Outer and inner instructions in execution order. `absentIndex`: of a group of inner ones without an index. */
export function instructionsOf(
  message: Json,
  meta: Json,
  absentIndex: number | undefined,
  read: InstructionReader,
): readonly ChainInstruction[] {
  const outer = listOf(message.instructions).map((each, index) => read(objectOf(each), index, 1))
  return withInner(outer, meta, absentIndex, read)
}

/** Outer instructions, each followed by its inner ones. */
export function withInner(
  outerInstructions: readonly ChainInstruction[],
  meta: Json,
  absentIndex: number | undefined,
  read: InstructionReader,
): readonly ChainInstruction[] {
  const inner = new Map<number, readonly unknown[]>()
  for (const each of listOf(meta.innerInstructions)) {
    const group = objectOf(each)
    const outer = countOf(group.index) ?? absentIndex
    if (outer !== undefined) inner.set(outer, listOf(group.instructions))
  }
  const instructions: ChainInstruction[] = []
  for (const [outer, each] of outerInstructions.entries()) {
    instructions.push(each)
    for (const nested of inner.get(outer) ?? []) {
      const entry = objectOf(nested)
      instructions.push(read(entry, outer, countOf(entry.stackHeight) ?? 0))
    }
  }
  return instructions
}

/** The distinct values that `programOf` reads from the outer and inner instructions of a transaction. */
export function programsOf(
  message: Json,
  meta: Json,
  programOf: (entry: Json) => number,
): ReadonlySet<number> {
  const outer = listOf(message.instructions).map((each) => programOf(objectOf(each)))
  return withInnerPrograms(outer, meta, programOf)
}

/** The programs of outer instructions, and those of the inner ones. */
export function withInnerPrograms(
  outerPrograms: readonly number[],
  meta: Json,
  programOf: (entry: Json) => number,
): ReadonlySet<number> {
  const programs = new Set(outerPrograms)
  for (const group of listOf(meta.innerInstructions)) {
    for (const each of listOf(objectOf(group).instructions)) programs.add(programOf(objectOf(each)))
  }
  return programs
}
