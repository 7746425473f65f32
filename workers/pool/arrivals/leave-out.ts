/** Takes events out of arrivals, each counted by its run. */
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Arrivals } from './decode.ts'
import type { Outcome } from './run-counts.ts'

/** Returns the events, in the order of the arrivals, swaps first. `outcomes`: of a swap and of a pool event that is left out. */
export function leaveOut(
  arrivals: Arrivals,
  isLeftOut: (event: Swap | PoolEvent) => boolean,
  outcomes: { readonly swap: Outcome; readonly poolEvent: Outcome },
): (Swap | PoolEvent)[] {
  const leftOut: (Swap | PoolEvent)[] = []
  const stays = (run: string | undefined, event: Swap | PoolEvent, as: Outcome): boolean => {
    if (!isLeftOut(event)) return true
    leftOut.push(event)
    arrivals.runs.count(run, as)
    return false
  }
  arrivals.swaps = arrivals.swaps.filter(({ event, run }) => stays(run, event.swap, outcomes.swap))
  arrivals.poolEvents = arrivals.poolEvents.filter(({ event, run }) =>
    stays(run, event.poolEvent, outcomes.poolEvent),
  )
  return leftOut
}
