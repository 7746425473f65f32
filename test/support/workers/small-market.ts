/** Events for the tests of the runtime: a small simulated market, by seed. */
import type { MarketEvent } from '../../../domain/events/event.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'

const FROM_MS = Date.parse('2026-07-20T12:00:00Z')

/** So many swaps of ten venues with their pool events and token lines, in chain order. */
export function smallMarket(seed: number, swaps: number): MarketEvent[] {
  return [...simulate({ seed, swaps, fromMs: FROM_MS, swapsPerSlot: 10 })]
}

export function swapsOf(events: readonly MarketEvent[]): number {
  return events.filter((event) => event.kind === 'swap').length
}
