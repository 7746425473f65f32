// Waits until the API's statement waits for a lock, as the database itself sees it.

import { holdsWithin } from '../../../deploy/local/waiting.ts'
import type { Db } from '../../../sql/db.ts'

const BOUND_MS = 60_000

const waiting = `select count(*) as statements from pg_stat_activity
  where datname = current_database() and application_name like 'swaptide api/%'
    and state = 'active' and wait_event_type = 'Lock'`

export async function blockedStatements(db: Db): Promise<number> {
  const { rows } = await db.query(waiting)
  return Number(rows[0].statements)
}

export async function untilBlocked(db: Db): Promise<void> {
  const isBlocked = await holdsWithin(BOUND_MS, async () => (await blockedStatements(db)) > 0)
  if (!isBlocked) throw new Error('no statement came to wait for the lock')
}
