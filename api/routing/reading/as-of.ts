/**
 * Answers as of a slot: the answer that an installation gives which was fed every stored event up to this slot.
 *
 * A route that declares `readAsOf` accepts the parameters of the source, and its answer then has the field `as_of`. Every
 * other route refuses them by name, so that a parameter is never accepted and ignored.
 * Decision: docs/decisions/0104-as-of-reads-the-stored-events.md
 */
import type { TProperties, TSchema } from 'typebox'
import type { Int64 } from '../../../domain/amount.ts'
import { counted } from '../../../domain/text/plural.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { ApiError } from '../error.ts'
import type { Near } from './feed-list.ts'

/** Names of the parameters. */
export const AS_OF_NAMES = ['as_of_slot', 'as_of_time'] as const

/** At most one is given. Unix ms. */
export type AsOfWanted = { readonly as_of_slot?: number; readonly as_of_time?: Int64 }

/** The snapshot in which an answer is read, its last slot, and bounds: milliseconds that a list may search, swaps that may be folded. */
export type AsOfReading = {
  readonly db: Queryable
  readonly slot: number
  readonly walkMs: number
  readonly foldedSwapsMax: number
  /** Unix ms of the latest swap up to the slot, where windows end; null before the first. */
  latestMs(): Promise<number | null>
  /** Unix ms of the earliest swap after the slot; null where there is none. Read once. */
  earliestLaterMs(): Promise<number | null>
  /** The greatest slot of a swap up to the slot; null without one. */
  lastSwapSlot(): Promise<number | null>
  /** Notes that a job has yet to search some of what the answer is of: the moment is then not settled. */
  notePending(): void
  /** Rejects with ApiError where impacts of swaps up to the slot are to be computed again. */
  expectImpacts(): Promise<void>
  /** Rejects with ApiError where the ledger may have events up to the slot left to apply. */
  expectLedger(): Promise<void>
  /** Rejects with ApiError where the ranking may have, or counts the traders of all tokens again. */
  expectRanking(): Promise<void>
}

/** The field of the answer, with the seconds that the answer may be cached. */
export type AsOfFound<Answer> = {
  readonly answer: Answer
  readonly asOf: object
  readonly seconds: number
}

export type AsOfSource = {
  readonly parameters: TProperties
  /** Schema of the field. */
  readonly schema: TSchema
  /** Part of the name of a cached answer: another one after a late event. */
  version(wanted: AsOfWanted): string
  /** Rejects with ApiError where the moment cannot be answered. */
  read<Answer>(
    wanted: AsOfWanted,
    reading: { readonly near: Near; readonly walkMs: number; readonly signal: AbortSignal },
    work: (past: AsOfReading) => Promise<Answer>,
  ): Promise<AsOfFound<Answer>>
}

/** Throws ApiError where an answer would fold more swaps than a request may, before any is read. `hint`: what to do instead. */
export function expectFoldable(
  { foldedSwapsMax: limit }: Pick<AsOfReading, 'foldedSwapsMax'>,
  rows: number,
  hint?: string,
): void {
  if (rows > limit) throw tooCostly(rows, limit, hint)
}

/** The refusal of so many swaps. */
export function tooCostly(
  rows: number,
  limit: number,
  hint = 'request one mint, or a shorter history',
): ApiError {
  const text = `the answer folds ${counted(rows, 'swap')}: expected at most ${limit}`
  return new ApiError('AS_OF_TOO_COSTLY', `${text}: ${hint}`, { details: { rows, limit, hint } })
}

/** The parameters among the others; undefined: the answer is one of now. Throws ApiError where both are given. */
export function asOfWanted(parameters: AsOfWanted): AsOfWanted | undefined {
  const { as_of_slot: slot, as_of_time: time } = parameters
  if (slot === undefined && time === undefined) return undefined
  if (slot === undefined || time === undefined) return parameters
  throw new ApiError(
    'INVALID_PARAM',
    'as_of_slot and as_of_time both state a moment: give one of them',
  )
}

/** The name of a parameter of a moment among the given ones. */
export function statedMoment(given: unknown): (typeof AS_OF_NAMES)[number] | undefined {
  const fields = Object(given) as object
  return AS_OF_NAMES.find((each) => Object.hasOwn(fields, each))
}

/** Throws ApiError where one of the parameters is given to a route that has none; `able`: routes that have them. */
export function refuseAsOf(given: unknown, route: string, able: readonly string[]): void {
  const name = statedMoment(given)
  if (name === undefined) return
  const others =
    able.length === 0 ? 'no other route of this topic does either' : `use ${able.join(', ')}`
  throw new ApiError('AS_OF_UNSUPPORTED', `${route} does not support ${name}: ${others}`)
}
