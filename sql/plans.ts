/**
 * How a connection plans: once for all values, which saves most statements more than half of their cost. A statement
 * over a table of many chunks is planned for the values of each call, because a generic plan visits every chunk each
 * time, and so is one whose best index depends on its values (`isPlannedAnew`).
 *
 * Decision: docs/decisions/0017-query-plans-are-reused-while-chunks-are-few.md
 */
import type { Connection } from './db.ts'
import { notePlans, query } from './query.ts'

/** Beyond, a cached plan costs more than a new one (measured: 6 us a chunk against 700): 25 days of a busy market. */
export const CHUNKS_MAX = 100
/** Milliseconds after which a connection looks again how many there are. */
const HOLD_MS = 30_000

const listCrowded = query<{ name: string }>('plans/list_crowded')
const chosenMs = new WeakMap<Connection, number>()
/** The same for all connections that see the same. */
let crowded: ReadonlySet<string> = new Set()

/** Looks, now and then, which tables have many chunks: from here on statements are planned by that. */
export async function choosePlans(connection: Connection): Promise<void> {
  const nowMs = performance.now()
  const known = chosenMs.get(connection)
  if (known !== undefined && nowMs - known < HOLD_MS) return
  const names = new Set((await listCrowded(connection, [CHUNKS_MAX])).map(({ name }) => name))
  if (names.symmetricDifference(crowded).size > 0) crowded = names
  notePlans(connection, crowded)
  chosenMs.set(connection, nowMs)
}
