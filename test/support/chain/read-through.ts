/** Sources as tests read them, and their batches as tests compare them. */
import type { Event } from '../../../domain/events/event.ts'
import type { Retraction } from '../../../domain/events/retraction.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import {
  type Source,
  type SourceBatch,
  SourceError,
  type SourceNotice,
} from '../../../streams/sources/source.ts'

export type ReadThrough = {
  events: Event[]
  notices: SourceNotice[]
  cursor: string | undefined
  /** Errors after which it was reopened. */
  errors: string[]
}

/**
 * Reads as run-source.ts does: reopens after the last cursor when the source fails for a while, until it ends. Rejects with the
 * error that no reopening helps, and with the last one where they do not end.
 */
export async function readThrough(
  source: Source,
  after: string | undefined,
  onBatch: () => Promise<void> = async () => {},
): Promise<ReadThrough> {
  const read: ReadThrough = { events: [], notices: [], cursor: after, errors: [] }
  const { signal } = new AbortController()
  for (let failures = 0; failures < FAILURES_MAX; failures++) {
    try {
      for await (const batch of source.open(read.cursor, signal)) {
        read.events.push(...batch.events)
        read.notices.push(...batch.notices)
        read.cursor = batch.cursor
        await onBatch()
      }
      return read
    } catch (error) {
      if (!(error instanceof SourceError && error.isRetryable)) throw error
      read.errors.push(error.message)
    }
  }
  throw new Error(`the source failed ${FAILURES_MAX} times: ${read.errors.at(-1)}`)
}

const FAILURES_MAX = 200

/** Joined to one text: a difference of long lists takes longer to find. */
export const printed = (events: readonly Event[]): string => events.map(printEvent).join('\n')

export const eventsOf = (batches: readonly SourceBatch[]): string =>
  printed(batches.flatMap(({ events }) => events))

export const retractionsOf = (batches: readonly SourceBatch[]): Retraction[] =>
  batches.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'retract' ? [event.retraction] : [])),
  )
