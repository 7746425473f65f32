/**
 * An ingested event: a swap, a pool event, a token line or a retraction, distinguished by `kind` as in the ingest format.
 */
import { type PoolEvent, poolEventIdentity } from './pool-event.ts'
import type { Retraction } from './retraction.ts'
import { compareChainPositions, compareSwaps, type Swap } from './swap.ts'
import type { Token } from './token.ts'

export type Event =
  | { kind: 'swap'; swap: Swap }
  | { kind: 'pool_event'; poolEvent: PoolEvent }
  | { kind: 'token'; token: Token }
  | { kind: 'retract'; retraction: Retraction }

/** An event of a market: all but retractions. */
export type MarketEvent = Exclude<Event, { kind: 'retract' }>

/** An event that happened in a slot: all but facts of tokens, and retractions. */
export type ChainEvent = Extract<Event, { kind: 'swap' | 'pool_event' }>

/** How many events of each kind. */
export type EventCounts = {
  swaps: number
  poolEvents: number
  tokens: number
  retractions: number
}

export const noEvents = (): EventCounts => ({
  swaps: 0,
  poolEvents: 0,
  tokens: 0,
  retractions: 0,
})

const COUNTED = {
  swap: 'swaps',
  pool_event: 'poolEvents',
  token: 'tokens',
  retract: 'retractions',
} as const

export function countEvents(counts: EventCounts, events: readonly Event[]): void {
  for (const { kind } of events) counts[COUNTED[kind]]++
}

export const sumOfEvents = ({ swaps, poolEvents, tokens, retractions }: EventCounts): number =>
  swaps + poolEvents + tokens + retractions

export function isChainEvent<E extends Event>(event: E): event is E & ChainEvent {
  return event.kind === 'swap' || event.kind === 'pool_event'
}

/** The swap or pool event itself: both have a place on the chain, a transaction and a pool. */
export function payloadOf(event: ChainEvent): Swap | PoolEvent {
  return event.kind === 'swap' ? event.swap : event.poolEvent
}

/** Unix ms; undefined for a token line and for a retraction, which are of no time. */
export function timestampOf(event: Event): number | undefined {
  return isChainEvent(event) ? payloadOf(event).timestamp : undefined
}

/** Token lines come before what happened in slots, and retractions after it. */
const RANKS = { token: 0, pool_event: 1, swap: 1, retract: 2 } as const

/** Order within a batch: by rank, then by chain position; at one position pool events before swaps. */
export function compareEvents(a: Event, b: Event): number {
  if (a.kind === 'swap' && b.kind === 'swap') return compareSwaps(a.swap, b.swap)
  if (!isChainEvent(a) || !isChainEvent(b)) return RANKS[a.kind] - RANKS[b.kind]
  const byChainPosition = compareChainPositions(payloadOf(a), payloadOf(b))
  if (byChainPosition !== 0 || a.kind === b.kind) return byChainPosition
  return a.kind === 'pool_event' ? -1 : 1
}

/** The same, and total: pool events of one position by their fields. */
export function compareFully(a: Event, b: Event): number {
  const byChainPosition = compareEvents(a, b)
  if (byChainPosition !== 0 || a.kind !== 'pool_event' || b.kind !== 'pool_event')
    return byChainPosition
  return poolEventIdentity(a.poolEvent) < poolEventIdentity(b.poolEvent) ? -1 : 1
}
