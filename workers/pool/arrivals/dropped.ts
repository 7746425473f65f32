/**
 * Refuses events of slots whose swaps were dropped: whether they were stored can no longer be known, and a swap that was must not be
 * applied twice. An event as early as the last dropped swaps is refused as well, as its minute is incomplete.
 */
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Since } from '../../../history/sealed/state.ts'
import type { Arrivals } from './decode.ts'
import type { Outcome } from './run-counts.ts'

/** Refused events of a batch. `newest`: the one that came last. */
export type RefusedEvents = { count: number; newest: Swap | PoolEvent | undefined }

/** Takes them out of the arrivals. */
export function refuseDropped(arrivals: Arrivals, since: Since | undefined): RefusedEvents {
  const refused: RefusedEvents = { count: 0, newest: undefined }
  if (since === undefined) return refused
  const isStored = (run: string | undefined, event: Swap | PoolEvent, as: Outcome): boolean => {
    if (event.slot >= since.slot && event.timestamp >= since.ms) return true
    refused.count += 1
    refused.newest = event
    arrivals.runs.count(run, as)
    return false
  }
  arrivals.swaps = arrivals.swaps.filter(({ event, run }) =>
    isStored(run, event.swap, 'dropped_swap'),
  )
  arrivals.poolEvents = arrivals.poolEvents.filter(({ event, run }) =>
    isStored(run, event.poolEvent, 'dropped_pool_event'),
  )
  return refused
}
