/** Outcome counts of one run of `ingest`, summed over lanes. */
import type { Queryable } from '../sql/driver/queryable.ts'
import { query } from '../sql/query.ts'

export type RunOutcome = {
  accepted: number
  duplicate: number
  conflict: number
  other: number
  dead: number
}

const sumRun = query<RunOutcome>('runs/sum_run')

export async function runCounts(db: Queryable, runId: string): Promise<RunOutcome> {
  const [row] = await sumRun(db, [runId])
  return row ?? { accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 }
}
