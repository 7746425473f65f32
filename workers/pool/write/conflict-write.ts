/** The parameters of pool/insert_conflicts: both versions of each event as lines of the ingest format. Pure. */
import type { ChainEvent } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import type { Conflict } from '../contradiction.ts'

type Told = { signature: string; pairAddress: string; slot: number }

const toldOf = (event: ChainEvent): Told => (event.kind === 'swap' ? event.swap : event.poolEvent)

const walletOf = (event: ChainEvent): string | null =>
  event.kind === 'swap' ? event.swap.user : (event.poolEvent.creator ?? null)

export function conflictColumns(conflicts: readonly Conflict[]): unknown[][] {
  return [
    conflicts.map(({ kind }) => kind),
    conflicts.map(({ keptOut }) => keptOut.kind),
    conflicts.map(({ keptOut }) => toldOf(keptOut).signature),
    conflicts.map(({ keptOut }) => toldOf(keptOut).pairAddress),
    conflicts.map(({ keptOut }) => walletOf(keptOut)),
    conflicts.map(({ stored }) => toldOf(stored).slot),
    conflicts.map(({ keptOut }) => toldOf(keptOut).slot),
    conflicts.map(({ stored }) => printEvent(stored)),
    conflicts.map(({ keptOut }) => printEvent(keptOut)),
  ]
}
