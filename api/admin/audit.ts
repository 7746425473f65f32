/** Append-only audit of operator changes to keys, dead letters, KOLs, sectors, replays and webhooks: actor, action and time. */
import type { Queryable } from '../../sql/driver/queryable.ts'
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

const insertAudit = query('admin/insert_audit')
const selectAudit = query<AuditLine>('admin/list_audit')

/** The newest first. */
export function listAudit(db: Queryable, limit: number): Promise<AuditLine[]> {
  return selectAudit(db, [limit])
}

export const WEBHOOK_ACTIONS = [
  'webhook_created',
  'webhook_paused',
  'webhook_resumed',
  'webhook_rotated',
  'webhook_deleted',
] as const

export async function addToAudit(
  db: Queryable,
  action: 'replay_started' | 'replay_stopped' | 'sector_stored' | (typeof WEBHOOK_ACTIONS)[number],
  targets: readonly string[],
  by: string,
): Promise<void> {
  await insertAudit(db, [action, targets, by])
}
