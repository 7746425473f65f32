/**
 * An ingested event: a swap, a pool event or a token line, distinguished by `kind` as in the ingest format.
 */
import { type PoolEvent, poolEventIdentity } from './pool-event.ts'
import { compareChainPositions, compareSwaps, type Swap } from './swap.ts'
import type { Token } from './token.ts'

export type Event =
  | { kind: 'swap'; swap: Swap }
  | { kind: 'pool_event'; poolEvent: PoolEvent }
  | { kind: 'token'; token: Token }

/** How many events of each kind. */
export type EventCounts = { swaps: number; poolEvents: number; tokens: number }

export const noEvents = (): EventCounts => ({ swaps: 0, poolEvents: 0, tokens: 0 })

export function countEvents(counts: EventCounts, events: readonly Event[]): void {
  for (const { kind } of events) {
    if (kind === 'swap') counts.swaps++
    else if (kind === 'pool_event') counts.poolEvents++
    else counts.tokens++
  }
}

export const sumOfEvents = ({ swaps, poolEvents, tokens }: EventCounts): number =>
  swaps + poolEvents + tokens

/** Unix ms; undefined for a token line, which is of no time. */
export function timestampOf(event: Event): number | undefined {
  if (event.kind === 'swap') return event.swap.timestamp
  return event.kind === 'pool_event' ? event.poolEvent.timestamp : undefined
}

/** Order within a batch: token lines first, then by chain position; at one position pool events before swaps. */
export function compareEvents(a: Event, b: Event): number {
  if (a.kind === 'token' || b.kind === 'token') {
    return Number(b.kind === 'token') - Number(a.kind === 'token')
  }
  if (a.kind === 'swap' && b.kind === 'swap') return compareSwaps(a.swap, b.swap)
  const placeOf = (event: typeof a) => (event.kind === 'swap' ? event.swap : event.poolEvent)
  const byPlace = compareChainPositions(placeOf(a), placeOf(b))
  if (byPlace !== 0 || a.kind === b.kind) return byPlace
  return a.kind === 'pool_event' ? -1 : 1
}

/** The same, and total: pool events of one position by their fields. */
export function compareFully(a: Event, b: Event): number {
  const byPlace = compareEvents(a, b)
  if (byPlace !== 0 || a.kind !== 'pool_event' || b.kind !== 'pool_event') return byPlace
  return poolEventIdentity(a.poolEvent) < poolEventIdentity(b.poolEvent) ? -1 : 1
}
