/** The stored swaps that an answer is of, how far they are searched for sandwiches, and the tables of brackets as of them. */
import { SETTLING_SLOTS } from '../../../domain/market/sandwich/cuts.ts'
import { readNewestSlot } from '../../../history/swaps/newest.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { type Concerned, pastTables } from './past.ts'

/** Tables whose brackets are shown as far as they begin at or before a slot. */
export type Shown = { readonly db: Queryable; readonly shownSlot: number }
/**
 * The stored swaps up to a slot. Brackets that begin after `settledSlot` may still change. `hasStarted`: the job has run; `isDue`: it
 * has swaps left to search, from `dueMs` on.
 *
 * Decision: docs/decisions/0132-the-last-sandwiches-as-of-a-slot-are-searched-again.md
 */
export type Moment = {
  readonly db: Queryable
  readonly slot: number
  readonly settledSlot: number
  readonly hasStarted: boolean
  readonly isDue: boolean
  readonly dueMs: number | null
  /** The tables for brackets of some pools that begin at or before a slot. Rejects with ApiError where too many swaps are searched. */
  shown(untilSlot: number, concerned: Concerned): Promise<Shown>
}
type SearchedRow = { has_started: boolean; is_due: boolean; due_ms: number | null }

const findSearched = query<SearchedRow>('mev/find_searched')

/** In the snapshot of `db`. */
export async function momentOfNow(db: Queryable): Promise<Moment> {
  const newest = await readNewestSlot(db)
  const searched = await readSearched(db, Number.MAX_SAFE_INTEGER, newest)
  return { ...searched, shown: async () => wholeTables(db) }
}

export async function momentOfPast(past: AsOfReading): Promise<Moment> {
  const { db, slot } = past
  const last = await past.lastSwapSlot()
  const newest = await readNewestSlot(db)
  const searched = await readSearched(db, slot, last)
  if (!searched.hasStarted || searched.isDue) past.notePending()
  const { settledSlot } = searched
  const shown: Moment['shown'] = async (untilSlot, concerned) => {
    const settled = { db, shownSlot: settledSlot }
    if (last === null || untilSlot <= settledSlot) return settled
    const tables = await pastTables(past, settledSlot, concerned)
    return tables === undefined ? settled : wholeTables(tables)
  }
  return { ...searched, shown: last === newest ? async () => wholeTables(db) : shown }
}

const wholeTables = (db: Queryable): Shown => ({ db, shownSlot: Number.MAX_SAFE_INTEGER })

/** `last`: the slot of the last swap up to the slot. */
async function readSearched(
  db: Queryable,
  slot: number,
  last: number | null,
): Promise<Omit<Moment, 'shown'>> {
  const [found] = await findSearched(db, [slot])
  return {
    ...{ db, slot, settledSlot: (last ?? 0) - SETTLING_SLOTS },
    hasStarted: found?.has_started === true,
    ...{ isDue: found?.is_due === true, dueMs: found?.due_ms ?? null },
  }
}
