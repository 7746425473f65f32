/** Reads coverage and since when it is complete. */
import { type Coverage, completeSince } from '../../../domain/coverage.ts'
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

/** Up to a slot, absent for all. Empty where no slot was read from the chain. */
export async function readHistory(
  db: Queryable,
  coverage: readonly Coverage[],
  until?: number,
): Promise<HistoryFields> {
  const slot = completeSince(coverage, until)
  if (slot === undefined) return {}
  const [times] = await listTimesAround(db, [slot], [slot - 1])
  return { complete_since: slot, complete_since_timestamp: times?.after_ms ?? null }
}
