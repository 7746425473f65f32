/** Reads a table file through its source: the events, and the reports of what was refused, by the file's bare name. */
import type { ExecutionContext } from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { BY_NAME, type Mapping } from '../../../streams/ingest/columns/mapping.ts'
import { explainRefusal } from '../../../streams/ingest/refusal.ts'
import { type Source, SourceError } from '../../../streams/sources/source.ts'
import { SOURCES } from '../../../streams/sources/table.ts'
import { NOW_MS } from './sample-event.ts'

const NEVER = new AbortController().signal
const now = () => NOW_MS

export const csvSource = (path: string, mapping: Mapping = BY_NAME, delimiter: ',' | '\t' = ',') =>
  SOURCES.csv({ input: { path }, delimiter, mapping, now })
export const parquetSource = (path: string, mapping: Mapping = BY_NAME) =>
  SOURCES.parquet({ path, mapping, now })

export async function readTable(source: Source): Promise<{ events: Event[]; reports: string[] }> {
  const events: Event[] = []
  const reports: string[] = []
  for await (const batch of source.open(undefined, NEVER)) {
    events.push(...batch.events)
    for (const { at, reasons } of batch.notices) {
      const name = at.slice(at.lastIndexOf('/') + 1)
      reports.push(...reasons.map((reason) => `${name} ${explainRefusal(reason)}`))
    }
  }
  return { events, reports }
}

/** The error that ends the reading, which must not be retryable. */
export async function errorOf(t: ExecutionContext, source: Source): Promise<string> {
  const error = await t.throwsAsync(readTable(source), { instanceOf: SourceError })
  t.false((error as SourceError).isRetryable)
  return error?.message ?? ''
}
