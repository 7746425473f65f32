/** Reads coverage and since when it is complete. */
import { type Coverage, completeSince } from '../../../domain/coverage.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { HistoryFields } from '../../routing/reading/history.ts'

/** Unix ms of the swaps next to a range of slots; null without one. */
type TimesAround = { readonly before_ms: number | null; readonly after_ms: number | null }

/** In the order of the ranges, which are given by their first and their last slots. */
export const listTimesAround = query<TimesAround>('coverage/list_gap_times')

/** Ranges, and the fields that follow from the same ranges. */
export type CoverageWithHistory = {
  readonly coverage: readonly Coverage[]
  readonly history: HistoryFields
}

export async function readCoverage(db: Queryable): Promise<CoverageWithHistory> {
  const coverage = await listCoverage(db)
  return { coverage, history: await readHistory(db, coverage) }
}

/** Empty where no slot was read from the chain. */
async function readHistory(db: Queryable, coverage: readonly Coverage[]): Promise<HistoryFields> {
  const slot = completeSince(coverage)
  if (slot === undefined) return {}
  const [times] = await listTimesAround(db, [[slot], [slot - 1]])
  return { complete_since: slot, complete_since_timestamp: times?.after_ms ?? null }
}
