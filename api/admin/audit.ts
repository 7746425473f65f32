/** What operators did: to keys, dead letters and KOLs, by whom and when. Only added to. */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

export type AuditLine = {
  id: number
  /** Null: it was not done to a key. */
  key_id: number | null
  action: string
  target: string
  actor: string
  at: Date
}

const selectAudit = query<AuditLine>('admin/list_audit')

/** The newest first. */
export function listAudit(db: Queryable, limit: number): Promise<AuditLine[]> {
  return selectAudit(db, [limit])
}
