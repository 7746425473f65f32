/**
 * Makes the screen of a window on request: the figures of all tokens that traded in it, of one instant, in one
 * transaction. Only rows of changed figures are written.
 */

import { SCREEN_FRESH_MS, WINDOW_MINUTES, type WindowName } from '../../domain/time/trade-window.ts'
import { connectSession, type Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { JobFunction } from './job-function.ts'

const lockRefresh = query('screener/lock_refresh')
const readState = query<{ age_ms: number | null }>('screener/read_state')
const listActive = query<{ ids: number[] }>('screener/list_active')
const mergeScreen = query('screener/merge_screen')
const mergeRefresh = query('screener/merge_refresh')

/** 100,000 tokens are joined in memory by this; one core at most; planned for so many. */
const SETTINGS = [
  "set local work_mem = '64MB'",
  'set local max_parallel_workers_per_gather = 0',
  'set local plan_cache_mode = force_custom_plan',
]

export const makeScreen: JobFunction<'screener'> = async ({ window }, { db }) => {
  await refreshScreen(db, window)
}

/** Whether it was made. A caller that arrives while another makes it waits for the lock, and then finds it stored. */
export async function refreshScreen(
  db: Db,
  window: WindowName,
  { freshMs = SCREEN_FRESH_MS }: { freshMs?: number } = {},
): Promise<boolean> {
  const minutes = WINDOW_MINUTES[window]
  const connection = await connectSession(db)
  try {
    await lockRefresh(connection, [minutes])
    const [state] = await readState(connection, [minutes])
    const ageMs = state?.age_ms ?? null
    if (ageMs !== null && ageMs < freshMs) return false
    await connection.query('begin isolation level repeatable read')
    for (const setting of SETTINGS) await connection.query(setting)
    const [active] = await listActive(connection, [minutes])
    await mergeScreen(connection, [minutes, active?.ids ?? []])
    await mergeRefresh(connection, [minutes])
    await connection.query('commit')
    return true
  } finally {
    // Closing the session releases its lock and rolls back uncommitted changes.
    connection.release(true)
  }
}
