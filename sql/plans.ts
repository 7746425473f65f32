/**
 * How a connection plans: once for all values, which spares most statements more than they cost otherwise, or for
 * the values of each call. A statement whose index hangs on what is asked needs the latter (`isPlannedAnew`); over
 * many chunks everything does, because a plan for all values passes over each of them at every call.
 */
import type { Connection } from './db.ts'
import { notePlans, query } from './query.ts'

/** Beyond, a kept plan costs more than a new one (measured: 6 us a chunk against 700): about two weeks. */
export const CHUNKS_MAX = 100
/** Milliseconds after which a connection looks again how many there are. */
const HOLD_MS = 30_000

const chooseMode = query<{ mode: string }>('plans/choose_mode')
const chosenMs = new WeakMap<Connection, number>()

/** Chooses, now and then, by how many chunks there are. Never in a transaction, whose end could undo it. */
export async function choosePlans(connection: Connection): Promise<void> {
  const nowMs = performance.now()
  const known = chosenMs.get(connection)
  if (known !== undefined && nowMs - known < HOLD_MS) return
  const [chosen] = await chooseMode(connection, [CHUNKS_MAX, false])
  notePlans(connection, chosen?.mode === 'force_generic_plan')
  chosenMs.set(connection, nowMs)
}
