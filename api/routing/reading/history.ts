/**
 * From which slot on the history that an answer folds is complete: fields that a route adds to its answer by declaring
 * `isOfHistory`.
 *
 * The former are absent where no slot was read from the chain, because all swaps were ingested as lines; those of dropped swaps where
 * none was dropped.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Int64 } from '../../../domain/amount.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'

const count = (description: string) =>
  Type.Unsafe<Int64>(Type.Integer({ format: 'int64', minimum: 0, description }))

/** Properties of an answer that declares them itself: a part of other answers, too, where they are absent. */
export const HISTORY_FIELDS = {
  complete_since: Type.Optional(
    count(
      'Lowest slot from which on no slot of the venues that are read is missing. What happened before it may be lacking from ' +
        'every figure here. Absent where no slot was read from the chain, because all swaps were ingested',
    ),
  ),
  complete_since_timestamp: Type.Optional(
    Type.Union([
      count('Unix ms of the first indexed swap at or after this slot; null before it'),
      Type.Null(),
    ]),
  ),
  history_since: Type.Optional(
    count(
      'Lowest slot of which swaps are stored. Earlier ones were dropped by HISTORY_DAYS: figures still contain them, lists end here, ' +
        'and what would have to be computed from them is refused with AS_OF_BEFORE_HISTORY. Absent where none was dropped',
    ),
  ),
  history_since_timestamp: Type.Optional(
    count('Unix ms before which all dropped swaps are; absent where none was dropped'),
  ),
}
const fields = Type.Object(HISTORY_FIELDS)
export type HistoryFields = Static<typeof fields>

/** `cached`: without a statement; undefined where one is needed. */
export type HistorySource = {
  cached(): HistoryFields | undefined
  read(db: Queryable): Promise<HistoryFields>
  /** Without regard to slots after this one. */
  until(db: Queryable, slot: number): Promise<HistoryFields>
}

/** The schema of an answer with the fields: in `data` where the answer is an envelope, else next to its other ones. */
export function withHistoryFields<Answer extends TSchema>(answer: Answer): Answer {
  if (!isObjectSchema(answer)) throw new TypeError('answer: expected an object')
  const { properties } = answer
  if (isEnvelope(properties)) {
    return {
      ...answer,
      properties: { ...properties, data: withHistoryFields(properties.data) },
    }
  }
  return { ...answer, properties: { ...properties, ...HISTORY_FIELDS } }
}

/** The fields as of a slot; `lastSwapSlot`: the greatest slot of a swap up to it. */
export async function historyUntil(
  source: HistorySource,
  {
    db,
    slot,
    lastSwapSlot,
  }: { db: Queryable; slot: number; lastSwapSlot(): Promise<number | null> },
): Promise<HistoryFields> {
  const history = await source.until(db, slot)
  const { complete_since: since } = history
  if (since === undefined) return history
  const isTimed = ((await lastSwapSlot()) ?? -1) >= since
  return isTimed ? history : { ...history, complete_since_timestamp: null }
}

/** Adds the fields to an answer of such a schema, which stays the same object: lifetimes are looked up by it. */
export function addHistory(answer: unknown, history: HistoryFields): void {
  Object.assign(payloadOf(answer as Readonly<Record<string, object>>), history)
}

const payloadOf = (answer: Readonly<Record<string, object>>): object =>
  'success' in answer && typeof answer.data === 'object' ? answer.data : answer

const isObjectSchema = (schema: TSchema): schema is TObject & TSchema =>
  'properties' in schema && typeof schema.properties === 'object'

const isEnvelope = (properties: TObject['properties']): properties is Record<'data', TSchema> =>
  'success' in properties && 'data' in properties
