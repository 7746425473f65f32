/**
 * Consistent reads: all statements in a snapshot read one state of the tables.
 */
import { inOnePiece, isPipelined } from './db.ts'
import type { Queryable } from './driver/queryable.ts'
import { forgetPlans } from './query.ts'

export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only'

/**
 * Runs the work in a transaction that sees one state of the tables. On a pipelined connection its first statement is
 * sent with the `begin`, and the end is not awaited: later statements on it follow the end.
 */
export async function inSnapshot<Result>(
  db: Queryable,
  work: () => Promise<Result>,
): Promise<Result> {
  const isAhead = isPipelined(db)
  const begin = () => db.query(BEGIN_SNAPSHOT)
  const [began, worked] = await Promise.allSettled(
    isAhead ? inOnePiece(db, () => [begin(), work()] as const) : inSequence(begin, work),
  )
  if (began.status === 'fulfilled' && worked.status === 'fulfilled') {
    // Rows that were read stay valid even if the commit fails.
    const ended = db.query('commit').catch(() => {})
    if (!isAhead) await ended
    return worked.value
  }
  // On a lost connection the rollback fails, and need not be done.
  await db.query('rollback').catch(() => {})
  forgetPlans(db)
  throw began.status === 'rejected' ? began.reason : (worked as PromiseRejectedResult).reason
}

function inSequence<Result>(begin: () => Promise<unknown>, work: () => Promise<Result>) {
  const began = begin()
  return [began, began.then(work)] as const
}
