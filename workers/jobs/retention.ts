/**
 * Deletes old records: counts of runs of `ingest`, dead letters that were sent again, conflicts. A kind of record is
 * deleted only where its age is set.
 *
 * Law: rows that other tables are folded from, and the folds, are never deleted, however old: a swap that comes late is
 * folded in from its minute's candle and its position's history, and `verify` compares all of them.
 *
 * Decision: docs/decisions/0018-retention-deletes-records-not-history.md
 */
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

/** Ages in days; absent: retained for ever. */
export type Retention = {
  ingestRunDays?: number
  /** Since they were sent again; pending ones are retained. */
  deadLetterDays?: number
  conflictDays?: number
}

const deleteRuns = query('retention/delete_runs')
const deleteRetried = query('retention/delete_retried')
const deleteConflicts = query('retention/delete_conflicts')

export async function deleteExpired(
  _payload: object,
  { db, retention = {} }: { db: Db; retention?: Retention },
): Promise<void> {
  const { ingestRunDays, deadLetterDays, conflictDays } = retention
  if (ingestRunDays !== undefined) await deleteRuns(db, [ingestRunDays])
  if (deadLetterDays !== undefined) await deleteRetried(db, [deadLetterDays])
  if (conflictDays !== undefined) await deleteConflicts(db, [conflictDays])
}
