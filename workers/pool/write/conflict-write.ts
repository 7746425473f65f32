/** The parameters of pool/insert_conflicts: both versions of each event as lines of the ingest format. Pure. */
import { type ChainEvent, payloadOf } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import type { Conflict } from '../contradiction.ts'

const walletOf = (event: ChainEvent): string | null =>
  event.kind === 'swap' ? event.swap.user : (event.poolEvent.creator ?? null)

export function conflictColumns(conflicts: readonly Conflict[]): unknown[][] {
  return [
    conflicts.map(({ kind }) => kind),
    conflicts.map(({ keptOut }) => keptOut.kind),
    conflicts.map(({ keptOut }) => payloadOf(keptOut).signature),
    conflicts.map(({ keptOut }) => payloadOf(keptOut).pairAddress),
    conflicts.map(({ keptOut }) => walletOf(keptOut)),
    conflicts.map(({ stored }) => payloadOf(stored).slot),
    conflicts.map(({ keptOut }) => payloadOf(keptOut).slot),
    conflicts.map(({ stored }) => printEvent(stored)),
    conflicts.map(({ keptOut }) => printEvent(keptOut)),
  ]
}
