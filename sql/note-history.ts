/** Notes how far the server's log has come, where a process may not commit for long: see history.ts. */
import type { Queryable } from './driver/queryable.ts'
import type { History } from './history.ts'
import { query } from './query.ts'

const readFlushed = query<{ flushed: number | bigint | null }>('history/read_flushed')

/** Milliseconds between two looks of one process. */
export const NOTE_EVERY_MS = 1_000

const notedMs = new WeakMap<History, number>()

/** Queries the server where a check is due. Rejects with HistoryLost, or with the database's error. */
export async function noteHistory(db: Queryable, history: History): Promise<void> {
  const nowMs = performance.now()
  if (nowMs - (notedMs.get(history) ?? -Infinity) < NOTE_EVERY_MS) return
  notedMs.set(history, nowMs)
  const known = history.known()
  const [row] = await readFlushed(db)
  if (row !== undefined && row.flushed !== null) history.note(row.flushed, known)
}
