/** Reads what every answer rests on: the newest indexed slot and time, and the slots that were not read from the chain. */
import { readNewest } from '../../history/swaps/newest.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import type { CoverageGaps } from '../resources/coverage/gaps.ts'
import { presentGaps } from '../resources/coverage/present.ts'

/** `coverage_gaps` is absent where no slot was read from the chain. */
export async function readProvenance(db: Queryable, gaps: CoverageGaps) {
  const newest = await readNewest(db)
  return {
    as_of: { slot: newest?.newest_slot ?? null, timestamp: newest?.latest_ms ?? null },
    ...presentGaps(await gaps.read(db), 0),
  }
}
