/** Lists conflicts: events that the pool actor rejected, because they contradict a stored event. */

import type { ConflictKind, ConflictRow } from '../domain/events/rejected-event.ts'
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'

type ConflictPage = {
  limit: number
  kind?: ConflictKind | undefined
  belowId?: number | undefined
}

const listRows = query<ConflictRow>('conflicts/list_conflicts')

/** The newest conflicts, or the newest below an id. */
export function listConflicts(
  db: Db,
  { limit, kind, belowId }: ConflictPage,
): Promise<ConflictRow[]> {
  return listRows(db, [limit, kind ?? null, belowId ?? null])
}
