/** Reads coverage and since when it is complete. */
import { type Coverage, completeSince } from '../../../domain/coverage.ts'
import { storedSince } from '../../../history/sealed/find/stored.ts'
import { listTimesAround } from '../../../history/swaps/slots.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { HistoryFields } from '../../routing/reading/history.ts'

/** Ranges, and the fields that follow from the same ranges. */
export type CoverageWithHistory = {
  readonly coverage: readonly Coverage[]
  readonly history: HistoryFields
}

export async function readCoverage(db: Queryable): Promise<CoverageWithHistory> {
  const coverage = await listCoverage(db)
  return { coverage, history: await readHistory(db, coverage) }
}

/** Up to a slot, absent for all. Without a slot that was read from the chain, only since when swaps are stored; empty where none was dropped. */
export async function readHistory(
  db: Queryable,
  coverage: readonly Coverage[],
  until?: number,
): Promise<HistoryFields> {
  const [slot, stored] = [completeSince(coverage, until), await storedSince(db)]
  const since =
    stored === undefined ? {} : { history_since: stored.slot, history_since_timestamp: stored.ms }
  if (slot === undefined) return since
  const [times] = await listTimesAround(db, [slot], [slot - 1])
  return {
    complete_since: slot,
    complete_since_timestamp: times?.after_ms ?? null,
    ...since,
  }
}
