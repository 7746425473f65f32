/**
 * Refuses events of slots whose swaps were dropped: whether they were stored can no longer be known, and a swap that was must not be
 * applied twice. An event as early as the last dropped swaps is refused as well, as its minute is incomplete.
 */
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Since } from '../../../history/sealed/state.ts'
import type { Arrivals } from './decode.ts'
import { leaveOut } from './leave-out.ts'

/** Refused events of a batch. `newest`: the one that came last. */
export type RefusedEvents = { count: number; newest: Swap | PoolEvent | undefined }

/** Takes them out of the arrivals. */
export function refuseDropped(arrivals: Arrivals, since: Since | undefined): RefusedEvents {
  if (since === undefined) return { count: 0, newest: undefined }
  const refused = leaveOut(
    arrivals,
    (event) => event.slot < since.slot || event.timestamp < since.ms,
    { swap: 'dropped_swap', poolEvent: 'dropped_pool_event' },
  )
  return { count: refused.length, newest: refused.at(-1) }
}
