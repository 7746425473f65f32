/**
 * Reads that belong together: whatever is read in a snapshot is one state of the tables.
 */
import { inOnePiece, type Queryable } from './db.ts'
import { forgetPlans } from './query.ts'

export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only'

/**
 * Runs the work in a transaction that sees one state of the tables. Its first statement goes out with the beginning,
 * and nobody waits for the end: whatever comes next on the connection comes behind it.
 */
export async function inSnapshot<Result>(
  db: Queryable,
  work: () => Promise<Result>,
): Promise<Result> {
  const [began, worked] = await Promise.allSettled(
    inOnePiece(db, () => [db.query(BEGIN_SNAPSHOT), work()] as const),
  )
  if (began.status === 'fulfilled' && worked.status === 'fulfilled') {
    // What was read was read, whatever becomes of the end.
    db.query('commit').catch(() => {})
    return worked.value
  }
  // Of a connection that was cut there is nothing to roll back.
  await db.query('rollback').catch(() => {})
  forgetPlans(db)
  throw began.status === 'rejected' ? began.reason : (worked as PromiseRejectedResult).reason
}
