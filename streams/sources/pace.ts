/**
 * Lets events out at their time: in small runs every tick, never early, all that is due at once when the
 * reader or the machine was held up.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type MarketEvent, timestampOf } from '../../domain/events/event.ts'

const TICK_MS = 20
/** A run longer than this is cut, so that others get their turn. */
const RUN_EVENTS_MAX = 2_000

/** `dueMs` is called once an event, in order: milliseconds since its first call. */
export async function* paced(
  events: Iterable<MarketEvent>,
  dueMs: (event: MarketEvent) => number,
  signal: AbortSignal,
): AsyncGenerator<MarketEvent[]> {
  const startedAt = performance.now()
  let due: MarketEvent[] = []
  for (const event of events) {
    const at = dueMs(event)
    while (
      !signal.aborted &&
      (performance.now() - startedAt < at || due.length >= RUN_EVENTS_MAX)
    ) {
      if (due.length > 0) yield due
      due = []
      if (performance.now() - startedAt < at)
        await pause(TICK_MS, undefined, { signal }).catch(() => {})
    }
    if (signal.aborted) return
    due.push(event)
  }
  if (due.length > 0) yield due
}

/** Due times for a number of swaps a second; other events come with the swap before them. */
export function dueByRate(swapsPerSecond: number): (event: MarketEvent) => number {
  let swaps = 0
  return (event) => {
    const at = (swaps * 1000) / swapsPerSecond
    if (event.kind === 'swap') swaps++
    return at
  }
}

/** Due times by the events' own clock, which began at `fromMs`; a token line has none and waits for nothing. */
export function dueByTimestamp(fromMs: number): (event: MarketEvent) => number {
  let at = 0
  return (event) => {
    const timestamp = timestampOf(event)
    if (timestamp !== undefined) at = timestamp - fromMs
    return at
  }
}

/** Runs of events as they come, for a reader that takes them as fast as it can. */
export async function* unpaced(
  events: Iterable<MarketEvent>,
  signal: AbortSignal,
): AsyncGenerator<MarketEvent[]> {
  let run: MarketEvent[] = []
  for (const event of events) {
    run.push(event)
    if (run.length < RUN_EVENTS_MAX) continue
    yield run
    if (signal.aborted) return
    run = []
  }
  yield run
}
