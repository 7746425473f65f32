/** The field `as_of` of an answer. Pure. */
import type { TimedGap } from '../coverage/present.ts'
import { presentGaps } from '../coverage/present.ts'
import type { AsOfAnswer } from './schema.ts'

/** Slots that a settled moment lies below the finalized ones: later than any fork, and than most late swaps. */
export const SETTLED_SLOTS = 64

/**
 * `isPending`: a job has yet to search some of what the answer is of. `gaps`: undefined where no slot was read from the chain;
 * `finalizedSlot`: up to which slot the chain was read, likewise.
 */
type Moment = {
  readonly slot: number
  readonly timestamp: number | null
  readonly cursor: string | null
  readonly isPending: boolean
  readonly gaps: readonly TimedGap[] | undefined
  readonly finalizedSlot: number | undefined
}

export function presentAsOf({ slot, timestamp, cursor, isPending, ...read }: Moment): AsOfAnswer {
  const { gaps, finalizedSlot = Number.NEGATIVE_INFINITY } = read
  const own = gapsUntil(slot, gaps ?? [])
  return {
    ...{ slot, timestamp, cursor },
    settled: !isPending && slot + SETTLED_SLOTS <= finalizedSlot && own.length === 0,
    coverage_gaps: presentGaps(own, Number.NEGATIVE_INFINITY).coverage_gaps ?? [],
  }
}

/** The gaps up to a slot, cut at it. */
export function gapsUntil(slot: number, gaps: readonly TimedGap[]): TimedGap[] {
  return gaps
    .filter(({ from }) => from <= slot)
    .map((gap) => (gap.to < slot ? gap : { ...gap, to: slot, afterMs: null }))
}
