/** Drops the sealed swaps that are older than the days that an installation retains. One process drops or seals at a time. */
import type { Log } from '../../domain/log.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { connectSession, type Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { readNewest } from '../swaps/newest.ts'
import { dropFirst } from './drop.ts'

type Dropping = {
  readonly days: number | undefined
  readonly exportedUntil?: ((db: Db) => Promise<number>) | undefined
}

/** Windows of days begin within one. */
const MARGIN_DAYS = 1
/** Days of the market after which every position that is still traded has snapshots of the last days. */
const BEGINNING_DAYS = 4

const beginDropping = query<{ begun_ms: number }>('dropping/begin_dropping')
const endDropping = query('dropping/end_dropping')
const lockSealer = query<{ is_taken: boolean }>('sealing/lock_sealer')

/**
 * `days`: counted from the newest swap; undefined: nothing is dropped. `exportedUntil`: swaps from this time on, Unix ms, are still to be
 * exported.
 */
export async function dropAged(
  db: Db,
  log: Log,
  { days, exportedUntil }: Dropping,
  signal: AbortSignal,
): Promise<void> {
  if (days === undefined) {
    await endDropping(db)
    return
  }
  const newestMs = Math.min(Date.now(), (await readNewest(db))?.newest_ms ?? 0)
  const [begun] = await beginDropping(db, [days, newestMs])
  if (newestMs < begun!.begun_ms + BEGINNING_DAYS * DAY_MS) return
  const agedMs = newestMs - (days + MARGIN_DAYS) * DAY_MS
  const beforeMs = Math.min(agedMs, (await exportedUntil?.(db)) ?? agedMs)
  const connection = await connectSession(db)
  try {
    const [lock] = await lockSealer(connection)
    while (lock?.is_taken === true && !signal.aborted) {
      const drop = await dropFirst(connection, beforeMs)
      if (drop.outcome !== 'dropped') {
        if (drop.outcome === 'waits') log.debug({ ...drop.wait }, 'postponed dropping swaps')
        return
      }
      const { swaps, sinceSlot } = drop
      log.info({ swaps, sinceSlot }, 'dropped old swaps')
    }
  } finally {
    // Ends the session and its lock.
    connection.release(true)
  }
}
