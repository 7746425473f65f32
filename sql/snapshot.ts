/**
 * Reads that belong together: whatever is read in a snapshot is one state of the tables.
 */
import type { Queryable } from './db.ts'
import { forgetPlans } from './query.ts'

export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only'

/** Runs the work in a transaction that sees one state of the tables. */
export async function inSnapshot<Result>(
  db: Queryable,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.query(BEGIN_SNAPSHOT)
  try {
    const result = await work()
    await db.query('commit')
    return result
  } catch (fault) {
    // Of a connection that was cut there is nothing to roll back.
    await db.query('rollback').catch(() => {})
    forgetPlans(db)
    throw fault
  }
}
