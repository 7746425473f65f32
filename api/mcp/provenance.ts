/** Reads what every answer rests on: the newest indexed slot and time, and the slots that were not read from the chain. */
import { readNewest } from '../../history/swaps/newest.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import type { CoverageGaps } from '../resources/coverage/gaps.ts'
import { presentGaps } from '../resources/coverage/present.ts'

/** An answer as of a slot states itself what it rests on. */
export function provenanceAsOf(body: string) {
  const { as_of: asOf } = JSON.parse(body) as { as_of: { slot: string; timestamp: string | null } }
  const { slot, timestamp, ...rest } = asOf
  const timestampMs = timestamp === null ? null : Number(timestamp)
  return { as_of: { ...rest, slot: Number(slot), timestamp: timestampMs } }
}

/** `coverage_gaps` is absent where no slot was read from the chain. */
export async function readProvenance(db: Queryable, gaps: CoverageGaps) {
  const newest = await readNewest(db)
  return {
    as_of: { slot: newest?.newest_slot ?? null, timestamp: newest?.latest_ms ?? null },
    ...presentGaps(await gaps.read(db), 0),
  }
}
