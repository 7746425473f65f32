/** The parameters of pool/insert_conflicts: both versions of each event as lines of the ingest format. Pure. */
import { type ChainEvent, payloadOf } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import type { Conflict } from '../arrivals/contradiction.ts'

const walletOf = (event: ChainEvent): string | null =>
  event.kind === 'swap' ? event.swap.user : (event.poolEvent.creator ?? null)

export function conflictColumns(conflicts: readonly Conflict[]): unknown[][] {
  return [
    conflicts.map(({ kind }) => kind),
    conflicts.map(({ rejected }) => rejected.kind),
    conflicts.map(({ rejected }) => payloadOf(rejected).signature),
    conflicts.map(({ rejected }) => payloadOf(rejected).pairAddress),
    conflicts.map(({ rejected }) => walletOf(rejected)),
    conflicts.map(({ stored }) => payloadOf(stored).slot),
    conflicts.map(({ rejected }) => payloadOf(rejected).slot),
    conflicts.map(({ stored }) => printEvent(stored)),
    conflicts.map(({ rejected }) => printEvent(rejected)),
  ]
}
